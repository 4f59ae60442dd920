"""Data in memory: containers are recognised by their interface, without importing any library."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from thresher.datasets._containers import contained_rows
from thresher.datasets._haystack import from_evaluation_run, from_list, is_haystack
from thresher.datasets._layouts import embedding_pairs, is_embedding_pairs, unfold
from thresher.datasets._python import from_columns, from_frame
from thresher.datasets._records import as_plain, is_record, plain_rows
from thresher.datasets._splits import choose_split, split_names
from thresher.datasets._table import RawTable
from thresher.datasets._values import describe
from thresher.errors import InputError
from thresher.surface import given

_SOURCE = "the data"


@dataclass(frozen=True)
class RowSelection:
    """What to read of a source.

    Attributes:
        limit: greatest number of rows; None for all.
        split: which split, if there are several.
        mapped: columns that the caller maps; they do not count as containers.
    """

    limit: int | None = None
    split: str | None = None
    mapped: frozenset[str] = frozenset()


def from_memory(data: Any, selection: RowSelection, source: str = _SOURCE) -> RawTable:  # noqa: PLR0911  (one return a kind)
    """Read the table of an object.

    Raises:
        InputError: for an unsupported object, listing the supported ones.
    """
    if is_haystack(data, "EvaluationRunResult"):
        return from_evaluation_run(data, selection.limit)
    if isinstance(data, Mapping):
        return from_mapping(source, data, selection)
    refuse_split(source, selection)
    if isinstance(data, list | tuple) and not is_record(data):
        return _from_rows(source, data, selection.limit)
    if (cases := _test_cases(data)) is not None:
        return _from_rows(source, cases, selection.limit)
    if (frame := _frame(data, selection.limit)) is not None:
        return from_frame(frame, selection.limit)
    if is_record(data):
        return from_mapping(source, as_plain(data), selection)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | AbstractSet):
        return _from_rows(source, list(islice(data, most_rows(selection.limit))), None)
    readable = (
        "give a path, an open file, a DataFrame, a dict of lists, a list of dicts or of objects with named "
        "fields, or Haystack results"
    )
    raise InputError(f"a data set cannot be read from {describe(data)}; {readable}")


def from_mapping(source: str, data: Mapping[Any, Any], selection: RowSelection) -> RawTable:
    """Read a dict of columns, of splits, or around the rows.

    Raises:
        InputError: if a split has to be chosen, or the keys are ambiguous.
    """
    if is_embedding_pairs(data):
        refuse_split(source, selection)
        return _from_rows(source, embedding_pairs(source, data), selection.limit)
    names = split_names(data, split_is_given=selection.split is not None)
    if names and selection.mapped.isdisjoint(names):
        name = choose_split(source, names, selection.split)
        table = from_memory(data[name], replace(selection, split=None), source)
        note = () if selection.split else (f"read {name!r}, the only split",)
        return replace(table, notes=(*note, *table.notes))
    refuse_split(source, selection)
    if all(isinstance(key, str) for key in data):
        contained = contained_rows(source, data, selection.mapped)
        if contained is not None:
            table = _from_rows(source, contained.rows, selection.limit)
            return replace(table, notes=(contained.note,))
    return from_columns(source, data, selection.limit)


def most_rows(limit: int | None) -> int | None:
    """A limit within the range of `islice`."""
    return None if limit is None else min(limit, sys.maxsize)


def refuse_split(source: str, selection: RowSelection) -> None:
    """Raise InputError if a split is given, for data without splits."""
    if selection.split is not None:
        raise InputError(f"{source}: there are no splits; leave out {given('split', selection.split)}")


def _from_rows(source: str, rows: Sequence[Any], limit: int | None) -> RawTable:
    return from_list(source, unfold(source, plain_rows(rows))[:limit], None)


def _test_cases(data: Any) -> Sequence[Any] | None:
    """The test cases of DeepEval's `EvaluationDataset`, or its goldens if it has none."""
    cases, goldens = (getattr(data, name, None) for name in ("test_cases", "goldens"))
    if not isinstance(cases, list) or not isinstance(goldens, list):
        return None
    return cases or goldens


def _frame(data: Any, limit: int | None) -> Any:
    """A DataFrame of pandas or polars; None for other objects."""
    if callable(getattr(data, "collect_schema", None)) and callable(getattr(data, "collect", None)):
        return (data if limit is None else data.head(limit)).collect()  # polars' LazyFrame
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "columns"):
        return data
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    return data if hasattr(data, "iloc") and hasattr(data, "columns") else None
