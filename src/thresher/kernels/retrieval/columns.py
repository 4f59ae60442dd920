"""Runs and judgements as columns: query ids, document ids and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thresher.errors import InputError
from thresher.kernels.retrieval.order import Codes, TieRule, best_first
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results.ragged import Ragged


class IdRows(NamedTuple):
    """Parallel columns, one row per retrieved or judged document.

    Ids are strings or integers, which count as their decimal strings: a list, an array, or an Arrow array.

    Attributes:
        query_ids: the query of each row.
        document_ids: the document of each row.
        numbers: its score, or its grade.
    """

    query_ids: Any
    document_ids: Any
    numbers: Any

    def queries(self) -> list[str]:
        """The distinct query ids."""
        return _Coded.of("query ids", self.query_ids).used()

    def have_repeats(self) -> bool:
        """Whether a document occurs twice for a query."""
        queries, documents = _Coded.of("query ids", self.query_ids), _Coded.of("ids", self.document_ids)
        pairs = queries.codes.astype(np.int64) * len(documents.names) + documents.codes
        pairs.sort()
        return bool((pairs[1:] == pairs[:-1]).any())


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run and its judgements, one entry per query in both.

    Attributes:
        queries: the query ids.
        retrieved: the ranked list of each query, possibly empty.
        judged: the judgements of each query; None for an unjudged query.
    """

    queries: tuple[str, ...]
    retrieved: ScoredIds
    judged: ScoredIds


def judged_run(
    run: IdRows, qrels: IdRows, ties: TieRule = "trec", queries: Sequence[str] | None = None
) -> JudgedRun:
    """Join a run with its judgements by query.

    A judged query without a list in the run gets an empty list, so that it counts; a query of the run without
    judgements gets None, so that its score is missing. trec_eval drops both.

    Args:
        run: the retrieved documents, in any order.
        qrels: the judgements; the highest grade counts if a document was judged twice.
        ties: how the lists are ranked, see `ranking`; `input-order` keeps the order of the rows.
        queries: the queries to include; default: the judged ones, then those in the run only.

    Raises:
        InputError: if columns differ in length, or a number is not finite.

    >>> both = judged_run(IdRows(["q", "q"], ["a", "b"], [0.5, 0.9]), IdRows(["q", "p"], ["a", "c"], [1, 2]))
    >>> both.queries, list(both.retrieved), list(both.judged)
    (('q', 'p'), [[('b', 0.9), ('a', 0.5)], []], [[('a', 1)], [('c', 2)]])
    """
    judgements, results = _CodedRows.of("qrels", qrels), _CodedRows.of("run", run)
    if queries is None:
        queries = [*judgements.queries.used(), *results.queries.used()]
    query_ids = tuple(dict.fromkeys(queries))
    items = pa.array(query_ids, pa.string())
    names, of_results, of_judged = _merged(results.documents.names, judgements.documents.names)
    present = np.isin(np.arange(len(query_ids)), judgements.queries.among(items))
    judged = judgements.grouped(items, of_judged).distinct(names, present)
    retrieved = results.grouped(items, of_results)
    del judgements, results  # a hundred megabytes for ten million rows
    return JudgedRun(query_ids, retrieved.ranked(names, ties), judged)


@dataclass(frozen=True)
class _Coded:
    """A column of ids as positions in the array of distinct ids, in the order of first occurrence."""

    codes: Codes
    names: "pa.StringArray"

    @classmethod
    def of(cls, where: str, column: Any) -> "_Coded":
        try:
            array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
            array = array if len(array) else pa.array([], pa.string())
            if isinstance(array, pa.ChunkedArray):
                array = array.dictionary_encode().unify_dictionaries()
                array = array.combine_chunks() if array.num_chunks > 1 else array.chunk(0)
            coded = array.dictionary_encode()
            names = coded.dictionary
            readable = pa.types.is_integer(names.type) or pa.types.is_string(names.type)
        except pa.ArrowException as error:
            raise InputError(f"{where} are neither all strings nor all integers: {error}") from None
        if not readable or coded.null_count:
            raise InputError(f"{where} are {names.type}, or some are missing; give strings or integers")
        return cls(np.asarray(coded.indices, np.int32), names.cast(pa.string()))

    def used(self) -> list[str]:
        """The ids that occur in a row; an Arrow dictionary may contain more."""
        used = np.bincount(self.codes, minlength=len(self.names)) > 0
        ids: list[str] = self.names.filter(pa.array(used)).to_pylist()
        return ids

    def among(self, names: "pa.StringArray") -> Codes:
        """Each row's id as its position in other names; -1 if it is not one of them."""
        places = np.asarray(pc.index_in(self.names, names).fill_null(-1), np.int32)
        return self.codes if np.array_equal(places, np.arange(len(places))) else places[self.codes]


