"""Further measures of the statistics that a judged metric keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.components._contract import outputs
from thresher.results import Mean, Measure, MetricResult, Reduction
from thresher.results.measure import Direction


@dataclass(frozen=True)
class Extra:
    """A measure beside the headline, called `<name>_<suffix>`.

    Attributes:
        suffix: what is put behind the metric's name.
        column: the statistic that is each item's own score; empty where items have none.
        reduction: how the value follows; the mean of the column by default.
        direction: whether higher or lower is better.
        bounds: lowest and highest possible value.
    """

    suffix: str
    column: str = ""
    reduction: Reduction | None = None
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)

    def beside(self, headline: Measure) -> Measure:
        """The measure, with the headline's settings."""
        return Measure(
            replace(headline.signature, metric=f"{headline.name}_{self.suffix}"),
            reduction=self.reduction or Mean(self.column),
            item_score=self.column or None,
            direction=self.direction,
            bounds=self.bounds,
        )


def with_measures(told: dict[str, Any], extra: Sequence[Extra]) -> dict[str, Any]:
    """A component's outputs with further measures in their result.

    Args:
        told: what `judged` returned.
        extra: the measures; their columns are counts that every item keeps.
    """
    result: MetricResult = told["result"]
    measures = [*result.measures, *(each.beside(result.measures[0]) for each in extra)]
    return {
        **told,
        **outputs(MetricResult(measures, result.statistics, result.status, result.reasons, result.evidence)),
    }
