"""A value and its interval: chooses the method by the measure and names it."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import critical
from thresher.kernels.inference.interval import DRAWS, LEVEL, SEED, Interval, IntervalEstimate
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread, label_spread
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.panels import PanelMean, spread_with_judges
from thresher.kernels.inference.resampling import (
    ERROR_DRAWS,
    bootstrap_spread,
    bootstrap_values,
    percentile_interval,
)
from thresher.kernels.inference.spread import FEWEST, Spread, mean_spread, spread_of
from thresher.kernels.inference.statistic import Codes, unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.inference.wilson import bounded_interval, wilson_interval
from thresher.results import Mean, MetricResult
from thresher.results.masks import mask_digest

Floats = npt.NDArray[np.float64]
Method = Literal["auto", "bootstrap"]
_T = ("t", "wilson-t")
_PANEL = ("panel-t", "panel-wilson-t")
_JACKKNIFE = ("jackknife", "jackknife")
_BOOTSTRAP = ("bootstrap-t", "bootstrap-wilson")


def interval(
    result: MetricResult,
    measure: str | None = None,
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    method: Method = "auto",
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval | None:
    """The interval of a result's measure (default: the headline); see `estimate`."""
    target = Target(result, result.measure(measure).name)
    return estimate(
        target, level=level, clusters=clusters, repeats=repeats, method=method, draws=draws, seed=seed
    ).interval


def estimate(
    target: Target,
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    method: Method = "auto",
    draws: int = DRAWS,
    seed: int = SEED,
) -> IntervalEstimate:
    """A measure's value with standard error and interval.

    | measure | method |
    |---|---|
    | mean of 0/1 scores | `wilson` |
    | mean of scores between finite bounds | `wilson-t`: Wilson with effective items and degrees of freedom |
    | mean of scores by a panel | `panel-t`, `panel-wilson-t`: judges are a second source of variance |
    | mean of other scores | `t`; `hall-t`, longer on the side of the long tail, if they are skewed |
    | any other reduction | `jackknife`: leaves out each item, or each of 100 random groups |
    | a reduction that is not `smooth` | `bootstrap-wilson`: `wilson-t` with the bootstrap's standard error |

    With clusters the names begin with `cluster-`, and clusters replace items: CR2 variance and Bell-McCaffrey
    degrees of freedom. The bootstrap draws items or clusters and takes percentiles.

    Args:
        target: the measure and the items that count.
        level: nominal coverage, 0 to 1.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        method: `auto`, or `bootstrap` for percentiles of bootstrap draws.
        draws: number of bootstrap draws.
        seed: seed of the draws, and of the jackknife's random groups.

    Raises:
        InputError: if `clusters` or `repeats` does not fit the items.
    """
    units = Units.of(target.mask, clusters, repeats)
    if method == "bootstrap":
        return _by_bootstrap(target, units, level, draws, seed)
    if isinstance(target.measure.reduction, Mean):
        return _of_mean(target, units, level)
    smooth = target.measure.reduction.smooth
    spread = jackknifed(target, units, seed) if smooth else resampled(target, units, seed)
    names = _JACKKNIFE if smooth else _BOOTSTRAP
    return _by_spread(spread, units, target.measure.bounds, level, names)


def mean_scores(target: Target, units: Units) -> Floats | None:
    """The item scores that the measure is the mean of; None if it is not a mean."""
    reduction = target.measure.reduction
    if not isinstance(reduction, Mean):
        return None
    column = target.result.statistics.column(reduction.column)
    return units.averaged(column if units.mask.all() else column[units.mask])


def mean_moments(target: Target, units: Units) -> Moments:
    """The moments of the item scores that the measure is the mean of, repeats averaged first."""
    reduction = target.measure.reduction
    if units.item is not None or not isinstance(reduction, Mean):
        scores = mean_scores(target, units)
        return Moments() if scores is None else Moments.of(scores)
    column, key = reduction.column, moments_key(reduction, units.mask)
    moments: Moments = target.result.statistics.total(
        key,
        lambda: Moments.merged(
            Moments.of(block[column].astype(np.float64, copy=False)) for block in target.blocks(units.mask)
        ),
    )
    return moments


def moments_key(reduction: Mean, mask: npt.NDArray[np.bool_]) -> tuple[object, ...]:
    """Key of the moments of scores among the totals of the statistics."""
    return "moments", reduction.key, mask_digest(mask)


def value_of(target: Target, units: Units) -> float:
    """The measure over the units' rows, repeats averaged first; NaN without rows."""
    if not units.items:
        return math.nan
    return target.result.value(target.name, units.mask if units.item is None else units.weights)


def is_binary(scores: Floats, bounds: tuple[float, float]) -> bool:
    """Whether all scores are 0 or 1, and finite bounds of the measure are 0 and 1 too."""
    return on_whole_scale(bounds) and bool(((scores == 0) | (scores == 1)).all())


def on_whole_scale(bounds: tuple[float, float]) -> bool:
    """Whether finite bounds are 0 and 1."""
    return all(math.isinf(bound) or bound == end for bound, end in zip(bounds, (0, 1), strict=True))


