"""Scores from elsewhere as a metric result."""

import math
from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.results.choices import check_choice
from thresher.results.measure import Direction, Measure
from thresher.results.metric_result import MetricResult
from thresher.results.reasons import NO_SCORE
from thresher.results.reductions import Mean
from thresher.results.signature import Signature
from thresher.results.statistics import Statistics
from thresher.results.status import Status

_PLAIN = {float, int, bool, type(None), np.float64}
_SHOWN = 60  # characters of a value that a message shows


def recorded_result(
    name: str,
    scores: Collection[Any],
    direction: Direction = "higher",
    bounds: Sequence[float | None] | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
) -> MetricResult:
    """Wrap scores from elsewhere in a result; None and NaN are items without a score.

    Args:
        name: name of the metric.
        scores: one per item.
        direction: whether higher or lower scores are better.
        bounds: the smallest and largest possible score.
        settings: what else changes the scores, for the signature.

    Raises:
        InputError: for an entry that is not a finite number or out of bounds, an unknown direction, and
            bounds that are not two numbers in order.
    """
    check_choice(f"{name}: direction", direction, get_args(Direction))
    limits = _limits(name, bounds)
    if isinstance(scores, str | bytes | Mapping) or not isinstance(scores, Collection):
        raise InputError(f"the scores of {name!r} are {type(scores).__name__}; give a list, one per item")
    values = _plain_scores(scores, limits)
    if values is None:
        entries = [_score(name, item, entry, limits) for item, entry in enumerate(scores)]
        values = np.array(entries, dtype=np.float64)
    known = ~np.isnan(values)
    signature = Signature.of(name, {**(settings or {}), "source": "recorded"})
    measure = Measure(signature, Mean(), "score", direction, limits)
    reasons = dict.fromkeys(np.flatnonzero(~known).tolist(), NO_SCORE)
    status = np.where(known, Status.SCORED, Status.MISSING)
    return MetricResult([measure], Statistics({"score": values}), status, reasons)


def _limits(name: str, bounds: Any) -> tuple[float, float]:
    """Smallest and largest possible score."""
    if bounds is None:
        return -math.inf, math.inf
    if isinstance(bounds, Sequence) and not isinstance(bounds, str | bytes) and len(bounds) == 2:  # noqa: PLR2004
        low = -math.inf if bounds[0] is None else _number(bounds[0])
        high = math.inf if bounds[1] is None else _number(bounds[1])
        if low is not None and high is not None and low <= high:
            return low, high
    remedy = "give [low, high], either of them None for no bound"
    raise InputError(f"{name}: bounds={bounds!r} are not two numbers, the lower one first; {remedy}")


def _plain_scores(scores: Collection[Any], bounds: tuple[float, float]) -> npt.NDArray[np.float64] | None:
    """Scores of built-in types, converted at once; None if any score has another type or is wrong."""
    if not _PLAIN.issuperset(map(type, scores)):
        return None
    try:
        values = np.array(list(scores), dtype=np.float64)
    except OverflowError:
        return None
    wrong = np.isinf(values) | (values < bounds[0]) | (values > bounds[1])
    return None if wrong.any() else values


def _score(name: str, item: int, entry: Any, bounds: tuple[float, float]) -> float:
    score = math.nan if entry is None else _number(entry)
    if score is None or math.isinf(score):
        raise InputError(f"{name}[{item}] is {_shown(entry)}; give a number, or None for a missing score")
    if not math.isnan(score) and not bounds[0] <= score <= bounds[1]:
        raise InputError(f"{name}[{item}] is {entry!r}, outside its bounds {bounds[0]} to {bounds[1]}")
    return score


def _number(value: Any) -> float | None:
    """The value as a float; None if it is not a number, or too large for a float."""
    try:
        return float(value) if isinstance(value, Real) else None
    except OverflowError:
        return None


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python prints
        return "a number that is too large"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
