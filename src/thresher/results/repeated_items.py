"""Items that were evaluated twice."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from thresher.results.metric_result import MetricResult
from thresher.results.ragged import Array

_RELATIVE, _ABSOLUTE = 0.01, 0.001
"""Scores of one image on two devices, or in another batch, differ by rounding, with 16 bits by up to 1 %."""

Mask = npt.NDArray[np.bool_]


def differing(result: MetricResult, first: npt.ArrayLike, second: npt.ArrayLike) -> Mask:
    """Which pairs of items have different statistics, beyond rounding.

    Args:
        result: a result that contains all of the items.
        first: positions of items.
        second: positions of the items that they are compared with.
    """
    one, other = (result.statistics.take(rows) for rows in (first, second))
    differ = _differing_rows(one, other, one.size)
    for name, entries in one.ragged.items():
        differ |= entries.lengths != other.ragged[name].lengths
        ours, theirs = (side.take(~differ) for side in (entries, other.ragged[name]))
        apart = _differing_rows(ours, theirs, ours.entries)
        differ[np.flatnonzero(~differ)[ours.owners[apart]]] = True
    return differ


def _differing_rows(first: Mapping[str, Array], second: Mapping[str, Array], size: int) -> Mask:
    """Which rows of columns of equal length differ."""
    rows = np.zeros(size, np.bool_)
    for name, array in first.items():
        rows |= _apart(array, second[name])
    return rows


def _apart(first: Array, second: Array) -> Mask:
    if first.dtype.kind == "f":
        unequal = ~np.isclose(first, second, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
    else:
        unequal = first != second
    return np.asarray(unequal.any(axis=tuple(range(1, unequal.ndim))))
