"""Matching ranked lists with judgements that are stored as arrays."""

import numpy as np

from thresher.kernels.retrieval.order import chunks
from thresher.kernels.retrieval.ranked_gains import Floats, Ints, RankedGains
from thresher.kernels.retrieval.scored_ids import ScoredIds

_ROWS_AT_ONCE = 1 << 18
"""2 million retrieved documents take 0.05 to 0.06 s with 2^14 to 2^20 rows, 0.08 s with 2^12 and 0.07 s
with all at once (20,000 queries of `benchmarks/retrieval.py`)."""
_MARKS = 1 << 20
"""1 MB, so that it stays in the processor's cache; a mark that two keys share costs one more comparison."""


def match_columns(retrieved: ScoredIds, judged: ScoredIds) -> RankedGains:
    """Find the relevant documents in each ranked list: `match` for columns, several queries at a time.

    Args:
        retrieved: per query the documents, best first.
        judged: per query the distinct documents with their grades.
    """
    hits = _Hits(retrieved, judged)
    bounds = retrieved.lists.offsets + judged.lists.offsets
    parts = [hits.of(first, last) for first, last in chunks(bounds, _ROWS_AT_ONCE)]
    owner, ranks, gains = (
        np.concatenate([part[column] for part in parts]) if parts else np.zeros(0, dtype)
        for column, dtype in enumerate((np.int64, np.int64, np.float64))
    )
    relevant = hits.grades > 0
    ideal_owner, ideal_gains = judged.lists.owners[relevant], hits.grades[relevant]
    best_first = np.lexsort((-ideal_gains, ideal_owner))
    return RankedGains(retrieved.lists.lengths, owner, ranks, gains, ideal_owner, ideal_gains[best_first])


class _Hits:
    """Relevant documents among the retrieved ones."""

    def __init__(self, retrieved: ScoredIds, judged: ScoredIds) -> None:
        self.starts, self.documents = retrieved.lists.offsets, retrieved.lists["document"]
        self.judged_starts, self.judged = judged.lists.offsets, judged.documents_in(retrieved.names)
        self.grades: Floats = judged.lists["number"].astype(np.float64)
        # Odd, so that the low bits of a key depend on the query as well as on the document.
        self.stride = (len(retrieved.names) + len(judged.names)) | 1
        self.marks = np.zeros(_MARKS, np.bool_)

    def of(self, first: int, last: int) -> tuple[Ints, Ints, Floats]:
        """Owner, rank and grade of each hit of some queries, in rank order."""
        rows = slice(self.judged_starts[first], self.judged_starts[last])
        keys = self._keys(self.judged[rows], self.judged_starts[first : last + 1])
        grades = self.grades[rows]
        relevant = grades > 0
        order = np.argsort(keys[relevant])
        keys, grades = keys[relevant][order], grades[relevant][order]
        starts = self.starts[first : last + 1]
        hits, which = self._first_rows(keys, self._keys(self.documents[starts[0] : starts[-1]], starts))
        owner = np.searchsorted(starts, hits + starts[0], side="right") - 1
        return owner + first, hits + starts[0] - starts[owner] + 1, grades[which]

    def _keys(self, documents: Ints, starts: Ints) -> Ints:
        """One number per row that identifies its query and its document."""
        owner_keys = np.arange(len(starts) - 1) * self.stride
        return np.repeat(owner_keys, np.diff(starts)) + documents

    def _first_rows(self, relevant: Ints, keys: Ints) -> tuple[Ints, Ints]:
        """The first row with each relevant key, and the position of its key in `relevant`.

        A table of marks (a Bloom filter with one hash) drops nearly all other rows before the exact look-up,
        which is far cheaper than looking up every row.
        """
        marked = relevant & (_MARKS - 1)
        self.marks[marked] = True
        likely = np.flatnonzero(self.marks[keys & (_MARKS - 1)])
        self.marks[marked] = False
        place = np.searchsorted(relevant, keys[likely])
        place[place == len(relevant)] = 0
        exact = np.flatnonzero(relevant[place] == keys[likely]) if len(relevant) else place[:0]
        rows, which = likely[exact], place[exact]
        first = np.sort(np.unique(which, return_index=True)[1])
        return rows[first], which[first]
