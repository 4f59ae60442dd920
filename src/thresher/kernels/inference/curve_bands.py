"""Bands around the curves of a breakdown: an interval at each point, from resampled items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.resampling import draw_weights
from thresher.kernels.inference.spread import tails
from thresher.results import Breakdown, Detail, Statistics

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Line = tuple[Any, ...]
"""The keys of a line: all but the last of its breakdown."""
BAND_DRAWS = 100
"""Draws for the standard errors of a band, which are then known to 7 %."""
_GRID = 41
_SEEN = 0.9
"""A point has an interval if this share of the draws reaches it."""


@dataclass(frozen=True, eq=False)
class CurveBand:
    """An interval for each of some points of one line.

    Attributes:
        x: places of the points.
        low: lower ends; NaN where too few draws reach the point.
        high: upper ends.
    """

    x: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class CurvePair:
    """Two columns of a breakdown that are drawn against each other.

    Attributes:
        up: the vertical one, a share.
        across: the horizontal one.
        by_key: whether points are compared by the last key (the bins of a reliability curve), instead of at
            equal places of `across`.
    """

    up: str
    across: str
    by_key: bool = False


def curve_bands(
    breakdown: Breakdown,
    statistics: Statistics,
    pair: CurvePair,
    units: Codes | None = None,
    *,
    level: float = LEVEL,
    draws: int = BAND_DRAWS,
    seed: int = SEED,
) -> dict[Line, CurveBand]:
    """Return the band of each line of a curve.

    The level holds at each point by itself, not for the whole curve at once.

    Formula: standard error of `up` at a fixed `across` over draws of items with replacement, straight lines
        between the points of a draw; limits with one more item for this error

    Args:
        breakdown: the curve.
        statistics: its statistics, of scored items.
        pair: what is drawn.
        units: per item the unit that is drawn as a whole, for clusters and repeats; None for items.
        level: share of the intervals that contain the value, at each point.
        draws: number of draws.
        seed: seed of the draws.
    """
    size = statistics.size
    whole = breakdown(statistics, np.ones(size))
    places = {line: _places(points, pair) for line, points in _lines(whole, pair).items()}
    values = {line: np.full((draws, len(places[line])), np.nan) for line in places}
    for draw, weights in enumerate(_weights(size, units, draws, seed)):
        for line, points in _lines(breakdown(statistics, weights), pair).items():
            if line in values:
                values[line][draw] = _at(points, places[line], pair)
    support = _support(whole, statistics)
    return {
        line: _band(points, values[line], pair, (level, support.get(line, float(size))))
        for line, points in _lines(whole, pair).items()
    }


def _weights(size: int, units: Codes | None, draws: int, seed: int) -> Iterator[Floats]:
    """Weights of the items of each draw."""
    number = size if units is None else int(units.max(initial=-1)) + 1
    for block in draw_weights(number, draws, seed):
        yield from block if units is None else block[:, units]


@dataclass(frozen=True, eq=False)
class _Points:
    """The points of one line that have numbers: last key, place and height."""

    key: Floats
    x: Floats
    y: Floats


def _lines(detail: Detail, pair: CurvePair) -> dict[Line, _Points]:
    *leading, last = detail.keys
    names = list(zip(*(detail.columns[name] for name in leading), strict=True)) if leading else None
    columns = [np.array(detail.columns[name], dtype=np.float64) for name in (last, pair.across, pair.up)]
    rows: dict[Line, list[int]] = {}
    known = np.isfinite(columns[1]) & np.isfinite(columns[2])
    for row in np.flatnonzero(known).tolist():
        rows.setdefault(() if names is None else names[row], []).append(row)
    return {line: _Points(*(column[places] for column in columns)) for line, places in rows.items()}


def _places(points: _Points, pair: CurvePair) -> Floats:
    """Where the line gets intervals: its own keys, or evenly along the axis."""
    if pair.by_key:
        return points.key
    return np.linspace(points.x.min(), points.x.max(), _GRID)


def _at(points: _Points, places: Floats, pair: CurvePair) -> Floats:
    """Heights of a line at these places; NaN beyond its ends."""
    if pair.by_key:
        heights = dict(zip(points.key.tolist(), points.y.tolist(), strict=True))
        return np.array([heights.get(key, np.nan) for key in places.tolist()])
    order = np.lexsort((-points.y, points.x))  # the highest of several points above each other
    x, first = np.unique(points.x[order], return_index=True)
    return np.interp(places, x, points.y[order][first], left=np.nan, right=np.nan)


def _band(points: _Points, values: Floats, pair: CurvePair, facts: tuple[float, Any]) -> CurveBand:
    level, support = facts
    places = _places(points, pair)
    centre = _at(points, places, pair)
    seen = np.isfinite(values).mean(axis=0) >= _SEEN
    support = np.broadcast_to(np.asarray(support, dtype=np.float64), centre.shape)
    ends = np.full((len(centre), 2), np.nan)
    for at in np.flatnonzero(seen & np.isfinite(centre)).tolist():
        drawn = values[:, at][np.isfinite(values[:, at])]
        _, skewness = tails(drawn - drawn.mean())
        error, units = float(drawn.std(ddof=1)), max(1.0, float(support[at]))
        sums = UnitSums.of_error(float(centre[at]), error, units, skewness)
        ends[at] = OneMore(sums, (0.0, 1.0)).limits(level)
    return CurveBand(points.x if pair.by_key else places, ends[:, 0], ends[:, 1])


def _support(detail: Detail, statistics: Statistics) -> Mapping[Line, Any]:
    """How many items a share of a line is of, for points at which all draws agree."""
    *leading, _ = detail.keys
    if "decisions" in detail.columns:
        return {(): np.array(detail.columns["decisions"], dtype=np.float64)}
    truths = statistics.ragged.get("truths")
    if truths is None or "label" not in truths or leading != ["key", "label"]:
        return {}
    counts = np.bincount(truths["label"][truths["label"] >= 0], minlength=len(statistics.labels))
    return {
        (label.key, label.value): float(count)
        for label, count in zip(statistics.labels, counts.tolist(), strict=True)
    }
