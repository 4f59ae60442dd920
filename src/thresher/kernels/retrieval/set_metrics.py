"""Metrics that count the relevant documents among the (first) retrieved ones."""

import numpy as np

from thresher.kernels.retrieval.ranked_gains import Floats, Ints, RankedGains
from thresher.results.reductions import divide


def recall(ranked: RankedGains, top_k: int | None = None) -> Floats:
    """Share of the relevant documents that were retrieved; NaN if none exists (0/0).

    Formula: hits / relevant
    Source: trec_eval `recall`, `set_recall`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        top_k: ranks beyond it do not count.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> recall(match([["a", "b"], ["c"]], [{"b": 1, "x": 1}, {}])).tolist()
    [0.5, nan]
    """
    return divide(_floats(ranked.hits(top_k)), _floats(ranked.relevant))


def precision(ranked: RankedGains, top_k: int | None = None, denominator: str = "top_k") -> Floats:
    """Share of the retrieved documents that are relevant; NaN if no relevant document exists.

    Formula: hits / k (without a cutoff: hits / retrieved)
    Source: trec_eval `P`, `set_P`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        top_k: ranks beyond it do not count.
        denominator: `top_k` divides by k even if the list is shorter, as trec_eval does; `retrieved` divides
            by the number of retrieved documents, at most k. Empty lists score 0.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> ranked = match([["a", "b"]], [{"b": 1}])
    >>> precision(ranked, 5).tolist(), precision(ranked, 5, "retrieved").tolist(), precision(ranked).tolist()
    ([0.2], [0.5], [0.5])
    """
    shares = np.nan_to_num(divide(_floats(ranked.hits(top_k)), _considered(ranked, top_k, denominator)))
    return np.where(ranked.relevant > 0, shares, np.nan)


def r_precision(ranked: RankedGains) -> Floats:
    """Precision at the rank that is the number of relevant documents; NaN if none exists (0/0).

    Formula: hits among the first R / R, with R the relevant documents of the query
    Source: Buckley and Voorhees (2000), Evaluating Evaluation Measure Stability; trec_eval `Rprec`.

    Args:
        ranked: the relevant documents of each query and their ranks.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> r_precision(match([["a", "x", "b"]], [{"a": 1, "b": 1}])).tolist()
    [0.5]
    """
    within = ranked.ranks <= ranked.relevant[ranked.owner]
    return divide(_floats(ranked.per_query(ranked.owner[within])), _floats(ranked.relevant))


def fbeta(ranked: RankedGains, beta: float = 1.0, top_k: int | None = None) -> Floats:
    """Weighted harmonic mean of precision and recall; NaN if no relevant document exists.

    Formula: (beta^2 + 1) * P * R / (beta^2 * P + R) with precision P and recall R; 0 without a hit
    Source: van Rijsbergen (1979), Information Retrieval; trec_eval `set_F`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        beta: weight of recall relative to precision; above 0.
        top_k: ranks beyond it do not count.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> fbeta(match([["a", "b"]], [{"b": 1, "x": 1}])).tolist()
    [0.5]
    """
    squared = beta * beta
    p, r = precision(ranked, top_k), recall(ranked, top_k)
    # trec_eval's order of operations, so that the last digit is the same.
    scores = np.nan_to_num(divide((squared + 1) * p * r, r + squared * p))
    return np.where(ranked.relevant > 0, scores, np.nan)


def _considered(ranked: RankedGains, top_k: int | None, denominator: str) -> Floats:
    """The denominator of precision."""
    if top_k is None:
        return _floats(ranked.retrieved)
    if denominator == "top_k":
        return np.full(ranked.size, float(top_k))
    return _floats(np.minimum(ranked.retrieved, top_k))


def _floats(counts: Ints) -> Floats:
    return counts.astype(np.float64)
