"""The items that the file embeds if it cannot embed all: the worst, regressions, and a random sample."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
Column = Callable[[], Floats]
"""Returns one number per item."""
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


def select_items(runs: Sequence[RunData], items: JoinedItems, most: int, seed: int) -> ItemSelection:
    """Select at most `most` items: a third at random, a tenth without a score, the worst and the regressed.

    The random sample is drawn from all items, so shares in it estimate shares of all items.

    Args:
        runs: the runs.
        items: their items.
        most: how many may be embedded.
        seed: seed of the random sample.
    """
    size = len(items.ids)
    if size <= most:
        return ItemSelection(np.arange(size), None)
    goodness = _goodness(runs, items)
    why = np.zeros(size, dtype=np.uint8)
    quota = most // 3
    why[np.random.default_rng(seed).choice(size, quota, replace=False)] |= 8
    unscored = np.flatnonzero(_unscored(runs, items) & (why == 0))[: most // 10]
    why[unscored] |= 4
    left = most - int(np.count_nonzero(why))
    if len(runs) > 1:
        _add(
            why,
            [partial(_gains, first, other) for first, *others in goodness for other in others],
            2,
            left // 2,
        )
    _add(why, [column for columns in goodness for column in columns], 1, most - int(np.count_nonzero(why)))
    rows = np.flatnonzero(why)
    return ItemSelection(rows, why[rows])


def _goodness(runs: Sequence[RunData], items: JoinedItems) -> list[list[Column]]:
    """Return what computes the scores per metric of the first run and per run; negated if lower is better."""
    goodness = []
    for name, metric in runs[0].metrics.items():
        if metric.measure.item_score is None:
            continue
        sign = -1.0 if metric.measure.direction == "lower" else 1.0
        columns: list[Column] = [
            partial(_signed_scores, run.metrics[name], places, sign)
            for run, places in zip(runs, items.places.T, strict=True)
            if name in run.metrics and len(run)
        ]
        goodness.append(columns)
    return goodness


def _signed_scores(metric: Metric, places: Int64s, sign: float) -> Floats:
    return np.where(places >= 0, sign * metric.scores[places], np.nan)


def _gains(first: Column, other: Column) -> Floats:
    return other() - first()


def _add(why: npt.NDArray[np.uint8], columns: Sequence[Column], bit: int, most: int) -> None:
    """Mark the lowest items of all columns that are not marked yet.

    Items of equal score share their mean rank, so that a column of zeros and ones does not fill the quota
    with its first zeros. One column is in memory at a time.
    """
    best, total = np.full(why.size, np.inf), np.zeros(why.size)
    for make in columns if most > 0 else ():
        column = make()
        if np.nanmax(column, initial=-1) > np.nanmin(column, initial=1):
            ranks = _ranks(column)
            np.minimum(best, ranks, out=best)
            total += np.where(np.isinf(ranks), why.size, ranks)
    order = np.lexsort((total, best))
    fresh = order[(why[order] == 0) & np.isfinite(best[order])]
    why[fresh[: max(0, most)]] |= bit


def _ranks(column: Floats) -> Floats:
    """Return ranks from 1; equal values share their mean rank; infinite where there is no value.

    Equal to `scipy.stats.rankdata`, whose import takes longer than this.
    """
    known = ~np.isnan(column)
    _, places, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ranks = np.full(len(column), np.inf)
    ranks[known] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def _unscored(runs: Sequence[RunData], items: JoinedItems) -> npt.NDArray[np.bool_]:
    """Find the items of a run without a score of one of its metrics."""
    unscored = np.zeros(len(items.ids), dtype=bool)
    for run, places in zip(runs, items.places.T, strict=True):
        for result in run.results:
            missing = ~result.scored
            unscored |= (places >= 0) & (missing[places] if len(missing) else False)
    return unscored
