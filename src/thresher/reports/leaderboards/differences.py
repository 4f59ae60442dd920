"""Differences between runs with intervals that hold together, as comparisons with verdicts."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from thresher.kernels.inference import Comparison, compare
from thresher.kernels.inference.distributions import normal_quantile
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.many_systems import Contrasts, SystemScores, against, all_pairs, contrasts
from thresher.kernels.inference.missing import bounded_by_missing
from thresher.kernels.inference.sample_sizes import POWER
from thresher.reports.leaderboards.fair_scores import FairScores
from thresher.reports.leaderboards.ordering import Ordering

METHOD = "max |t|"
_GAINS = 1e-12
"""Smaller differences of two scores are rounding errors."""
_NO_COUNTS: tuple[int | None, int | None, int | None] = None, None, None


def contrast(
    scores: SystemScores,
    rows: Contrasts,
    row: int,
    *,
    level: float,
    candidates: int = 1,
    sign: float = 1.0,
    values: tuple[float, float] = (math.nan, math.nan),
    counts: tuple[int | None, int | None, int | None] = _NO_COUNTS,
) -> Comparison:
    """One of several contrasts as a comparison, whose verdict holds together with the others.

    Args:
        scores: the measure.
        rows: the contrasts, at the level that `candidates` requires.
        row: which of them.
        level: the level of the family over all candidates.
        candidates: number of measures that could have been chosen; p-values are multiplied by it.
        sign: -1 to turn the contrast around.
        values: the values of both sides.
        counts: items won, tied and lost.
    """
    interval, error = _interval(rows, row, sign, level), float(rows.standard_error[row])
    low, high = scores.bounds
    return Comparison(
        measure=scores.measure,
        direction=scores.direction,
        items=scores.common,
        clusters=None if scores.cluster is None else int(scores.cluster.max(initial=-1)) + 1,
        first_value=values[0],
        second_value=values[1],
        difference=sign * float(rows.estimate[row]) + 0.0,
        standard_error=error,
        interval=interval,
        narrow=interval,
        p_value=float(rows.p_raw[row]),
        far_p_value=float(rows.p_raw[row]),
        visible_p=math.nan,  # the family counts what its items show
        effect=math.nan,
        effect_kind=None,
        detectable=(rows.critical + normal_quantile(POWER)) * error,
        margin=None,
        span=high - low,
        p_adjusted=_p_value(float(rows.p_adjusted[row]) * candidates, interval, level),
        wins=counts[0],
        ties=counts[1],
        losses=counts[2],
    )


def _interval(rows: Contrasts, row: int, sign: float, level: float) -> Interval | None:
    low, high = float(rows.low[row]), float(rows.high[row])
    if math.isnan(low):
        return None
    low, high = (low, high) if sign > 0 else (-high, -low)
    return Interval(low + 0.0, high + 0.0, level, METHOD)


def _p_value(p_value: float, interval: Interval | None, level: float) -> float:
    """The corrected p-value, never in favour of a difference whose interval contains 0."""
    if interval is not None and interval.low <= 0 <= interval.high:
        p_value = max(p_value, math.nextafter(1 - level, 1))
    return min(1.0, p_value)


@dataclass(frozen=True, eq=False)
class Family:
    """Differences whose intervals and p-values hold together.

    Attributes:
        fair: the values of the runs.
        ordering: the measure, and the number of measures over which statements are corrected.
        level: nominal coverage of all intervals together.
        pairs: (first, second) of each row.
        rows: second minus first.
    """

    fair: FairScores
    ordering: Ordering
    level: float
    pairs: tuple[tuple[int, int], ...]
    rows: Contrasts
    _known: dict[tuple[int, int], Comparison] = field(default_factory=dict)

    @classmethod
    def of_pairs(cls, fair: FairScores, ordering: Ordering, level: float) -> "Family":
        """Differences of all pairs."""
        size = len(fair.names)
        rows = contrasts(fair.scores, all_pairs(size), level=ordering.level(level))
        return cls(fair, ordering, level, tuple(combinations(range(size), 2)), rows)

    @classmethod
    def to_baseline(cls, fair: FairScores, ordering: Ordering, level: float, baseline: int) -> "Family":
        """Differences of all other runs to the baseline."""
        size = len(fair.names)
        rows = contrasts(fair.scores, against(size, baseline), level=ordering.level(level))
        pairs = tuple((baseline, run) for run in range(size) if run != baseline)
        return cls(fair, ordering, level, pairs, rows)

    def between(self, first: int, second: int) -> Comparison:
        """Second run minus first run, with what missing scores could make of it.

        Two runs are compared as `compare` does, which suits their measure.
        """
        if (first, second) not in self._known:
            self._known[first, second] = self._bounded(first, second)
        return self._known[first, second]

    def _bounded(self, first: int, second: int) -> Comparison:
        if len(self.fair.names) == 2:  # noqa: PLR2004
            found = self._of_two(first, second)
        elif (first, second) in self._rows:
            found = self._comparison(self._rows[first, second], 1.0, (first, second))
        else:
            found = self._comparison(self._rows[second, first], -1.0, (first, second))
        return bounded_by_missing(
            found,
            self.fair.every[first],
            self.fair.every[second],
            (self.fair.lost[first], self.fair.lost[second]),
            level=1 - (1 - self.ordering.level(self.level)) / len(self.pairs),
            **self.fair.grouping.units,
        )

    @cached_property
    def _rows(self) -> dict[tuple[int, int], int]:
        return {pair: row for row, pair in enumerate(self.pairs)}

    def _of_two(self, first: int, second: int) -> Comparison:
        targets, level, candidates = self.fair.targets, self.level, self.ordering.candidates
        one = compare(
            targets[first], targets[second], level=self.ordering.level(level), **self.fair.grouping.units
        )
        if candidates == 1:
            return one
        interval = None if one.interval is None else replace(one.interval, level=level)
        return replace(
            one, interval=interval, p_adjusted=_p_value(one.far_p_value * candidates, interval, level)
        )

    def _comparison(self, row: int, sign: float, pair: tuple[int, int]) -> Comparison:
        first, second = (float(self.fair.scores.values[run]) for run in pair)
        return contrast(
            self.fair.scores,
            self.rows,
            row,
            level=self.level,
            candidates=self.ordering.candidates,
            sign=sign,
            values=(first, second),
            counts=self._counts(pair),
        )

    def _counts(self, pair: tuple[int, int]) -> tuple[int | None, int | None, int | None]:
        """Items won, tied and lost by the second run; None for measures that are not means of items."""
        table = self.fair.scores.scores
        if table is None:
            return _NO_COUNTS
        gains = self.fair.scores.sign * (table[:, pair[1]] - table[:, pair[0]])
        wins, losses = (int(np.count_nonzero(sided > _GAINS)) for sided in (gains, -gains))
        return wins, int(np.isfinite(gains).sum()) - wins - losses, losses
