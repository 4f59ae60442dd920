"""Arithmetic over verdicts."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def share(hits: npt.ArrayLike, total: npt.ArrayLike) -> Floats:
    """Hits / total, elementwise; 0/0 is NaN, the share of nothing does not exist.

    Args:
        hits: how many of them, e.g. supported claims.
        total: of how many.

    >>> share([3, 0, 0], [4, 2, 0]).tolist()
    [0.75, 0.0, nan]
    """
    above, below = np.asarray(hits, np.float64), np.asarray(total, np.float64)
    quotient = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


def f1_of_statements(true_positive: float, false_positive: float, false_negative: float) -> float:
    """Tp / (tp + (fp + fn) / 2); 0 without a true positive, 0/0 included.

    Source: Valor, answer correctness.

    Args:
        true_positive: statements of the answer that the reference supports.
        false_positive: statements of the answer that it does not.
        false_negative: statements of the reference that the answer lacks.

    >>> f1_of_statements(1, 1, 0), f1_of_statements(0, 0, 0)
    (0.6666666666666666, 0.0)
    """
    if true_positive == 0:
        return 0.0
    return true_positive / (true_positive + (false_positive + false_negative) / 2)


def context_precision(useful: Sequence[bool]) -> float:
    """The mean of precision@k over the ranks k of useful contexts; NaN if none is useful.

    Source: Valor, context precision: sum(precision@k * v_k) / sum(v_k).

    Args:
        useful: one verdict a context, in the order of retrieval.

    >>> context_precision([True, False, False, True]), context_precision([False, True])
    (0.75, 0.5)
    """
    verdicts = np.asarray(useful, dtype=np.float64)
    if not verdicts.any():
        return float("nan")
    precision = np.cumsum(verdicts) / np.arange(1, len(verdicts) + 1)
    return float((precision * verdicts).sum() / verdicts.sum())
