"""Arithmetic over verdicts."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def share(hits: npt.ArrayLike, total: npt.ArrayLike) -> Floats:
    """Hits / total, elementwise; 0/0 is NaN.

    Args:
        hits: e.g. the number of supported claims.
        total: e.g. the number of claims.

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
        false_positive: statements of the answer that the reference does not support.
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
        useful: one verdict per context, in the order of retrieval.

    >>> context_precision([True, False, False, True]), context_precision([False, True])
    (0.75, 0.5)
    """
    verdicts = np.asarray(useful, dtype=np.float64)
    if not verdicts.any():
        return float("nan")
    precision = np.cumsum(verdicts) / np.arange(1, len(verdicts) + 1)
    return float((precision * verdicts).sum() / verdicts.sum())


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """(1 + b^2) p r / (b^2 p + r); 0 where both are 0.

    Args:
        precision: the share of the statements that are right.
        recall: the share of the expected statements that are made.
        beta: above 0; weight of recall relative to precision.

    >>> f_beta(0.5, 1.0), f_beta(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def noise_sensitivity(supports: npt.ArrayLike, relevant: npt.ArrayLike, correct: npt.ArrayLike) -> Floats:
    """Shares of an answer's statements that are wrong and come from relevant, and from irrelevant contexts.

    A wrong statement that a relevant context supports counts for the relevant ones only; one that no context
    supports is a hallucination and counts for neither. 0/0 is NaN.

    Source: ragas, noise sensitivity, modes "relevant" and "irrelevant".

    Args:
        supports: statements x contexts: whether the context supports the statement.
        relevant: per context whether it supports a statement of the reference.
        correct: per statement whether the reference supports it.

    >>> noise_sensitivity([[1, 0], [0, 1]], [1, 0], [0, 0]).tolist()
    [0.5, 0.5]
    """
    wrong = ~np.asarray(correct, dtype=np.bool_)
    useful = np.asarray(relevant, dtype=np.bool_)
    table = np.asarray(supports, dtype=np.bool_).reshape(len(wrong), len(useful))
    of_relevant = (table & useful).any(axis=1) & wrong
    of_irrelevant = (table & ~useful).any(axis=1) & wrong & ~of_relevant
    return share([of_relevant.sum(), of_irrelevant.sum()], len(wrong))
