"""`read_dataset`: read any supported source as a `Dataset`."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from thresher.datasets._formats import read_file
from thresher.datasets._ids import derived_ids, distinct_ids
from thresher.datasets._memory import RowSelection, from_memory, most_rows
from thresher.datasets._opened import explained, is_open_file, read_open_file, warn_of
from thresher.datasets._reading import Reading
from thresher.datasets._table import RawTable
from thresher.datasets._values import describe
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.nesting import check_nesting
from thresher.files.opening import OpenedFile
from thresher.results import FrozenColumn
from thresher.results.choices import check_choice

EmptyCells = Literal["missing", "text"]


@explained
def read_dataset(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    name: str | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002  # the word that users of other readers know
    empty_cells: EmptyCells = "missing",
    split: str | None = None,
) -> Dataset:
    """Read a data set and name its columns by their meaning.

    Args:
        source: a path or URL (JSON Lines, JSON, CSV, TSV, Parquet, Arrow or Excel) or an open file; a dict of
            lists; a list or an iterable of dicts or of objects with named fields (dataclasses, pydantic,
            attrs, named tuples); a DataFrame of pandas or polars, or anything with `to_pandas()`; an object
            around one list of rows, such as `{"data": [...]}`; a dict of splits; SQuAD's and promptfoo's
            files, LlamaIndex's embedding pairs, DeepEval's test cases; a Haystack `EvaluationRunResult`; a
            list of Haystack `GeneratedAnswer`s or pipeline outputs.
        mapping: column -> socket (or another name), for names that are not recognised.
        name: name of the data set; default: the file's name without suffix.
        limit: read the first rows only.
        format: `jsonl`, `json`, `csv`, `tsv`, `parquet`, `arrow`, `xlsx` or `npz`; default: inferred from the suffix.
        empty_cells: meaning of an empty cell of CSV or TSV: `missing`, like null in other formats; or
            `text`, a text without characters, in columns of texts.
        split: which split of a data set that has several, such as `test`, or which sheet of a workbook.

    Returns:
        The data set; its ids are those of the data, or derived from the questions or the row numbers.

    Raises:
        InputError: for data that cannot be used, naming the line and the field.
    """
    check_options(name, limit, empty_cells, split)
    mapping = checked_mapping(mapping)
    content = _load(source, limit, format, split, mapping)
    table = replace(content, empty_as_text=empty_cells == "text")
    dataset = _named_dataset(table, mapping)
    warn_of(dataset.notes)
    return dataset if name is None else replace(dataset, name=name)


@explained
def table_of(source: Any, limit: int | None, split: str | None = None) -> RawTable:
    """Read the columns of a source under their own names.

    Raises:
        InputError: as `read_dataset`.
    """
    return _load(source, limit, None, split)


def rereadable(source: Any, limit: int | None = None) -> Any:
    """The source in a form that can be read twice: the content of an open file, the rows of an iterator."""
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
    table = _read(source, limit, format_name, split, mapped)
    for column, values in table.columns.items():
        check_nesting(f"{table.source}: column {column!r}", values)
    return table


def _read(
    source: Any, limit: int | None, format_name: str | None, split: str | None, mapped: Collection[str]
) -> RawTable:
    if isinstance(source, str | os.PathLike):
        return read_file(Path(source), limit, format_name, split=split, mapped=mapped)
    if isinstance(source, OpenedFile) or is_open_file(source):
        file = source if isinstance(source, OpenedFile) else read_open_file(source)
        return read_file(file, limit, format_name, split=split, mapped=mapped)
    if format_name is not None:
        raise InputError(f"format={format_name!r} is for files; leave it out for {_name_of(source)}")
    return from_memory(source, RowSelection(limit, split, frozenset(mapped)))


def check_options(name: object, limit: object, empty_cells: object, split: object) -> None:
    """Raise InputError for an option of `read_dataset` with an invalid value."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InputError(f"limit={limit!r} must be a whole number of at least 1, or None for all rows")
    if name is not None and not isinstance(name, str):
        raise InputError(f"name={name!r} must be a text, or None for the name of the file")
    if split is not None and not isinstance(split, str):
        raise InputError(f"split={split!r} must be a text: the name of one split, or None")
    check_choice("empty_cells", empty_cells, get_args(EmptyCells))


def checked_mapping(mapping: object) -> Mapping[str, str]:
    """The mapping, empty for None; raise InputError for other objects."""
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping):
        raise InputError(f"mapping={mapping!r} must be a dict of column -> socket, or None")
    return mapping


def _named_dataset(table: RawTable, mapping: Mapping[str, str]) -> Dataset:
    reading = Reading.of(table, mapping)
    expanded = reading.expansion.expand(table)
    columns = reading.read(expanded)
    column = reading.id_column
    if column is None:
        ids = derived_ids(columns.get("questions"), len(expanded))
    else:
        ids = distinct_ids(expanded, column)
    return Dataset(
        FrozenColumn(ids),
        columns,
        name=table.name,
        ids_given=column is not None,
        origin=reading.origin,
        notes=tuple(reading.remarks(expanded)),
        layouts=reading.layouts(expanded),
    )


def _name_of(source: Any) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else describe(source)
