"""Configurations of a grid that are left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.pipelines.experiments.configuration import Configuration
from thresher.reports.slices.conditions import mask_of


def without(cells: Sequence[Configuration], exclude: Sequence[Any]) -> list[Configuration]:
    """The configurations that meet no condition.

    Args:
        cells: the configurations of the grid.
        exclude: conditions: texts such as `retriever.top_k < ranker.top_k`, or mappings path -> value or list
            of values.

    Raises:
        InputError: for a condition that cannot be read, or of something that does not vary.
    """
    if isinstance(exclude, str | Mapping):
        exclude = [exclude]
    if not isinstance(exclude, Sequence):
        raise InputError(f"exclude is {exclude!r}; give a list of conditions")
    remaining = list(cells)
    for condition in exclude:
        remaining = [cell for cell, out in zip(remaining, _met(condition, remaining), strict=True) if not out]
    return remaining


def _met(condition: Any, cells: Sequence[Configuration]) -> list[bool]:
    values = [{**cell.levels, **cell.settings} for cell in cells]
    known = list(dict.fromkeys(path for entry in values for path in entry))
    if isinstance(condition, Mapping):
        for path in condition:
            if path not in known:
                raise InputError(f"exclude: {path} does not vary; {', '.join(known)} do")
        return [all(_is_one_of(entry, *pair) for pair in condition.items()) for entry in values]
    if isinstance(condition, str):
        columns = {path: [entry.get(path) for entry in values] for path in known}
        try:
            return [bool(met) for met in mask_of(condition, columns, len(cells))]
        except InputError as error:
            raise error.with_message(f"exclude: {error}") from None
    raise InputError(
        f"exclude: {condition!r} is not a condition; write e.g. 'a.top_k < b.top_k', or PATH: value"
    )


def _is_one_of(values: Mapping[str, Any], path: str, excluded: Any) -> bool:
    options = excluded if isinstance(excluded, list | tuple) else [excluded]
    return path in values and any(
        values[path] == option and isinstance(values[path], bool) == isinstance(option, bool)
        for option in options
    )
