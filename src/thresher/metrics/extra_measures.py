"""Measures of a judged metric in addition to its headline."""

from dataclasses import dataclass, replace

from thresher.results import Mean, Measure, Reduction
from thresher.results.measure import Direction


@dataclass(frozen=True)
class ExtraMeasure:
    """A measure in addition to the headline, called `<name>_<suffix>`.

    Attributes:
        suffix: end of its name.
        column: the count that is each item's own score; empty if items have none.
        reduction: how the value follows from the counts; default: the mean of the column.
        direction: whether higher or lower is better.
        bounds: lowest and highest possible value.
    """

    suffix: str
    column: str = ""
    reduction: Reduction | None = None
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)

    def measure(self, headline: Measure) -> Measure:
        """Return the measure, with the headline's settings in its signature."""
        return Measure(
            replace(headline.signature, metric=f"{headline.name}_{self.suffix}"),
            reduction=self.reduction or Mean(self.column),
            item_score=self.column or None,
            direction=self.direction,
            bounds=self.bounds,
        )
