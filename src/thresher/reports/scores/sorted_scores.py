"""Scores in ascending order, as distinct values with counts: quantiles, counts below a value, and ranks."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.runs.metric import Metric
from thresher.reports.scores.score_blocks import score_blocks
from thresher.results import Statistics

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
ScoreBlocks = Iterator[tuple[slice, list[Floats]]]
_HALF = 0.5


class SortedScores:
    """Distinct scores in ascending order, and how many scores there are up to each of them.

    Args:
        values: the distinct scores.
        ends: for each, the number of scores that are at most as high.
        total: the sum of all scores.

    >>> scores = SortedScores.of(np.array([0.5, 0.0, 0.5, 1.0]))
    >>> scores.count, scores.below(0.5), scores.quantile(0.5), scores.ranks(np.array([0.5]))
    (4, 1, 0.5, array([2.5]))
    """

    def __init__(self, values: Floats, ends: Int64s, total: float = 0.0) -> None:
        self.values, self.ends, self.total = values, ends, total

    @classmethod
    def of(cls, scores: Floats) -> "SortedScores":
        """Sort scores without NaN."""
        values, counts = np.unique(scores, return_counts=True)
        return cls(values, np.cumsum(counts), float(scores.sum()))

    @property
    def count(self) -> int:
        """Number of scores."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def mean(self) -> float:
        """The mean of all scores; NaN without any."""
        return self.total / self.count if self.count else float("nan")

    @property
    def is_binary(self) -> bool:
        """Whether there are both zeros and ones, and no other scores."""
        return len(self.values) == 2 and [self.values[0], self.values[1]] == [0, 1]  # noqa: PLR2004

    def at(self, place: int) -> float:
        """The score at a place in ascending order, from 0."""
        return float(self.values[np.searchsorted(self.ends, place, "right")])

    def below(self, bar: float) -> int:
        """Number of scores less than `bar`."""
        return self._end(int(np.searchsorted(self.values, bar)))

    def up_to(self, bar: float) -> int:
        """Number of scores of at most `bar`."""
        return self._end(int(np.searchsorted(self.values, bar, "right")))

    def quantile(self, share: float) -> float:
        """Interpolate linearly between neighbouring scores, as `numpy.quantile` does."""
        place = (self.count - 1) * share
        low = min(int(place), self.count - 1)
        start, end = self.at(low), self.at(min(low + 1, self.count - 1))
        part = place - low
        return start + (end - start) * part if part < _HALF else end - (end - start) * (1 - part)

    def histogram(self, edges: Sequence[float]) -> list[int]:
        """Count the scores between neighbouring edges; the upper edge belongs to the last bin alone."""
        ends = [*map(self.below, edges[:-1]), self.up_to(edges[-1])]
        return [end - start for start, end in pairwise(ends)]

    @property
    def median(self) -> float:
        """The middle score, or the mean of the two in the middle."""
        return (self.at((self.count - 1) // 2) + self.at(self.count // 2)) / 2

    def ranks(self, scores: Floats) -> Floats:
        """Ranks of scores that are among these, from 1; infinite for NaN.

        Equal scores share the mean of their ranks, as in `scipy.stats.rankdata`, whose import takes longer
        than this.
        """
        known = ~np.isnan(scores)
        means = (self.ends + 1 + np.append(0, self.ends[:-1])) / 2
        ranks = np.full(len(scores), np.inf)
        ranks[known] = means[np.searchsorted(self.values, scores[known])]
        return ranks

    def _end(self, place: int) -> int:
        return int(self.ends[place - 1]) if place else 0


def sorted_scores(metrics: Sequence[Metric]) -> list[SortedScores]:
    """Return the sorted scores of metrics that score items, of runs of equal size.

    They stay with the statistics of the metrics, so that each run is read once for all sections of a page.
    """
    lacking = {_key(metric): metric for metric in metrics if _known(metric) is None}
    missing = list(lacking.values())
    for metric, scores in zip(missing, sort_columns(score_blocks(missing)), strict=True):
        metric.result.statistics.add_total(_total_key(metric), scores)
    return [_known(metric) for metric in metrics]


def sort_columns(blocks: ScoreBlocks) -> list[SortedScores]:
    """Sort columns of scores that are read block by block.

    Args:
        blocks: positions of the items, and for each column their scores, NaN if missing.
    """
    counters: list[_Counter] = []
    for _, columns in blocks:
        counters = counters or [_Counter() for _ in columns]
        for counter, scores in zip(counters, columns, strict=True):
            counter.add(scores[~np.isnan(scores)])
    return [counter.sorted_scores() for counter in counters]


class _Counter:
    """Counts distinct scores; they are merged whenever as many wait, so that equal ones take no memory."""

    def __init__(self) -> None:
        self._total = 0.0
        self._values, self._counts = np.zeros(0), np.zeros(0, np.int64)
        self._waiting: list[Floats] = []
        self._size = 0

    def add(self, scores: Floats) -> None:
        """Add some scores."""
        self._total += float(scores.sum())
        self._waiting.append(scores)
        self._size += len(scores)
        if self._size > max(Statistics.WHOLE, len(self._values)):
            self._merge()

    def sorted_scores(self) -> SortedScores:
        """Return the sorted scores."""
        self._merge()
        return SortedScores(self._values, np.cumsum(self._counts), self._total)

    def _merge(self) -> None:
        values, counts = np.unique(np.concatenate(self._waiting or [np.zeros(0)]), return_counts=True)
        every = np.union1d(self._values, values)
        merged = np.zeros(len(every), np.int64)
        merged[np.searchsorted(every, self._values)] = self._counts
        merged[np.searchsorted(every, values)] += counts
        self._values, self._counts, self._waiting, self._size = every, merged, [], 0


def _key(metric: Metric) -> tuple[object, object]:
    return metric.result.statistics.identity, metric.measure.item_score


def _total_key(metric: Metric) -> tuple[str, object]:
    return "sorted scores", metric.measure.item_score


def _known(metric: Metric) -> Any:
    return metric.result.statistics.known_total(_total_key(metric))
