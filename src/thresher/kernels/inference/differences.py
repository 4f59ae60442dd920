"""The paired difference of two runs over the same items, by the procedure that fits the measure."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.estimate import group_sizes, mean_scores, on_whole_scale, value_of
from thresher.kernels.inference.few_differ import adjusted_clusters, adjusted_spread, with_two_more
from thresher.kernels.inference.gains import FEW, Gains
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.paired_spread import PairedDifference
from thresher.kernels.inference.paired_tests import item_swap, mcnemar, sign_flip
from thresher.kernels.inference.resampling import ERROR_DRAWS, bootstrap_spread, bootstrap_values
from thresher.kernels.inference.shares import largest_value, unit_share
from thresher.kernels.inference.spread import FEWEST, Spread, mean_spread, spread_of
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import Mean, Statistics
from thresher.results.masks import mask_digest

Floats = npt.NDArray[np.float64]
FEW_DIFFERING = 20
"""With fewer items (or clusters) that differ among ties, the t interval is too short.

If about 5 of 200 items differ, it contains the true value in 90 to 95 % of samples, if about 20 differ in
94 to 95 %; with two items more in 100 and 98 % (4,000 simulations). Clusters: `benchmarks/inference.py
--only few-clusters`.
"""
TIED_SHARE = 0.5
"""The cluster t interval is too short if clusters that do not differ hold more than this share of items: it
contained the true value in 39 to 91 % of samples where 8 % of the clusters lose items
(`benchmarks/inference.py --only few-clusters`). The share itself is a choice: most items then say nothing
about the spread of those that differ."""
SWAPS = 1000
"""Fewer than sign flips, because each swap computes the whole reduction: p = 0.05 is then known to 0.7
points."""
_ROUNDING = 1e-9
"""Standard errors below this share of the largest difference are rounding errors of 0."""


def paired_difference(first: Target, second: Target, units: Units, seed: int) -> PairedDifference:
    """Second minus first over the rows of `units`, by the procedure that fits the measure."""
    low, high = first.measure.bounds
    difference = _difference(first, second, units, seed)
    return replace(difference, reach=min(difference.reach, high - low))


def _difference(first: Target, second: Target, units: Units, seed: int) -> PairedDifference:
    means = all(isinstance(target.measure.reduction, Mean) for target in (first, second))
    gains = gains_of(first, second, units) if means else None
    if gains is None:
        return _of_values(first, second, units, seed)
    bounds = first.measure.bounds
    binary = gains.binary and on_whole_scale(bounds)
    if units.size < FEWEST:
        return _unknown(gains.mean, gains, binary=binary)
    if binary and units.cluster is None:
        return _of_rates(gains)
    bounded = bool(np.isfinite(bounds).all())
    low, high = bounds if bounded else (gains.low, gains.high)
    # Without bounds an item may lose what the largest score has; the range of a few scores is too short.
    reach = high - low if bounded else max(abs(low), abs(high))
    if units.cluster is not None:
        return _of_clusters(first, second, units, gains, (high - low, reach), binary=binary)
    return replace(_of_means(gains, high - low, seed), guarded=adjusted_spread(gains, reach))


def score_columns(first: Target, second: Target) -> tuple[str, str] | None:
    """The statistics of both runs that are averaged, else those with item scores; None without scores."""
    one, other = first.measure, second.measure
    if isinstance(one.reduction, Mean) and isinstance(other.reduction, Mean):
        return one.reduction.column, other.reduction.column
    return None if one.item_score is None or other.item_score is None else (one.item_score, other.item_score)


def gains_of(first: Target, second: Target, units: Units) -> Gains | None:
    """Differences of item scores over the rows of `units`, repeats averaged first; None without scores."""
    columns = score_columns(first, second)
    if columns is None:
        return None
    if units.item is not None:
        both = zip((first, second), columns, strict=True)
        scores = [
            units.averaged(target.result.statistics.column(column)[units.mask]) for target, column in both
        ]
        return Gains.of(scores[0], scores[1])
    gains: Gains = first.result.statistics.total(
        gains_key(second, columns, units.mask),
        lambda: Gains.merged(
            block_gains(one, other, columns)
            for one, other in zip(first.blocks(units.mask), second.blocks(units.mask), strict=True)
        ),
    )
    return gains


def block_gains(first: Statistics, second: Statistics, columns: tuple[str, str]) -> Gains:
    """Differences of the items of one block."""
    one, other = (
        block[column].astype(np.float64, copy=False)
        for block, column in zip((first, second), columns, strict=True)
    )
    return Gains.of(one, other)


def gains_key(second: Target, columns: tuple[str, str], mask: npt.NDArray[np.bool_]) -> tuple[object, ...]:
    """Key of the differences to another run among the totals of the statistics of the first."""
    return "gains", second.result.statistics.identity, columns, mask_digest(mask)


def _of_rates(gains: Gains) -> PairedDifference:
    adjusted = adjusted_spread(gains, 1.0)
    spread = replace(adjusted, value=gains.mean)
    return PairedDifference(
        spread,
        adjusted.value,
        "bonett-price",
        exact=mcnemar(gains.above, gains.below),
        exact_test="mcnemar mid-p",
        gains=gains,
        binary=True,
        reach=1.0,
    )


def _of_means(gains: Gains, span: float, seed: int) -> PairedDifference:
    spread, centre, method = spread_of(gains.moments), gains.mean, "paired t"
    if gains.differ < min(FEW_DIFFERING, gains.items) or _is_zero(spread, gains):
        adjusted = adjusted_spread(gains, gains.largest or span)
        spread, centre, method = replace(adjusted, value=centre), adjusted.value, "adjusted"
    exact = sign_flip(gains.differing, seed=seed) if gains.differ < FEW else math.nan
    return PairedDifference(spread, centre, method, exact, "sign flip", gains)


def _of_clusters(
    first: Target, second: Target, units: Units, gains: Gains, spans: tuple[float, float], *, binary: bool
) -> PairedDifference:
    """A mean difference; without an exact test, because the degrees of freedom reflect the clusters.

    `spans` are the range of the scores and the largest possible difference.
    """
    scores, cluster, sizes = (
        [mean_scores(target, units) for target in (first, second)],
        units.cluster,
        units.sizes,
    )
    if scores[0] is None or scores[1] is None or cluster is None:
        raise ValueError("clusters of differences need means and clusters")
    differences, clusters = scores[1] - scores[0], len(sizes)
    spread, method = mean_spread(differences, cluster, clusters), "cluster-t"
    centre = spread.value
    differ = np.bincount(cluster[differences != 0], minlength=clusters) > 0
    sums = np.asarray(np.bincount(cluster, differences, clusters), dtype=np.float64)
    span, reach = spans
    if _few_clusters(differ, sizes) or _is_zero(spread, gains):
        adjusted = adjusted_clusters(sums, sizes, _reach(sums / sizes, span))
        adjusted = adjusted.at_least(spread_of(gains.moments))
        spread, centre, method = replace(adjusted, value=centre), adjusted.value, "cluster-adjusted"
    guarded = replace(adjusted_clusters(sums, sizes, reach), kurtosis=0.0)
    return PairedDifference(spread, centre, method, gains=gains, binary=binary, guarded=guarded)


def _few_clusters(differ: npt.NDArray[np.bool_], sizes: Floats) -> bool:
    """Whether few clusters contain a difference and most items are in clusters that contain none."""
    tied = float(sizes[~differ].sum() / sizes.sum())
    return int(np.count_nonzero(differ)) < FEW_DIFFERING and tied > TIED_SHARE


def _is_zero(spread: Spread, gains: Gains) -> bool:
    """Whether all items differ by the same amount, except for rounding."""
    return spread.standard_error <= _ROUNDING * gains.largest


def _reach(differences: Floats, span: float) -> float:
    """The largest mean difference of a cluster; the range of the scores if nothing differs."""
    return float(np.abs(differences).max(initial=0.0)) or span


def _of_values(first: Target, second: Target, units: Units, seed: int) -> PairedDifference:
    """A difference of values that are not means: the same units are left out of, or drawn for, both runs."""
    values = [value_of(target, units) for target in (first, second)]
    value = values[1] - values[0]
    if units.size < FEWEST:
        return _unknown(value, None, binary=False)
    smooth = first.measure.reduction.smooth
    spread_of = _jackknifed if smooth else _resampled
    spread, name = spread_of(value, first, second, units, seed), "jackknife" if smooth else "bootstrap"
    if units.cluster is not None:
        spread, name = (
            spread.at_least(spread_of(value, first, second, units.unclustered, seed)),
            f"cluster-{name}",
        )
    guarded = _guarded(spread, (first, second), values, units, seed)
    low, high = first.measure.bounds
    if spread.known and not spread.standard_error and math.isfinite(high - low):
        spread, name = _of_no_variance(value, units, high - low), name.replace("jackknife", "adjusted")
    comparable = first.measure.reduction == second.measure.reduction and not math.isnan(value)
    few = units.size < FEW and units.clusters is None and comparable
    exact = item_swap(first, second, units, SWAPS, seed) if few else math.nan
    return PairedDifference(spread, value, name, exact, "item swap", guarded=guarded)


def _guarded(
    spread: Spread, targets: tuple[Target, Target], values: list[float], units: Units, seed: int
) -> Spread | None:
    """The spread with a gain and a loss of everything; without bounds, of the largest value."""
    measure = targets[0].measure
    if not measure.reduction.by_share or not spread.known:
        return None
    low, high = measure.bounds
    reach = measure.reduction.item_reach(targets[0].result.statistics, units.weights, high - low)
    if not math.isfinite(reach):
        reach = max(map(abs, (*values, *(largest_value(target, units) for target in targets))))
    share, sizes = unit_share(targets[0], units, seed), None if units.cluster is None else units.sizes
    return with_two_more(spread, share, reach, sizes)


def _of_no_variance(value: float, units: Units, span: float) -> Spread:
    """The spread if leaving out units changes nothing: two units are added, a win and a loss of `span`."""
    spread = adjusted_clusters(np.zeros(units.size), units.sizes, span)
    return replace(spread, value=value, degrees=spread.degrees if units.clusters else math.inf)


def _jackknifed(value: float, first: Target, second: Target, units: Units, seed: int) -> Spread:
    group, groups = jackknife_groups(units.size, seed)
    without = [unit_statistic(target, units).leaving_out(group, groups) for target in (first, second)]
    return jackknife_spread(value, without[1] - without[0], group_sizes(units, group, groups))


def _resampled(value: float, first: Target, second: Target, units: Units, seed: int) -> Spread:
    statistics = [unit_statistic(target, units) for target in (first, second)]
    draws = bootstrap_values(statistics, units.size, ERROR_DRAWS, seed)
    return bootstrap_spread(value, draws[1] - draws[0], units.sizes)


def _unknown(value: float, gains: Gains | None, *, binary: bool) -> PairedDifference:
    return PairedDifference(Spread(value, math.nan, 0), value, "none", gains=gains, binary=binary)
