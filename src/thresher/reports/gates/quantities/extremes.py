"""The lowest and the highest item score: `min(faithfulness)>=0.3`, `max(latency)<=20`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference import Target
from thresher.reports.gates.grammar import Floats, Mask
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
        return float(np.min([scores.min() for scores in _scores(target, items)]))


@register
@dataclass(frozen=True)
class HighestScore(ExactQuantity):
    """The highest item score."""

    keyword = "max"
    wording = "highest {}"
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:
        """Return the highest score of the scored items."""
        return float(np.max([scores.max() for scores in _scores(target, items)]))


def _scores(target: Target, items: Mask) -> Iterator[Floats]:
    """Scores of the items, block by block; blocks without one of them are left out."""
    for block in target.blocks(target.mask & items):
        if block.size:
            yield block[target.measure.item_score or ""].astype(np.float64)
