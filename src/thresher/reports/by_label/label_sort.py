"""Orders of labels in a report."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # the command line reads the orders before it loads any numbers
    from thresher.kernels.inference.label_estimates import LabelEstimate
    from thresher.results import Direction

LabelSort = Literal["worst", "best", "label", "objects"]
"""By value, the worst or the best first; by name; by number of objects, most first. Ties by name."""


def sort_key(sort: LabelSort, direction: "Direction") -> "Callable[[LabelEstimate], Any]":
    """The key that sorts the labels of a measure."""
    sign = 1 if (sort == "worst") == (direction == "higher") else -1

    def key(estimate: "LabelEstimate") -> Any:
        name = str(estimate.label)
        if sort == "label":
            return name
        if sort == "objects":
            return -estimate.objects, name
        return math.isnan(estimate.value), sign * estimate.value, name

    return key
