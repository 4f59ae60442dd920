"""The one way in: whatever users have, as a `Dataset`."""

import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from thresher.datasets._conversions import conversions
from thresher.datasets._entries import read_entries
from thresher.datasets._flatten import flatten
from thresher.datasets._formats import read_file
from thresher.datasets._ids import derived_ids, given_ids
from thresher.datasets._memory import RowSelection, from_memory, most_rows
from thresher.datasets._opened import OpenedFile, is_open_file, read_open_file
from thresher.datasets._table import RawTable
from thresher.datasets._values import describe
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
    split: str | None = None,
) -> Dataset:
    """Read a data set and name its columns by what they mean.

    Args:
        source: a path (JSON Lines, JSON, CSV, TSV or Parquet) or an open file of one; a dict of lists; a list
            or an iterable of dicts or of objects with named fields (dataclasses, pydantic, attrs, named
            tuples); a DataFrame of pandas or polars, or anything with `to_pandas()`; an object around one
            list of rows, such as `{"data": [...]}`; a dict of splits; SQuAD's and promptfoo's files,
            LlamaIndex's embedding pairs, DeepEval's test cases; a Haystack `EvaluationRunResult`; a list of
            Haystack `GeneratedAnswer`s or pipeline outputs.
        mapping: column -> socket (or another name), for names that are not understood by themselves.
        name: what to call the data set; the file's name without its suffix by default.
        limit: read the first rows only.
        format: `jsonl`, `json`, `csv`, `tsv` or `parquet`, for a file whose suffix does not tell.
        empty_cells: what an empty cell of CSV or TSV is: `missing`, as other formats say it with null; or
            `text`, a text without characters, in columns of texts.
        split: which split of a data set that has several, such as `test`.

    Returns:
        The data set; its ids are the data's own, or derived from the questions or the row numbers.

    Raises:
        InputError: for data that cannot be used, naming the line and the field.
    """
    given = _checked(mapping, name, limit, empty_cells, split)
    try:
        read = _load(source, limit, format, split, given)
        table = replace(read, empty_as_text=empty_cells == "text")
        dataset = _named(flatten(table, given), given)
    except RecursionError:
        raise InputError(f"{_called(source)}: lists or objects are nested too deeply to be read") from None
    _warn(dataset.notes)
    return dataset if name is None else replace(dataset, name=name)


def table_of(source: Any, limit: int | None, split: str | None = None) -> RawTable:
    """The columns of a source under its own names.

    Raises:
        InputError: as `read_dataset`.
    """
    return _load(source, limit, None, split)


def rereadable(source: Any, limit: int | None = None) -> Any:
    """The source, or what can be read twice in its place: content of an open file, rows of an iterator."""
    if isinstance(source, Iterator) and not is_open_file(source):
        return list(islice(source, most_rows(limit)))
    return read_open_file(source) if is_open_file(source) else source


def _load(
    source: Any,
    limit: int | None,
    format_name: str | None,
    split: str | None = None,
    mapped: Collection[str] = (),
) -> RawTable:
    if isinstance(source, str | os.PathLike):
        return read_file(Path(source), limit, format_name, split=split, mapped=mapped)
    if isinstance(source, OpenedFile) or is_open_file(source):
        file = source if isinstance(source, OpenedFile) else read_open_file(source)
        return read_file(file, limit, format_name, split=split, mapped=mapped)
    if format_name is not None:
        raise InputError(f"format={format_name!r} is for files; leave it out for {_called(source)}")
    return from_memory(source, RowSelection(limit, split, frozenset(mapped)))


def _checked(
    mapping: object, name: object, limit: object, empty_cells: object, split: object
) -> Mapping[str, str]:
    """The mapping, once all options are known to be usable."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InputError(f"limit={limit!r} must be a whole number of at least 1, or None for all rows")
    if name is not None and not isinstance(name, str):
        raise InputError(f"name={name!r} must be a text, or None for the name of the file")
    if split is not None and not isinstance(split, str):
        raise InputError(f"split={split!r} must be a text: the name of one split, or None")
    if empty_cells not in ("missing", "text"):
        raise InputError(f"empty_cells={empty_cells!r} is unknown; choose missing or text")
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping):
        raise InputError(f"mapping={mapping!r} must be a dict of column -> socket, or None")
    return mapping


def _named(table: RawTable, mapping: Mapping[str, str]) -> Dataset:
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


def _identified(table: RawTable, names: Mapping[str, str], columns: Mapping[str, FrozenColumn]) -> Dataset:
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
    return str(source) if isinstance(source, str | os.PathLike) else describe(source)
