"""The one way in: whatever users have, as a `Dataset`."""

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.datasets._conversions import conversions
from thresher.datasets._entries import read_entries
from thresher.datasets._flatten import flatten
from thresher.datasets._formats import read_file
from thresher.datasets._haystack import from_evaluation_run, from_list, is_haystack
from thresher.datasets._ids import derived_ids, given_ids
from thresher.datasets._python import from_columns, from_frame
from thresher.datasets._table import Table
from thresher.datasets._values import described
from thresher.datasets.dataset import Dataset
from thresher.datasets.names import name_columns
from thresher.errors import DataWarning, InputError
from thresher.results import FrozenColumn


def read_dataset(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    name: str | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002  # the word that users of other readers know
    empty_cells: str = "missing",
) -> Dataset:
    """Read a data set and name its columns by what they mean.

    Args:
        source: a path (JSON Lines, JSON, CSV, TSV or Parquet); a dict of lists; a list of dicts; a
            pandas DataFrame, or anything with `to_pandas()`; a Haystack `EvaluationRunResult`; a list of
            Haystack `GeneratedAnswer`s or pipeline outputs.
        mapping: column -> socket (or another name), for names that are not understood by themselves.
        name: what to call the data set; the file's name without its suffix by default.
        limit: read the first rows only.
        format: `jsonl`, `json`, `csv`, `tsv` or `parquet`, for a file whose suffix does not tell.
        empty_cells: what an empty cell of CSV or TSV is: `missing`, as other formats say it with null; or
            `text`, a text without characters, in columns of texts.

    Returns:
        The data set; its ids are the data's own, or derived from the questions or the row numbers.

    Raises:
        InputError: for data that cannot be used, naming the line and the field.
    """
    given = _checked(mapping, name, limit, empty_cells)
    try:
        table = replace(_load(source, limit, format), empty_as_text=empty_cells == "text")
        dataset = _named(flatten(table, given), given)
    except RecursionError:
        raise InputError(f"{_called(source)}: lists or objects are nested too deeply to be read") from None
    _warn(dataset.notes)
    return dataset if name is None else replace(dataset, name=name)


def table_of(source: Any, limit: int | None) -> Table:
    """The columns of a source under its own names.

    Raises:
        InputError: as `read_dataset`.
    """
    return _load(source, limit, None)


def _load(source: Any, limit: int | None, format_name: str | None) -> Table:
    if isinstance(source, str | os.PathLike):
        return read_file(Path(source), limit, format_name)
    if format_name is not None:
        raise InputError(f"format={format_name!r} is for files; leave it out for {_called(source)}")
    if is_haystack(source, "EvaluationRunResult"):
        return from_evaluation_run(source, limit)
    if isinstance(source, Mapping):
        return from_columns(source, limit)
    if isinstance(source, list | tuple):
        return from_list(source, limit)
    if hasattr(source, "to_pandas"):
        return from_frame(source.to_pandas(), limit)
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return from_frame(source, limit)
    wanted = "give a path, a DataFrame, a dict of lists, a list of dicts, or Haystack results"
    raise InputError(f"a data set cannot be read from {described(source)}; {wanted}")


def _checked(mapping: object, name: object, limit: object, empty_cells: object) -> Mapping[str, str]:
    """The mapping, once all options are known to be usable."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InputError(f"limit={limit!r} must be a whole number of at least 1, or None for all rows")
    if name is not None and not isinstance(name, str):
        raise InputError(f"name={name!r} must be a text, or None for the name of the file")
    if empty_cells not in ("missing", "text"):
        raise InputError(f"empty_cells={empty_cells!r} is unknown; choose missing or text")
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping):
        raise InputError(f"mapping={mapping!r} must be a dict of column -> socket, or None")
    return mapping


def _named(table: Table, mapping: Mapping[str, str]) -> Dataset:
    if not table.columns:
        raise InputError(f"{table.source} has no columns; name at least one")
    named = name_columns(table, mapping)
    columns = {
        name: FrozenColumn(read_entries(table, column, name))
        for column, name in named.of.items()
        if name != "ids"
    }
    dataset = _identified(table, named.of, columns)
    origin = {name: column for column, name in named.of.items() if name != column}
    notes = (*table.notes, *named.notes, *conversions(table, named.of))
    return replace(dataset, origin=origin, notes=notes)


def _identified(table: Table, names: Mapping[str, str], columns: Mapping[str, FrozenColumn]) -> Dataset:
    """The columns with the ids of the data, or with derived ones."""
    id_column = next((column for column, name in names.items() if name == "ids"), None)
    if id_column is not None:
        return Dataset(FrozenColumn(given_ids(table, id_column)), columns, name=table.name)
    ids = FrozenColumn(derived_ids(columns.get("questions"), len(table)))
    return Dataset(ids, columns, name=table.name, ids_given=False)


def _warn(notes: Sequence[str]) -> None:
    """Show what reading guessed or converted, at the caller's line outside of Thresher."""
    if not notes:
        return
    frame, level = sys._getframe(1), 2  # noqa: SLF001  (skip_file_prefixes came with Python 3.12)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("thresher."):
        frame, level = frame.f_back, level + 1
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=level)


def _called(source: Any) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else described(source)
