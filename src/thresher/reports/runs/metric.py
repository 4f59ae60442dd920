"""One reported metric of one run."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.runs.names import display_name
from thresher.results import Measure, MetricResult


@dataclass(frozen=True)
class Metric:
    """A measure together with the result that it reads.

    Attributes:
        result: what the metric said.
        measure: the measure that is reported.
        heading: its name in tables, where that is not just its name made readable.
    """

    result: MetricResult
    measure: Measure
    heading: str = ""

    @property
    def name(self) -> str:
        """Name in data, e.g. `retrieval_reciprocal_rank`."""
        return self.measure.name

    @property
    def display_name(self) -> str:
        """Name in tables, e.g. `Reciprocal Rank`."""
        return self.heading or display_name(self.name)

    @property
    def is_primary(self) -> bool:
        """Whether a comparison of runs tests the measure, rather than only showing it."""
        return self.name in self.result.primary

    @property
    def value(self) -> float:
        """The measure over the scored items; NaN if none is scored."""
        return self.result.value(self.name)

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """Each item's own score, NaN unless scored."""
        return self.result.item_scores(self.name)

    @property
    def coverage(self) -> str:
        """Scored items of all items, e.g. `106/107`."""
        return f"{self.result.n_scored}/{len(self.result)}"

    def facts(self) -> dict[str, Any]:
        """What a JSON report says of the metric, apart from its value and interval."""
        return {
            "scored": self.result.n_scored,
            "items": len(self.result),
            "direction": self.measure.direction,
            "bounds": [bound if math.isfinite(bound) else None for bound in self.measure.bounds],
            "signature": str(self.measure.signature),
            "primary": self.is_primary,
            **({"rule": self.measure.rule} if self.measure.rule else {}),
        }
