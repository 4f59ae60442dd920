"""The items with the lowest scores and the largest regressions, ranked in memory for one block of items."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_blocks, score_metrics
from thresher.reports.scores.sorted_scores import ScoreBlocks, SortedScores, sort_columns, sorted_scores
from thresher.results import Statistics, Status

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RankedColumn:
    """A column whose lowest scores are the worst.

    Attributes:
        read: the number of the column of scores.
        minus: the number of the column that is subtracted from it, for changes between runs.
        lower: whether high scores are the worst.
    """

    read: int
    minus: int | None = None
    lower: bool = False

    def of(self, blocks: Sequence[Floats]) -> Floats:
        """The column, from those that are read."""
        return blocks[self.read] if self.minus is None else blocks[self.read] - blocks[self.minus]

    def ranks(self, known: SortedScores, scores: Floats) -> Floats:
        """Ranks from 1 for the worst; infinite without a score."""
        ranks = known.ranks(scores)
        return np.where(np.isinf(ranks), np.inf, known.count + 1 - ranks) if self.lower else ranks


class ItemScores:
    """The scores of the items of several runs, by the metrics of the first run.

    Args:
        runs: the runs.
        items: their items.
    """

    def __init__(self, runs: Sequence[RunData], items: JoinedItems) -> None:
        self.items = items
        self._sources: list[tuple[int, Metric]] = []
        self.scores: list[RankedColumn] = []
        self.changes: list[RankedColumn] = []
        for metric in score_metrics(runs[0]):
            first, lower = len(self._sources), metric.measure.direction == "lower"
            self._sources += [
                (number, run.metrics[metric.name])
                for number, run in enumerate(runs)
                if len(run) and metric.name in {known.name for known in score_metrics(run)}
            ]
            columns = range(first, len(self._sources))
            self.scores += [RankedColumn(column, None, lower) for column in columns]
            self.changes += [RankedColumn(column, first, lower) for column in columns[1:]]

    def blocks(self) -> ScoreBlocks:
        """Read the scores block by block: positions of the items, and their scores by run and metric.

        Scores of runs with other items, or items in another order, are loaded.
        """
        if self.items.matrix is None:
            yield from score_blocks([metric for _, metric in self._sources])
            return
        loaded = [metric.scores for _, metric in self._sources]
        for rows in Statistics.ranges(len(self.items.ids)):
            places = self.items.matrix[rows]
            yield (
                rows,
                [
                    np.where(places[:, run] >= 0, scores[places[:, run]], np.nan)
                    for (run, _), scores in zip(self._sources, loaded, strict=True)
                ],
            )

    def lowest(self, columns: Sequence[RankedColumn], most: int) -> Int64s:
        """Return the items with the lowest rank in any of the columns, the worst first.

        Items of equal score share their mean rank, so that a column of zeros and ones does not consist of its
        first zeros. Among items with equal lowest rank those with the lower sum of ranks come first,
        then those at the lower position.

        Args:
            columns: the columns.
            most: how many items to return at most.
        """
        sorted_columns = zip(columns, self._sorted(columns), strict=True)
        varying = [(column, known) for column, known in sorted_columns if len(known.values) > 1]
        lowest = _Lowest(len(self.items.ids), most)
        for rows, blocks in self.blocks() if varying else ():
            lowest.add(rows, [column.ranks(known, column.of(blocks)) for column, known in varying])
        return lowest.rows

    def _sorted(self, columns: Sequence[RankedColumn]) -> list[SortedScores]:
        if self.items.matrix is None and all(column.minus is None for column in columns):
            return sorted_scores([self._sources[column.read][1] for column in columns])
        return sort_columns(
            (rows, [column.of(blocks) for column in columns]) for rows, blocks in self.blocks()
        )


class _Lowest:
    """The lowest items so far, by their best rank, the sum of their ranks, and their position."""

    def __init__(self, size: int, most: int) -> None:
        self._size, self._most = size, most
        self.rows = np.zeros(0, np.int64)
        self._best, self._total = np.zeros(0), np.zeros(0)

    def add(self, rows: slice, ranks: Sequence[Floats]) -> None:
        """Add consecutive items with their ranks in each column."""
        best = np.minimum.reduce(ranks)
        total = np.add.reduce([np.where(np.isinf(column), self._size, column) for column in ranks])
        new = np.flatnonzero(np.isfinite(best) & self._may_enter(best, total))
        best, total = np.append(self._best, best[new]), np.append(self._total, total[new])
        order = np.lexsort((total, best))[: self._most]
        self._best, self._total = best[order], total[order]
        self.rows = np.append(self.rows, rows.start + new)[order]

    def _may_enter(self, best: Floats, total: Floats) -> npt.NDArray[np.bool_]:
        """Mask of the items that are lower than the last one of a full list."""
        if len(self.rows) < self._most or not self._most:
            return np.ones(len(best), np.bool_)
        equal = best == self._best[-1]
        return np.asarray((best < self._best[-1]) | (equal & (total < self._total[-1])), dtype=np.bool_)


def first_unscored(runs: Sequence[RunData], items: JoinedItems, most: int) -> Int64s:
    """Return the first items of a run without a score of one of its metrics, at most `most`."""
    lacking = [
        (number, result)
        for number, run in enumerate(runs)
        for result in run.results
        if result.n_scored < len(result)
    ]
    rows = np.zeros(0, np.int64)
    for block in Statistics.ranges(len(items.ids)) if lacking else ():
        if len(rows) >= most:
            break
        places = items.places_of(np.arange(block.start, block.stop))
        unscored = np.zeros(len(places), np.bool_)
        for run, result in lacking:
            there = places[:, run] >= 0
            unscored[there] |= result.status[places[there, run]] != Status.SCORED
        rows = np.append(rows, block.start + np.flatnonzero(unscored))
    return rows[:most]
