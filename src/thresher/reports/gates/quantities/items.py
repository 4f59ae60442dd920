"""The share of items that reach a threshold: `items(valor_faithfulness>=0.5)>=95%`."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from thresher.kernels.inference import Target
from thresher.reports.gates.grammar import Floats, RequirementReader, Threshold
from thresher.reports.gates.quantities.base import Quantity, register
from thresher.reports.scores.derived_scores import COLUMN, derived_result
from thresher.results import Mean, Measure, Signature


@register
@dataclass(frozen=True)
class ShareOfItems(Quantity):
    """The share of the scored items that reach a threshold.

    Attributes:
        item_threshold: the threshold of one item.
    """

    item_threshold: Threshold = field(kw_only=True)
    keyword = "items"
    needs_item_scores = True

    @classmethod
    def parse(cls, reader: RequirementReader) -> Self:
        """Read `items(name [slice] operator number)`."""
        reader.expect(cls.keyword)
        reader.expect("(")
        name, part = reader.name(), reader.slice()
        threshold = Threshold(reader.operator(), reader.number())
        reader.expect(")")
        return cls((name,), part, item_threshold=threshold)

    def bounds(self, measure: Measure) -> tuple[float, float]:  # noqa: ARG002
        """Return those of a share."""
        return 0.0, 1.0

    def derived(self, target: Target) -> Target:
        """Return a measure that is 1 for each item that reaches the threshold and 0 for the others."""
        name = self.wording_for(target.name)
        measure = Measure(Signature.of(name, {}), Mean(COLUMN), COLUMN, "higher", (0.0, 1.0))
        result = derived_result(target.result, target.name, measure, self._reached)
        return Target(result, name, target.counted)

    def _reached(self, scores: Floats) -> Floats:
        return self.item_threshold.reached(scores).astype(np.float64)

    def wording_for(self, metric: str) -> str:
        """Return e.g. `share of items with recall>=0.5`."""
        return f"share of items with {metric}{self.item_threshold}"

    def item_ranks(self, scores: Floats, before: Floats | None, threshold: Threshold) -> Floats:
        """Rank by the distance to the items' threshold, or by the change away from it."""
        if before is None:
            return scores if self.item_threshold.upwards else -scores
        sign = 1.0 if threshold.upwards == self.item_threshold.upwards else -1.0
        change = sign * (scores - before)
        return np.where(change < 0, change, np.nan)
