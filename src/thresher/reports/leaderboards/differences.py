"""Differences between runs with intervals that hold together, as comparisons with verdicts."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from thresher.kernels.inference import Comparison, compare
from thresher.kernels.inference.distributions import normal_quantile
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.many_systems import Contrasts, against, all_pairs, contrasts
from thresher.kernels.inference.verdict import POWER
from thresher.reports.leaderboards.fair_scores import FairScores
from thresher.reports.leaderboards.ordering import Ordering

METHOD = "max |t|"
_GAINS = 1e-12
"""Smaller differences of two scores are rounding errors."""


@dataclass(frozen=True, eq=False)
class Family:
    """Differences whose intervals and p-values hold together.

    Attributes:
        fair: the values of the runs.
        ordering: the measure, and from how many it was chosen.
        level: nominal coverage of all intervals together.
        pairs: (first, second) of each row.
        rows: second minus first.
    """

    fair: FairScores
    ordering: Ordering
    level: float
    pairs: tuple[tuple[int, int], ...]
    rows: Contrasts

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
        """Second run minus first run. Two runs are compared as `compare` does, which suits their measure."""
        if len(self.fair.names) == 2 and not any(self.fair.adjusted) and self.ordering.candidates == 1:  # noqa: PLR2004
            targets = self.fair.targets
            return compare(targets[first], targets[second], level=self.level, **self.fair.grouping.units)
        if (first, second) in self.pairs:
            return self._comparison(self.pairs.index((first, second)), 1.0, (first, second))
        return self._comparison(self.pairs.index((second, first)), -1.0, (first, second))

    def _comparison(self, row: int, sign: float, pair: tuple[int, int]) -> Comparison:
        scores, rows = self.fair.scores, self.rows
        interval = self._interval(row, sign)
        first, second = (float(scores.values[run]) for run in pair)
        error = float(rows.standard_error[row])
        low, high = scores.bounds
        return Comparison(
            measure=scores.measure,
            direction=scores.direction,
            items=scores.common,
            clusters=None if scores.cluster is None else int(scores.cluster.max(initial=-1)) + 1,
            first_value=first,
            second_value=second,
            difference=sign * float(rows.estimate[row]),
            standard_error=error,
            interval=interval,
            narrow=interval,
            p_value=float(rows.p_raw[row]),
            test=METHOD,
            effect=math.nan,
            effect_kind=None,
            detectable=(rows.critical + normal_quantile(POWER)) * error,
            margin=None,
            span=high - low,
            p_adjusted=self._p_value(row, interval),
            **self._counts(pair),
        )

    def _interval(self, row: int, sign: float) -> Interval | None:
        low, high = float(self.rows.low[row]), float(self.rows.high[row])
        if math.isnan(low):
            return None
        low, high = (low, high) if sign > 0 else (-high, -low)
        return Interval(low + 0.0, high + 0.0, self.level, METHOD)

    def _p_value(self, row: int, interval: Interval | None) -> float:
        """The corrected p-value, never in favour of a difference whose interval contains 0."""
        p_value = self.ordering.p_value(float(self.rows.p_adjusted[row]))
        if interval is not None and interval.low <= 0 <= interval.high:
            return max(p_value, math.nextafter(1 - self.level, 1))
        return p_value

    def _counts(self, pair: tuple[int, int]) -> dict[str, int | None]:
        """Items won, tied and lost by the second run; None for measures that are not means of items."""
        table = self.fair.scores.scores
        if table is None:
            return {"wins": None, "ties": None, "losses": None}
        gains = self.fair.scores.sign * (table[:, pair[1]] - table[:, pair[0]])
        wins, losses = (int(np.count_nonzero(sided > _GAINS)) for sided in (gains, -gains))
        return {"wins": wins, "ties": int(np.isfinite(gains).sum()) - wins - losses, "losses": losses}
