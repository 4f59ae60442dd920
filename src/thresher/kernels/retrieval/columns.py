"""Runs and judgements as columns: query ids, document ids and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thresher.errors import InputError
from thresher.kernels.retrieval.order import TieRule, row_order
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results.ragged import Ragged

Codes = npt.NDArray[np.int32]


class Rows(NamedTuple):
    """Parallel columns, one row per retrieved or judged document.

    Ids are texts or whole numbers (taken as their text): a list, an array, or an Arrow array.

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
        """Whether a document stands twice for a query."""
        queries, documents = _Coded.of("query ids", self.query_ids), _Coded.of("ids", self.document_ids)
        pairs = queries.codes.astype(np.int64) * len(documents.names) + documents.codes
        pairs.sort()
        return bool((pairs[1:] == pairs[:-1]).any())


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run beside its judgements, one entry per query in each.

    Attributes:
        queries: the query ids.
        retrieved: the ranked list of each query, empty where nothing was retrieved for it.
        judged: the judgements of each query, None where it has none.
    """

    queries: tuple[str, ...]
    retrieved: ScoredIds
    judged: ScoredIds


def judged_run(
    run: Rows, qrels: Rows, ties: TieRule = "trec", queries: Sequence[str] | None = None
) -> JudgedRun:
    """Put a run beside its judgements.

    A query that is judged and not in the run keeps an empty list, so that it counts; one that is in the
    run and not judged has no judgements, so that it is known to be missing. trec_eval drops both.

    Args:
        run: what was retrieved, in any order.
        qrels: the judgements; the highest grade stands where a document was judged twice.
        ties: how the lists are ranked, see `ranking`; `input-order` keeps the order of the rows.
        queries: the queries wanted; by default those judged, then those in the run only.

    Raises:
        InputError: if columns differ in length, or a number is not finite.

    >>> both = judged_run(Rows(["q", "q"], ["a", "b"], [0.5, 0.9]), Rows(["q", "p"], ["a", "c"], [1, 2]))
    >>> both.queries, list(both.retrieved), list(both.judged)
    (('q', 'p'), [[('b', 0.9), ('a', 0.5)], []], [[('a', 1)], [('c', 2)]])
    """
    judged_queries, judged_documents, grades = _encoded("qrels", qrels)
    run_queries, run_documents, scores = _encoded("run", run)
    if queries is None:
        queries = [*judged_queries.used(), *run_queries.used()]
    wanted = tuple(dict.fromkeys(queries))
    items, names = pa.array(wanted, pa.string()), _vocabulary(judged_documents, run_documents)
    judged_items = judged_queries.among(items)
    judged = _Grouped.by_item(judged_items, judged_documents.among(names), grades, len(wanted))
    retrieved = _Grouped.by_item(
        run_queries.among(items), run_documents.among(names), scores.astype(np.float64), len(wanted)
    )
    present = np.isin(np.arange(len(wanted)), judged_items)
    return JudgedRun(wanted, retrieved.ranked(names, ties), judged.once(names, present))


@dataclass(frozen=True)
class _Coded:
    """A column of ids as positions in an array of distinct ones, in the order of their appearance."""

    codes: Codes
    names: "pa.StringArray"

    @classmethod
    def of(cls, where: str, column: Any) -> "_Coded":
        try:
            array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
            array = array if len(array) else pa.array([], pa.string())
            chunked = pa.chunked_array([array]) if isinstance(array, pa.Array) else array
            coded = chunked.dictionary_encode().unify_dictionaries().combine_chunks()
            names = coded.dictionary
            readable = pa.types.is_integer(names.type) or pa.types.is_string(names.type)
        except pa.ArrowException as error:
            raise InputError(f"{where} are neither all texts nor all whole numbers: {error}") from None
        if not readable or coded.null_count:
            raise InputError(f"{where} are {names.type}, or some are missing; give texts or whole numbers")
        return cls(np.asarray(coded.indices, np.int32), names.cast(pa.string()))

    def used(self) -> list[str]:
        """The ids that stand in a row; a dictionary may hold more."""
        used = np.bincount(self.codes, minlength=len(self.names)) > 0
        found: list[str] = self.names.filter(pa.array(used)).to_pylist()
        return found

    def among(self, names: "pa.StringArray") -> Codes:
        """Each row's id as its position in other names; -1 where it is none of them."""
        places = pc.index_in(self.names, names).fill_null(-1).to_numpy()
        return places.astype(np.int32)[self.codes] if len(places) else self.codes


