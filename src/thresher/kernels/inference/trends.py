"""Alarm for a measure that falls over runs: a cumulative sum against the level of the first runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.distributions import critical, normal_quantile
from thresher.kernels.inference.interval import LEVEL, Interval

FEWEST_REFERENCE = 20
"""Fewer runs do not show how runs of an unchanged system scatter: no rate of false alarms could be stated."""
FALSE_ALARMS_PER_YEAR, RUNS_PER_YEAR = 0.5, 365
_SLACK = 0.5
_LARGEST_STEP = 0.5
"""Most that one run adds, as a share of the limit: one or two odd runs, such as nights with an outage, do not alarm."""
_OVERSHOOT = 2.0
"""The sum stays within this of the limit, so that an alarm ends about four runs after the measure recovered."""
_LIMIT_OF_REFERENCE = 0.75
"""Confidence of the limits of level and scatter: few runs know both badly (`benchmarks/trends.py`)."""
_MOST_ALIKE = 0.8
_QUICK = 10


@dataclass(frozen=True)
class Watch:
    """What the runs after the reference show.

    Attributes:
        reference: number of reference runs.
        level: mean of their values.
        scatter: standard deviation of one run as an upper limit, enlarged where neighbouring runs are alike.
        autocorrelation: correlation of neighbouring reference runs, 0 to 0.8.
        sums: the cumulative sum after each run since, in units of the scatter.
        limit: the alarm is on while the sum is larger.
        noticed: size of a fall that is usually found within about ten runs.
        since: position of the first run of the fall; None without an alarm.
        fall: mean of the reference minus mean of the runs since, for measures where lower is better the reverse; NaN
            without an alarm.
        interval: of the fall; None without an alarm, or if all runs of the reference are equal.
    """

    reference: int
    level: float
    scatter: float
    autocorrelation: float
    sums: tuple[float, ...]
    limit: float
    noticed: float
    since: int | None = None
    fall: float = math.nan
    interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        numbers = ("reference", "level", "scatter", "autocorrelation", "sums", "limit", "noticed")
        fall = None if self.since is None else self.fall
        interval = None if self.interval is None else self.interval.to_dict()
        return {name: getattr(self, name) for name in numbers} | {"fall": fall, "interval": interval}


def watch(
    values: Sequence[float],
    *,
    higher: bool = True,
    reference: int = FEWEST_REFERENCE,
    false_alarms: float = FALSE_ALARMS_PER_YEAR,
    runs_per_year: float = RUNS_PER_YEAR,
    level: float = LEVEL,
) -> Watch | None:
    """Watch the values of runs for a lasting fall below the first runs.

    The unit is the scatter of run values, not of items: a judge or provider "of the day" moves all items of a
    run at once, which no test between items can tell from a change of the system.

    Formula: S = max(0, S + min(h / 2, (m - x) / s - 0.5)), an alarm where S > h. m and s are 75 % limits of the mean
        and the standard deviation of the reference; s contains sqrt((1 + r) / (1 - r)) for a lag-one
        autocorrelation r. h gives runs per year / false alarms per year = 2 (e^b - b - 1), b = h + 1.166. The
        fall began where its mean times sqrt(number of runs) is largest
    Source: Page (1954), Continuous Inspection Schemes; Siegmund (1985), Sequential Analysis, for h.

    Args:
        values: values of the runs, the oldest first; those that are NaN are skipped.
        higher: whether higher is better.
        reference: number of first runs that show the level.
        false_alarms: false alarms per year of an unchanged system.
        runs_per_year: how often it is run.
        level: nominal coverage of the interval of a fall.

    Returns:
        None if there is no run after the reference.

    Raises:
        InputError: for a reference of fewer than 20 runs, and for a rate that is not between 0 and a tenth of
            the runs.

    >>> watch([0.9, 0.92] * 10 + [0.8] * 3).since
    20
    """
    from scipy.special import gammaincinv

    limit = alarm_limit(reference, false_alarms, runs_per_year)
    known = np.flatnonzero(np.isfinite(values))
    signed = np.asarray(values, dtype=np.float64)[known] * (1 if higher else -1)
    first, rest = signed[:reference], signed[reference:]
    if not len(rest):
        return None
    mean, deviations = first.mean(), first - first.mean()
    squares, alike = float(deviations @ deviations), 0.0
    if first.max() - first.min() <= 1e-12 * abs(first).max():
        squares = 0.0  # equal but for rounding
    else:  # less than it is by about 1 / n, since the mean is that of the same runs
        alike = float(deviations[1:] @ deviations[:-1]) / squares + 1 / reference
    alike = min(_MOST_ALIKE, max(0.0, alike))
    # The lower quantile of chi squared, for an upper limit of the standard deviation.
    variance = squares / (2 * gammaincinv((reference - 1) / 2, 1 - _LIMIT_OF_REFERENCE))
    scatter = math.sqrt(variance * (1 + alike) / (1 - alike))
    doubt = normal_quantile(_LIMIT_OF_REFERENCE) * scatter / math.sqrt(reference)
    unit = scatter or max(1e-9 * abs(mean), 1e-30)
    steps = np.minimum((mean - doubt - rest) / unit - _SLACK, limit * _LARGEST_STEP)
    sums, start = [0.0], 0
    for place, step in enumerate(steps.tolist(), 1):
        sums.append(min(limit + _OVERSHOOT, max(0.0, sums[-1] + step)))
        start = start if sums[-1] else place
    noticed = doubt + scatter * (_SLACK + limit / _QUICK)
    own = float(mean) * (1 if higher else -1)
    seen = Watch(reference, own, scatter, alike, tuple(sums[1:]), limit, noticed)
    if sums[-1] <= limit:
        return seen
    falls = mean - rest[start:]
    counts = np.arange(len(falls), 0, -1)
    totals = falls[::-1].cumsum()[::-1]
    at = int((totals / np.sqrt(counts)).argmax())
    fall, error = float(totals[at] / counts[at]), scatter * math.sqrt(1 / counts[at] + 1 / reference)
    half = critical(level) * error
    interval = Interval(fall - half, fall + half, level, "runs") if error else None
    return replace(seen, since=int(known[reference + start + at]), fall=fall, interval=interval)


def alarm_limit(reference: int, false_alarms: float, runs_per_year: float) -> float:
    """Return the limit of the sum for a rate of false alarms.

    Raises:
        InputError: as `watch`.

    >>> round(alarm_limit(20, 0.5, 365), 2)
    4.75
    """
    if type(reference) is not int or reference < FEWEST_REFERENCE:
        why = "fewer do not show how runs of an unchanged system scatter"
        raise InputError(f"reference={reference!r} must be at least {FEWEST_REFERENCE} runs: {why}")
    if not 0 < runs_per_year < math.inf:
        raise InputError(f"runs_per_year={runs_per_year!r} must be more than 0; give 365 for nightly runs")
    if not 0 < false_alarms <= runs_per_year / 10:
        raise InputError(
            f"false_alarms_per_year={false_alarms!r} must be more than 0 and at most a tenth of the "
            f"{counted(runs_per_year, 'run', form='g')} per year; the default is {FALSE_ALARMS_PER_YEAR}"
        )
    half, root = runs_per_year / false_alarms / 2, 1.0
    for _ in range(60):  # converges: the slope is 1 / (half + 1 + root)
        root = math.log(half + 1 + root)
    return root - 1.166
