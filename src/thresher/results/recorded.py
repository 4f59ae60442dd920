"""Scores that something else produced, as a metric result."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.results.measure import Direction, Measure
from thresher.results.metric_result import MetricResult
from thresher.results.reductions import Mean
from thresher.results.signature import Signature
from thresher.results.statistics import Statistics
from thresher.results.status import Status


def recorded_result(
    name: str,
    scores: Sequence[Any],
    direction: Direction = "higher",
    bounds: Sequence[float | None] | None = None,
) -> MetricResult:
    """A metric from scores that something else produced; None and NaN are items without a score.

    Raises:
        InputError: if an entry is no finite number, or the direction or a bound makes no sense.
    """
    if direction not in ("higher", "lower"):
        raise InputError(f"{name}: direction={direction!r} is unknown; choose higher or lower")
    low, high = bounds or (None, None)
    limits = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    values = [_score(name, item, entry, limits) for item, entry in enumerate(scores)]
    known = ~np.isnan(np.array(values, dtype=np.float64))
    measure = Measure(Signature.of(name, {"source": "recorded"}), Mean(), "score", direction, limits)
    reasons = dict.fromkeys(np.flatnonzero(~known).tolist(), "no score was recorded")
    status = np.where(known, Status.SCORED, Status.MISSING)
    return MetricResult([measure], Statistics({"score": np.array(values, dtype=np.float64)}), status, reasons)


def _score(name: str, item: int, entry: Any, bounds: tuple[float, float]) -> float:
    if entry is None:
        return math.nan
    if not isinstance(entry, Real) or math.isinf(entry):
        raise InputError(f"{name}: score {item} is {entry!r}; give a number, or None where there is none")
    if not math.isnan(entry) and not bounds[0] <= float(entry) <= bounds[1]:
        raise InputError(f"{name}: score {item} is {entry!r}, outside its bounds {bounds[0]} to {bounds[1]}")
    return float(entry)
