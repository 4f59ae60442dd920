"""Many looks: p-values corrected for how many there were."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p_values: npt.ArrayLike) -> Floats:
    """P-values such that comparing all with 5 % makes any false claim at all in at most 5 % of reports.

    NaN, a test that could not be made, stays NaN and does not count as a look.

    Formula: running maximum of (m - rank + 1) * p over rising p, at most 1
    Source: Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.

    >>> holm([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order, tests = _order(given)
    raised = given[order] * np.arange(tests, 0, -1)
    return _placed(given, order, np.maximum.accumulate(raised))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """P-values such that of the claims made at 5 % at most 5 % are expected to be false.

    For looking through many slices, where a list with one false entry in twenty is still a good list.
    NaN stays NaN and does not count as a look.

    Formula: running minimum of m / rank * p over falling p, at most 1
    Source: Benjamini and Hochberg (1995), Controlling the False Discovery Rate.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.04, 0.04]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order, tests = _order(given)
    lowered = given[order] * tests / np.arange(1, tests + 1)
    return _placed(given, order, np.minimum.accumulate(lowered[::-1])[::-1])


def _order(p_values: Floats) -> tuple[npt.NDArray[np.int64], int]:
    order = np.argsort(p_values, kind="stable")[: np.count_nonzero(~np.isnan(p_values))]
    return order, len(order)


def _placed(given: Floats, order: npt.NDArray[np.int64], corrected: Floats) -> Floats:
    out = np.full_like(given, np.nan)
    out[order] = np.minimum(corrected, 1.0)
    return out
