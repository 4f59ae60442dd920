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
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:  # noqa: ARG002 (only scored items count)
        """Return the lowest score."""
        return float(target.result.item_scores(target.name)[target.mask].min())

    def subject(self, metric: str) -> str:
        """Return the words for the lowest score."""
        return f"lowest {metric}"


@register
@dataclass(frozen=True)
class HighestScore(ExactQuantity):
    """The highest item score."""

    keyword = "max"
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:  # noqa: ARG002 (only scored items count)
        """Return the highest score."""
        return float(target.result.item_scores(target.name)[target.mask].max())

    def subject(self, metric: str) -> str:
        """Return the words for the highest score."""
        return f"highest {metric}"
