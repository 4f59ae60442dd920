"""Orders of labels in a report."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # the command line reads the orders before it loads any numbers
    from thresher.kernels.inference import Interval
    from thresher.kernels.inference.label_estimates import LabelEstimate
    from thresher.reports.comparisons.comparison_row import ComparisonRow
    from thresher.results import Direction

LabelSort = Literal["worst", "best", "label", "objects", "interval"]
"""By value, the worst or the best first; by name; most objects or narrowest interval first. Ties by name."""
DifferenceSort = Literal["worst", "best", "label", "interval"]
"""By difference, the largest loss or gain first; by name; narrowest interval first. Ties by name."""


def sort_key(sort: LabelSort, direction: "Direction") -> "Callable[[LabelEstimate], Any]":
    """The key that sorts the labels of a measure."""
    sign = 1 if (sort == "worst") == (direction == "higher") else -1

    def key(estimate: "LabelEstimate") -> Any:
        name = str(estimate.label)
        if sort == "label":
            return name
        if sort == "objects":
            return -estimate.objects, name
        if sort == "interval":
            return _width(estimate.interval), name
        return math.isnan(estimate.value), sign * estimate.value, name

    return key


def difference_key(sort: DifferenceSort) -> "Callable[[ComparisonRow], Any]":
    """The key that sorts the differences of labels of a measure."""
    sign = -1 if sort == "best" else 1

    def key(row: "ComparisonRow") -> Any:
        name = row.part or ""
        if sort == "label":
            return name
        if sort == "interval":
            return _width(row.comparison.interval), name
        return sign * row.gain, name

    return key


def _width(interval: "Interval | None") -> float:
    """The width of an interval; labels without one come last."""
    return math.inf if interval is None else interval.high - interval.low
