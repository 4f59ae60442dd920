"""Matching ranked lists with judgements that are kept as arrays."""

import numpy as np

from thresher.kernels.retrieval.order import chunks
from thresher.kernels.retrieval.ranked_gains import Floats, Ints, RankedGains
from thresher.kernels.retrieval.scored_ids import ScoredIds

_ROWS_AT_ONCE = 1 << 18
_MARKS = 1 << 20


def match_columns(retrieved: ScoredIds, judged: ScoredIds) -> RankedGains:
    """Find the relevant documents in each ranked list: `match` for columns, a run of queries at a time.

    Args:
        retrieved: per query the documents, best first.
        judged: per query the documents with their grades, each once.
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
    """Relevant documents among those retrieved."""

    def __init__(self, retrieved: ScoredIds, judged: ScoredIds) -> None:
        self.starts, self.documents = retrieved.lists.offsets, retrieved.lists["document"]
        self.judged_starts, self.judged = judged.lists.offsets, judged.documents_in(retrieved.names)
        self.grades: Floats = judged.lists["number"].astype(np.float64)
        # Odd, so that the low bits of a key tell the query as well as the document.
        self.stride = (len(retrieved.names) + len(judged.names)) | 1
        self.marks = np.zeros(_MARKS, np.bool_)

    def of(self, first: int, last: int) -> tuple[Ints, Ints, Floats]:
        """Owner, rank and grade of each hit of some queries, in rank order."""
        rows = slice(self.judged_starts[first], self.judged_starts[last])
        wanted = self._keys(self.judged[rows], self.judged_starts[first : last + 1])
        wanted_grades = self.grades[rows]
        relevant = wanted_grades > 0
        order = np.argsort(wanted[relevant])
        wanted, wanted_grades = wanted[relevant][order], wanted_grades[relevant][order]
        starts = self.starts[first : last + 1]
        found, which = self._found(wanted, self._keys(self.documents[starts[0] : starts[-1]], starts))
        owner = np.searchsorted(starts, found + starts[0], side="right") - 1
        return owner + first, found + starts[0] - starts[owner] + 1, wanted_grades[which]

    def _keys(self, documents: Ints, starts: Ints) -> Ints:
        """One number per row that tells its query and its document."""
        owner_keys = np.arange(len(starts) - 1) * self.stride
        return np.repeat(owner_keys, np.diff(starts)) + documents

    def _found(self, wanted: Ints, keys: Ints) -> tuple[Ints, Ints]:
        """Rows whose key is wanted, and which of the wanted keys it is; the first row of each key.

        A table of marks sorts out nearly all other rows before the exact look-up (a Bloom filter with
        one hash): far cheaper than looking up every row.
        """
        marked = wanted & (_MARKS - 1)
        self.marks[marked] = True
        likely = np.flatnonzero(self.marks[keys & (_MARKS - 1)])
        self.marks[marked] = False
        place = np.searchsorted(wanted, keys[likely])
        place[place == len(wanted)] = 0
        exact = np.flatnonzero(wanted[place] == keys[likely]) if len(wanted) else place[:0]
        found, which = likely[exact], place[exact]
        first = np.sort(np.unique(which, return_index=True)[1])
        return found[first], which[first]
