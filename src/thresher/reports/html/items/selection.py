"""The items that the file embeds if it cannot embed all: the worst, regressions, and a random sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.html.items.ranked_items import ItemScores, first_unscored
from thresher.reports.runs.run_data import RunData

Int64s = npt.NDArray[np.int64]
REASONS = ("worst", "regression", "no score", "random sample")
"""Why an item was selected; the bits of `ItemSelection.why` in this order."""


@dataclass(frozen=True)
class ItemSelection:
    """The items to embed.

    Attributes:
        rows: their positions, in ascending order.
        why: one bit per entry of `REASONS`, per item; None if all items are embedded.
    """

    rows: Int64s
    why: npt.NDArray[np.uint8] | None

    def counts(self) -> dict[str, int]:
        """Count the items by reason; an item may count twice."""
        if self.why is None:
            return {}
        return {name: int(np.count_nonzero(self.why & 1 << bit)) for bit, name in enumerate(REASONS)}


class SelectableItems:
    """Selects a third of the items at random, a tenth without a score, the worst and the regressed.

    The random sample is drawn from all items, so shares in it estimate shares of all items.

    Args:
        runs: the runs.
        items: their items.
        most: how many items may be selected at most.
        seed: seed of the random sample.
    """

    def __init__(self, runs: Sequence[RunData], items: JoinedItems, most: int, seed: int) -> None:
        self._runs, self._items = runs, items
        self._most, self._seed = most, seed

    def select(self, most: int) -> ItemSelection:
        """Select at most `most` items, which is not more than there may be."""
        size = len(self._items.ids)
        if size <= most:
            return ItemSelection(np.arange(size), None)
        sample = np.random.default_rng(self._seed).choice(size, most // 3, replace=False)
        why = dict.fromkeys(sample.tolist(), 8)
        _add(why, self._unscored, 4, most // 10)
        if len(self._runs) > 1:
            _add(why, self._regressed, 2, (most - len(why)) // 2)
        _add(why, self._worst, 1, most - len(why))
        rows = sorted(why)
        return ItemSelection(np.array(rows, np.int64), np.array([why[row] for row in rows], np.uint8))

    @cached_property
    def _unscored(self) -> Int64s:
        return first_unscored(self._runs, self._items, self._most)

    @cached_property
    def _scores(self) -> ItemScores:
        return ItemScores(self._runs, self._items)

    @cached_property
    def _regressed(self) -> Int64s:
        return self._scores.lowest(self._scores.changes, 2 * self._most)

    @cached_property
    def _worst(self) -> Int64s:
        # As many again as may be selected, since others were selected for another reason.
        return self._scores.lowest(self._scores.scores, 2 * self._most)


def _add(why: dict[int, int], candidates: Int64s, bit: int, most: int) -> None:
    """Mark the first `most` candidates that are not marked yet."""
    fresh = (row for row in candidates.tolist() if row not in why)
    why.update(dict.fromkeys(islice(fresh, max(0, most)), bit))
