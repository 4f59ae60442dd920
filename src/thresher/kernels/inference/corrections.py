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
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    result = np.full_like(values, np.nan)
    raised = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    result[order] = np.minimum(raised, 1.0)
    return result