def jackknifed(target: Target, units: Units, seed: int) -> Spread:
    """A measure's value and jackknife standard error."""
    value = value_of(target, units)
    if units.size < FEWEST:
        return Spread(value, math.nan, units.size - 1)
    statistic, groups = unit_statistic(target, units), jackknife_groups(units.size, seed)
    spread = jackknife_spread(value, statistic.leaving_out(*groups), group_sizes(units, *groups))
    labels = statistic.labels_leaving_out(*groups)
    whole = spread if labels is None else label_spread(spread, *labels[:3])
    return whole if units.cluster is None else whole.at_least(jackknifed(target, units.unclustered, seed))


def group_sizes(units: Units, group: Codes, groups: int) -> Floats | None:
    """Number of items in each group of clusters; None for groups of items, which have equal sizes."""
    if units.cluster is None:
        return None
    return np.asarray(np.bincount(group, units.sizes, groups), dtype=np.float64)


def resampled(target: Target, units: Units, seed: int) -> Spread:
    """A measure's value and bootstrap standard error."""
    value = value_of(target, units)
    if units.size < FEWEST:
        return Spread(value, math.nan, units.size - 1)
    (values,) = bootstrap_values([unit_statistic(target, units)], units.size, ERROR_DRAWS, seed)
    spread = bootstrap_spread(value, values, units.sizes)
    return spread if units.cluster is None else spread.at_least(resampled(target, units.unclustered, seed))


def _of_mean(target: Target, units: Units, level: float) -> IntervalEstimate:
    moments, bounds = mean_moments(target, units), target.measure.bounds
    independent = spread_of(moments)
    spread = independent
    if units.cluster is not None:
        scores = mean_scores(target, units)
        spread = mean_spread(np.zeros(0) if scores is None else scores, units.cluster, units.clusters or 0)
    effective = _effective_items(spread, independent, units)
    if isinstance(target.measure.reduction, PanelMean):
        widened = spread_with_judges(spread, target.result.statistics, units.mask)
        if widened is not spread:
            return _by_spread(widened, units, bounds, level, _PANEL, effective=effective)
    if not (moments.binary and on_whole_scale(bounds)):
        return _by_spread(spread, units, bounds, level, _T, effective=effective)
    if not spread.known:
        return _estimated(spread, units, None)
    if effective is None:
        limits = wilson_interval(spread.value, units.items, critical(level))
        return _estimated(spread, units, Interval(*limits, level, "wilson"))
    limits = _wilson_limits(spread, (0.0, 1.0), level, units.equal_units, units.equal_units)
    return _estimated(spread, units, Interval(*limits, level, "cluster-wilson"), effective)


def _effective_items(spread: Spread, independent: Spread, units: Units) -> float | None:
    """Number of independent items that would have this standard error; None without clusters."""
    if not spread.known or units.clusters is None:
        return None
    if not spread.standard_error:
        return units.equal_units
    return units.items * (independent.standard_error / spread.standard_error) ** 2


def _by_spread(
    spread: Spread,
    units: Units,
    bounds: tuple[float, float],
    level: float,
    names: tuple[str, str],
    *,
    effective: float | None = None,
) -> IntervalEstimate:
    """The t interval, or Wilson's if the bounds are finite; `names` of the two."""
    if not spread.known or math.isnan(spread.value):
        return _estimated(spread, units, None)
    prefix = "" if units.clusters is None else "cluster-"
    if not all(map(math.isfinite, bounds)):
        (low, high), name = _t_limits(spread, level, names[0])
        possible = max(low, bounds[0]), min(high, bounds[1])
        return _estimated(spread, units, Interval(*possible, level, prefix + name), effective)
    # Scores vary at most as 0/1 scores with the same mean do; other values have no such limit.
    at_least = units.equal_units if names is _T else 0.0
    limits = _wilson_limits(spread, bounds, level, units.equal_units, at_least)
    return _estimated(spread, units, Interval(*limits, level, prefix + names[1]), effective)


def _t_limits(spread: Spread, level: float, name: str) -> tuple[tuple[float, float], str]:
    if name != _T[0]:
        return replace(spread, degrees=spread.effective_degrees).limits(level), name
    return (spread.skewed_limits(level), "hall-t") if spread.skewed else (spread.limits(level), name)


def _wilson_limits(
    spread: Spread, bounds: tuple[float, float], level: float, otherwise: float, at_least: float
) -> tuple[float, float]:
    return bounded_interval(
        spread.value,
        spread.standard_error,
        bounds,
        level=level,
        degrees=spread.effective_degrees,
        otherwise=otherwise,
        at_least=at_least,
    )


def _by_bootstrap(target: Target, units: Units, level: float, draws: int, seed: int) -> IntervalEstimate:
    value = value_of(target, units)
    if units.size < FEWEST:
        return _estimated(Spread(value, math.nan, 0), units, None)
    (values,) = bootstrap_values([unit_statistic(target, units)], units.size, draws, seed)
    name = "bootstrap" if units.clusters is None else "cluster-bootstrap"
    known = values[~np.isnan(values)]
    error = float(known.std(ddof=1)) if len(known) >= FEWEST else math.nan
    interval = percentile_interval(values, units.size, level, name, seed)
    return _estimated(Spread(value, error, units.size - 1), units, interval)


def _estimated(
    spread: Spread, units: Units, interval: Interval | None, effective: float | None = None
) -> IntervalEstimate:
    equal = None if units.clusters is None or not units.items else units.equal_units
    error = spread.standard_error
    return IntervalEstimate(spread.value, interval, error, units.items, units.clusters, effective, equal)
