"""Splits of a data set: tables under names such as `train` and `test`; one of them is read."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.counted import counted
from thresher.datasets._records import is_record
from thresher.errors import InputError
from thresher.results.choices import check_choice

_SPLIT = re.compile(
    r"(?i)(auxiliary_)?(train|training|test|testing|validation|valid|val|dev|eval|evaluation)([^a-z].*)?"
)


def split_names(data: Mapping[Any, Any], *, split_is_given: bool) -> list[str]:
    """The names of the splits of a data set; empty if it has no splits.

    Args:
        data: a possible mapping of splits, such as a `DatasetDict` of Hugging Face.
        split_is_given: whether the caller chose a split, so that any name may be one.
    """
    if not data or not all(isinstance(name, str) and _is_table(value) for name, value in data.items()):
        return []
    named = all(_SPLIT.fullmatch(name) for name in data)
    return list(data) if split_is_given or named or any(map(is_frame, data.values())) else []


def choose_split(source: str, names: Sequence[str], split: str | None, what: str = "split") -> str:
    """The split to read: the given one, or the only one.

    Args:
        source: name of the source in messages.
        names: the names of the splits.
        split: the one that the caller chose.
        what: what the source calls a split.

    Raises:
        InputError: if there are several and none is given, or for an unknown name.
    """
    if split is None and len(names) == 1:
        return names[0]
    listed = ", ".join(names)
    if split is None:
        raise InputError(
            f"{source}: there are {counted(len(names), what)}; choose one of {listed} with "
            f"split={names[-1]!r} (--split {shlex.quote(names[-1])})"
        )
    check_choice(f"{source}: split", split, names)
    return split


def is_frame(value: Any) -> bool:
    """Whether a value has the interface of a table of pandas, polars, Arrow or Hugging Face."""
    tabular = any(hasattr(value, name) for name in ("to_pandas", "iloc", "collect_schema", "features"))
    if not tabular or isinstance(value, type):
        return False
    return any(hasattr(value, name) for name in ("columns", "column_names", "collect_schema"))


def is_rows(value: Any) -> bool:
    """Whether a value is a list of rows rather than a column of single entries."""
    return (
        isinstance(value, list | tuple)
        and not is_record(value)
        and bool(value)
        and all(isinstance(row, Mapping) or is_record(row) for row in value)
    )


def _is_table(value: Any) -> bool:
    if is_frame(value) or is_rows(value) or (isinstance(value, list) and not value):
        return True
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(column, list) for column in value.values())
    )
