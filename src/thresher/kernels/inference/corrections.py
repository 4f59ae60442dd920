"""Corrections of p-values for multiple tests."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p_values: npt.ArrayLike) -> Floats:
    """Correct p-values by Holm: at 5 %, at most 5 % of reports contain any false claim.

    NaN (no test was possible) stays NaN and does not count as a test.

    Formula: running maximum of (m - rank + 1) * p over rising p, at most 1
    Source: Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.

    >>> holm([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order, tests = _order(values)
    raised = values[order] * np.arange(tests, 0, -1)
    return _in_place(values, order, np.maximum.accumulate(raised))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Correct p-values by Benjamini and Hochberg: at 5 %, at most 5 % of the claims are expected to be false.

    For searches through many slices, where one false entry in twenty is acceptable. NaN stays NaN and does
    not count as a test.

    Formula: running minimum of m / rank * p over falling p, at most 1
    Source: Benjamini and Hochberg (1995), Controlling the False Discovery Rate.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order, tests = _order(values)
    lowered = values[order] * tests / np.arange(1, tests + 1)
    return _in_place(values, order, np.minimum.accumulate(lowered[::-1])[::-1])


def _order(p_values: Floats) -> tuple[npt.NDArray[np.int64], int]:
    order = np.argsort(p_values, kind="stable")[: np.count_nonzero(~np.isnan(p_values))]
    return order, len(order)


def _in_place(p_values: Floats, order: npt.NDArray[np.int64], corrected: Floats) -> Floats:
    """The corrected p-values in the original order, at most 1."""
    result = np.full_like(p_values, np.nan)
    result[order] = np.minimum(corrected, 1.0)
    return result