def _merged(first: "pa.StringArray", second: "pa.StringArray") -> tuple["pa.StringArray", Codes, Codes]:
    """All ids, sorted by code point, and the positions of both sides' ids among them.

    Sorted instead of hashed: hash tables of millions of strings would take most of the memory.
    """
    together = pa.concat_arrays([first, second])
    order = pc.sort_indices(together).to_numpy()
    ascending = together.take(order)
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = pc.not_equal(ascending[1:], ascending[:-1])
    places = np.empty(len(order), np.int32)
    places[order] = np.cumsum(is_new) - 1
    return ascending.filter(pa.array(is_new)), places[: len(first)], places[len(first) :]


@dataclass(frozen=True)
class _CodedRows:
    """Rows with encoded ids."""

    queries: _Coded
    documents: _Coded
    numbers: npt.NDArray[Any]

    @classmethod
    def of(cls, what: str, rows: IdRows) -> "_CodedRows":
        """Check and encode the rows."""
        numbers = np.asarray(rows.numbers)
        lengths = {name: len(column) for name, column in rows._asdict().items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of the {what} have unequal lengths: {lengths}")
        if numbers.dtype.kind not in "fiu" and len(numbers):
            raise InputError(f"numbers of the {what} are {numbers.dtype}; give scores or grades")
        wrong = np.flatnonzero(~np.isfinite(numbers)) if numbers.dtype.kind == "f" else numbers[:0]
        if len(wrong):
            number = numbers[wrong[0]]
            raise InputError(f"row {wrong[0]} of the {what} has the number {number}; give a finite one")
        query_ids = _Coded.of(f"query ids of the {what}", rows.query_ids)
        return cls(query_ids, _Coded.of(f"document ids of the {what}", rows.document_ids), numbers)

    def grouped(self, items: "pa.StringArray", places: Codes) -> "_Grouped":
        """Group the rows by item, in the original order within an item; documents become their places."""
        owner, documents, numbers = self.queries.among(items), places[self.documents.codes], self.numbers
        if (owner < 0).any():
            known = owner >= 0
            owner, documents, numbers = owner[known], documents[known], numbers[known]
        if (owner[1:] < owner[:-1]).any():
            order = np.argsort(owner, kind="stable")
            owner, documents, numbers = owner[order], documents[order], numbers[order]
        return _Grouped(np.bincount(owner, minlength=len(items)), documents, numbers)


@dataclass(frozen=True)
class _Grouped:
    """Rows grouped by item."""

    lengths: npt.NDArray[np.int64]
    documents: Codes
    numbers: npt.NDArray[Any]

    def ranked(self, names: "pa.StringArray", ties: TieRule) -> ScoredIds:
        """The lists, best first."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths)])
        scores = self.numbers.astype(np.float64, copy=False)
        documents, numbers = best_first(offsets, self.documents, scores, ties)
        if documents is not self.documents:
            documents.flags.writeable = numbers.flags.writeable = False  # new arrays: `Ragged` need not copy
        return ScoredIds(_ragged(self.lengths, documents, numbers), names, order=ties)

    def distinct(self, names: "pa.StringArray", present: npt.NDArray[np.bool_]) -> ScoredIds:
        """The judgements without repeated documents; the highest grade counts."""
        owner = np.repeat(np.arange(len(self.lengths)), self.lengths)
        pairs = owner * len(names) + self.documents
        if len(np.unique(pairs)) == len(pairs):
            return ScoredIds(_ragged(self.lengths, self.documents, self.numbers), names, present)
        by_grade = np.lexsort((-self.numbers.astype(np.float64), pairs))
        rows = np.sort(by_grade[np.unique(pairs[by_grade], return_index=True)[1]])
        lengths = np.bincount(owner[rows], minlength=len(self.lengths))
        return ScoredIds(_ragged(lengths, self.documents[rows], self.numbers[rows]), names, present)


def _ragged(lengths: npt.NDArray[np.int64], documents: Codes, numbers: npt.NDArray[Any]) -> Ragged:
    return Ragged(lengths, {"document": documents, "number": numbers})
