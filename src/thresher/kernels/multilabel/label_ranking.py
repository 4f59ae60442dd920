"""The labels of an item ranked by their scores."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def ranking_precision(scores: Floats, true: npt.NDArray[np.bool_]) -> float:
    """Mean over true labels of the share of true ones among the labels that score at least as high.

    NaN without a true label.

    >>> ranking_precision(np.array([0.9, 0.5, 0.1]), np.array([False, True, False]))
    0.5
    """
    if not true.any():
        return float("nan")
    own = scores[true]
    return float((_reaching(own, own) / _reaching(scores, own)).mean())


def coverage(scores: Floats, true: npt.NDArray[np.bool_]) -> float:
    """Number of labels that score at least as high as the lowest true one; 0 without a true label.

    >>> coverage(np.array([0.9, 0.5, 0.1]), np.array([False, True, False]))
    2.0
    """
    return float((scores >= scores[true].min()).sum()) if true.any() else 0.0


def _reaching(scores: Floats, thresholds: Floats) -> Floats:
    """Number of scores that reach each threshold."""
    return np.asarray(len(scores) - np.searchsorted(np.sort(scores), thresholds, "left"), dtype=np.float64)