def _vocabulary(*columns: _Coded) -> "pa.StringArray":
    """All ids, ascending as texts by code point, so that comparing positions compares ids."""
    together = pa.concat_arrays([column.names for column in columns]).unique()
    return together.take(pc.sort_indices(together))


@dataclass(frozen=True)
class _Grouped:
    """Rows in the order of the items that they belong to."""

    lengths: npt.NDArray[np.int64]
    documents: Codes
    numbers: npt.NDArray[Any]

    @classmethod
    def by_item(cls, items: Codes, documents: Codes, numbers: npt.NDArray[Any], size: int) -> "_Grouped":
        if (items < 0).any():
            kept = items >= 0
            items, documents, numbers = items[kept], documents[kept], numbers[kept]
        if (items[1:] < items[:-1]).any():
            order = np.argsort(items, kind="stable")
            items, documents, numbers = items[order], documents[order], numbers[order]
        return cls(np.bincount(items, minlength=size), documents, numbers)

    def ranked(self, names: "pa.StringArray", ties: TieRule) -> ScoredIds:
        """The lists, best first."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths)])
        order = row_order(offsets, self.numbers, self.documents, ties)
        documents, numbers = self.documents, self.numbers
        if order is not None:
            documents, numbers = documents[order], numbers[order]
            documents.flags.writeable = numbers.flags.writeable = False  # our own: spares a copy
        return ScoredIds(_ragged(self.lengths, documents, numbers), names, order=ties)

    def once(self, names: "pa.StringArray", present: npt.NDArray[np.bool_]) -> ScoredIds:
        """The judgements, each document once, with its highest grade."""
        owner = np.repeat(np.arange(len(self.lengths)), self.lengths)
        pairs = owner * len(names) + self.documents
        if len(np.unique(pairs)) == len(pairs):
            return ScoredIds(_ragged(self.lengths, self.documents, self.numbers), names, present)
        best_first = np.lexsort((-self.numbers, pairs))
        kept = np.sort(best_first[np.unique(pairs[best_first], return_index=True)[1]])
        lengths = np.bincount(owner[kept], minlength=len(self.lengths))
        return ScoredIds(_ragged(lengths, self.documents[kept], self.numbers[kept]), names, present)


def _ragged(lengths: npt.NDArray[np.int64], documents: Codes, numbers: npt.NDArray[Any]) -> Ragged:
    return Ragged(lengths, {"document": documents, "number": numbers})


def _encoded(what: str, rows: Rows) -> tuple[_Coded, _Coded, npt.NDArray[Any]]:
    numbers = np.asarray(rows.numbers)
    lengths = {name: len(column) for name, column in rows._asdict().items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns of the {what} have unequal lengths: {lengths}")
    if numbers.dtype.kind not in "fiu" and len(numbers):
        raise InputError(f"numbers of the {what} are {numbers.dtype}; give scores or grades")
    wrong = np.flatnonzero(~np.isfinite(numbers)) if numbers.dtype.kind == "f" else numbers[:0]
    if len(wrong):
        raise InputError(
            f"row {wrong[0]} of the {what} has the number {numbers[wrong[0]]}; give a finite one"
        )
    query_ids = _Coded.of(f"query ids of the {what}", rows.query_ids)
    return query_ids, _Coded.of(f"document ids of the {what}", rows.document_ids), numbers
