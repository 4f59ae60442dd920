"""Metrics that depend on the ranks of the relevant documents."""

import math
from collections.abc import Callable

import numpy as np

from thresher.errors import InputError
from thresher.kernels.retrieval.ranked_gains import Floats, Ints, RankedGains, positions
from thresher.results.reductions import divide


def reciprocal_rank(ranked: RankedGains, top_k: int | None = None) -> Floats:
    """1 / rank of the first relevant document; 0 if none is retrieved, NaN if none exists.

    Formula: 1 / min{rank of a relevant document}
    Source: Voorhees (1999), The TREC-8 Question Answering Track Report; trec_eval `recip_rank`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        top_k: ranks beyond it do not count.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> reciprocal_rank(match([["a", "b"], ["c"]], [{"b": 1}, {}])).tolist()
    [0.5, nan]
    """
    first = np.full(ranked.size, np.inf)
    # Ranks ascend within a query: writing them in reverse leaves the first.
    first[ranked.owner[::-1]] = ranked.ranks[::-1]
    if top_k is not None:
        first[first > top_k] = np.inf
    return np.where(ranked.relevant > 0, 1.0 / first, np.nan)


def hit_rate(ranked: RankedGains, top_k: int | None = None) -> Floats:
    """1 if any relevant document is retrieved, else 0; NaN if none exists.

    Formula: 1 if hits > 0 else 0
    Source: trec_eval `success`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        top_k: ranks beyond it do not count.

    Returns:
        0 or 1 per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> hit_rate(match([["a", "b"], ["c"]], [{"b": 1}, {"b": 1}])).tolist()
    [1.0, 0.0]
    """
    return np.where(ranked.relevant > 0, (ranked.hits(top_k) > 0).astype(np.float64), np.nan)


def average_precision(ranked: RankedGains, top_k: int | None = None) -> Floats:
    """Mean of the precisions at the relevant documents' ranks; NaN if none exists (0/0).

    Relevant documents that were not retrieved, or only beyond the cutoff, count as 0.

    Formula: sum of hits@r / r over the ranks r of relevant documents, divided by relevant
    Source: Buckley and Voorhees (2000), Evaluating Evaluation Measure Stability; trec_eval `map`, `map_cut`.

    Args:
        ranked: the relevant documents of each query and their ranks.
        top_k: ranks beyond it do not count.

    Returns:
        One value in [0, 1] per query.

    >>> from thresher.kernels.retrieval.matching import match
    >>> average_precision(match([["a", "x", "b"]], [{"a": 1, "b": 1}])).round(4).tolist()
    [0.8333]
    """
    precisions = positions(ranked.owner, ranked.size) / ranked.ranks
    return divide(_sums(ranked, precisions, top_k), ranked.relevant.astype(np.float64))


def ndcg(ranked: RankedGains, top_k: int | None = None, gain: str = "linear") -> Floats:
    """Normalised discounted cumulative gain; NaN if no relevant document exists (0/0).

    Formula: DCG / ideal DCG, where DCG = sum of gain(grade) / log2(rank + 1)
    Source: Järvelin and Kekäläinen (2002), Cumulated Gain-Based Evaluation of IR Techniques; trec_eval
        `ndcg`, `ndcg_cut`. Exponential gains: Burges et al. (2005), Learning to Rank Using Gradient Descent.

    Args:
        ranked: the relevant documents of each query with ranks and grades.
        top_k: ranks beyond it do not count, neither in the ranking nor in the ideal one.
        gain: `linear` takes the grade; `exponential` takes 2^grade - 1.

    Returns:
        One value in [0, 1] per query.

    Raises:
        InputError: if gains are infinite, as exponential gains of grades from 1024 on.

    >>> from thresher.kernels.retrieval.matching import match
    >>> ndcg(match([["a", "b"]], [{"b": 1}])).round(4).tolist()
    [0.6309]
    """
    gain_of = GAINS[gain]
    places = positions(ranked.ideal_owner, ranked.size)
    counted = slice(None) if top_k is None else places <= top_k
    best = gain_of(ranked.ideal_gains) / _discounts(places)
    ideal = _added(ranked.ideal_owner[counted], best[counted], ranked.size)
    if not np.isfinite(ideal).all():
        raise InputError(
            f"{gain} gains of the grade {ranked.ideal_gains.max():g} overflow; scale the grades down"
        )
    gained = _sums(ranked, gain_of(ranked.gains) / _discounts(ranked.ranks), top_k)
    return divide(gained, ideal)


def _linear(grades: Floats) -> Floats:
    return grades


def _exponential(grades: Floats) -> Floats:
    with np.errstate(over="ignore"):  # `ndcg` raises for infinite gains
        return np.asarray(np.exp2(grades) - 1.0)


GAINS: dict[str, Callable[[Floats], Floats]] = {"linear": _linear, "exponential": _exponential}


def _discounts(ranks: Ints) -> Floats:
    """log2(rank + 1), from the C library as in trec_eval: numpy's may differ in the last digit."""
    table = np.array([math.log2(rank + 1) for rank in range(int(ranks.max(initial=0)) + 1)])
    return table[ranks]


def _sums(ranked: RankedGains, values: Floats, top_k: int | None) -> Floats:
    """Sum of each query's hits within the cutoff."""
    counted = slice(None) if top_k is None else ranked.ranks <= top_k
    return _added(ranked.owner[counted], values[counted], ranked.size)


def _added(owner: Ints, values: Floats, size: int) -> Floats:
    """Sum of each owner's values, added one after the other, so that the last digit is that of a loop."""
    return np.bincount(owner, values, minlength=size).astype(np.float64, copy=False)
