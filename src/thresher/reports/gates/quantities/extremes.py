"""The lowest and the highest item score: `min(faithfulness)>=0.3`, `max(latency)<=20`."""

from dataclasses import dataclass

from thresher.kernels.inference import Target
from thresher.reports.gates.grammar import Mask
from thresher.reports.gates.quantities.base import ExactQuantity, register


@register
@dataclass(frozen=True)
class LowestScore(ExactQuantity):
    """The lowest item score."""

    keyword = "min"
    wording = "lowest {}"
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:
        """Return the lowest score of the scored items."""
        return float(target.result.item_scores(target.name)[target.mask & items].min())


@register
@dataclass(frozen=True)
class HighestScore(ExactQuantity):
    """The highest item score."""

    keyword = "max"
    wording = "highest {}"
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:
        """Return the highest score of the scored items."""
        return float(target.result.item_scores(target.name)[target.mask & items].max())
