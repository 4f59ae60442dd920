"""Matching retrieved documents with judged ones."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from thresher.kernels.retrieval.ranked_gains import RankedGains


def match(retrieved: Sequence[Sequence[Hashable]], judged: Sequence[Mapping[Hashable, float]]) -> RankedGains:
    """Find the relevant documents in each ranked list.

    A document that was retrieved twice occupies both ranks and counts at the first. A grade of 0 or below
    means "judged, not relevant", as in trec_eval.

    Args:
        retrieved: per query the documents, best first; None is a document that equals no other.
        judged: per query the grade of each judged document.

    >>> ranked = match([["b", "a", "a"]], [{"a": 1, "c": 2, "b": 0}])
    >>> ranked.ranks.tolist(), ranked.gains.tolist(), ranked.ideal_gains.tolist()
    ([2], [1.0], [2.0, 1.0])
    """
    owner: list[int] = []
    ranks: list[int] = []
    gains: list[float] = []
    ideal_gains: list[float] = []
    ideal_counts: list[int] = []
    for query, (documents, grades) in enumerate(zip(retrieved, judged, strict=True)):
        uncredited = {document: grade for document, grade in grades.items() if grade > 0}
        ideal_gains += sorted(uncredited.values(), reverse=True)
        ideal_counts.append(len(uncredited))
        for rank, document in enumerate(documents, 1):
            if document in uncredited:
                owner.append(query)
                ranks.append(rank)
                gains.append(uncredited.pop(document))
    return RankedGains(
        retrieved=np.fromiter(map(len, retrieved), np.int64, len(retrieved)),
        owner=np.array(owner, np.int64),
        ranks=np.array(ranks, np.int64),
        gains=np.array(gains, np.float64),
        ideal_owner=np.repeat(np.arange(len(judged)), np.array(ideal_counts, np.int64)),
        ideal_gains=np.array(ideal_gains, np.float64),
    )
