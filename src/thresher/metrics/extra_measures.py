"""Further measures of the statistics that a judged metric keeps."""

from dataclasses import dataclass, replace

from thresher.results import Mean, Measure, Reduction
from thresher.results.measure import Direction


@dataclass(frozen=True)
class ExtraMeasure:
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
