"""The share of items that have a score: `coverage(faithfulness)>=95%`."""

from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference import Target
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.decision import WorstItem
from thresher.reports.gates.grammar import Mask
from thresher.reports.gates.quantities.base import MOST_ITEMS, Check, ExactQuantity, register
from thresher.results import Measure


@register
@dataclass(frozen=True)
class Coverage(ExactQuantity):
    """The share of all items that have a score."""

    keyword = "coverage"
    wording = "coverage of {}"
    covers_unscored = True

    def bounds(self, measure: Measure) -> tuple[float, float]:  # noqa: ARG002
        """Return those of a share."""
        return 0.0, 1.0

    def number(self, target: Target, items: Mask) -> float:
        """Return the share; not defined without items."""
        return int(np.count_nonzero(target.result.scored & items)) / int(np.count_nonzero(items))

    def worst_items(self, check: Check, context: GateContext) -> tuple[WorstItem, ...]:
        """Return the first items without a score, with the reason."""
        run, result = context.run, context.run.metrics[check.metric].result
        unscored = np.flatnonzero(check.items & ~result.scored)[:MOST_ITEMS].tolist()
        return tuple(WorstItem(run.ids[item], None, reason=result.reasons.get(item)) for item in unscored)
