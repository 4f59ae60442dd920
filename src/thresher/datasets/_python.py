"""Data already in memory: dicts of lists, lists of rows, DataFrames."""

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from thresher.datasets._table import RawTable, check_distinct, columns_of
from thresher.datasets._values import describe, plain
from thresher.errors import InputError
from thresher.kernels.tensors import as_array, is_tensor


def from_columns(source: str, columns: Mapping[Any, Any], limit: int | None) -> RawTable:
    """A dict of lists, one list per column."""
    return RawTable(source, plain_columns(source, columns, limit))


def from_rows(source: str, rows: Sequence[Any], limit: int | None) -> RawTable:
    """A list of dicts, one per row."""
    chosen = rows[:limit]
    for number, row in enumerate(chosen, start=1):
        if not isinstance(row, Mapping):
            raise InputError(
                f"{source}, row {number}: holds {describe(row)}, not a dict; give one dict per row"
            )
        _check_names(f"{source}, row {number}", row)
    if not chosen:
        raise InputError(f"{source} has no rows; give a dict of empty lists for a data set without items")
    columns = columns_of(chosen, source)
    return RawTable(source, plain_columns(source, columns, None))


def from_frame(frame: Any, limit: int | None) -> RawTable:
    """A DataFrame of pandas or polars; a named index becomes a column."""
    source = "the DataFrame"
    frame = frame if limit is None else frame.head(limit)
    if type(frame).__module__.partition(".")[0] == "polars":  # not via pandas, where gaps make floats
        columns = frame.to_dict(as_series=False)
        return RawTable(source, plain_columns(source, columns, None), lists_as_text=True)
    if any(name is not None and name not in frame.columns for name in frame.index.names):
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    check_distinct(source, names)
    columns = {name: frame.iloc[:, position].tolist() for position, name in enumerate(names)}
    return RawTable(source, plain_columns(source, columns, None), lists_as_text=True)


def plain_columns(source: str, columns: Mapping[Any, Any], limit: int | None) -> dict[str, list[Any]]:
    """Each column as a list of plain values, all of one length.

    Raises:
        InputError: for a column that is not a list, or lists of unequal lengths.
    """
    _check_names(source, columns)
    columns = {
        name: as_array(column, f"{source}: column {name!r}") if is_tensor(column) else column
        for name, column in columns.items()
    }
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
            actual = describe(column)
            raise InputError(f"{source}: column {name!r} holds {actual}, not a list; give one entry per row")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"{source}: columns have unequal lengths: {listed}; give one entry per row in each")
    last = None if limit is None else min(limit, sys.maxsize)  # what islice takes
    return {name: [plain(value) for value in islice(column, last)] for name, column in columns.items()}


def _check_names(where: str, names: Mapping[Any, Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{where}: the column name {name!r} is not a text; name columns by texts")
