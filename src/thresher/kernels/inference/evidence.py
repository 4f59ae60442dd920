"""What the units of a sample show of a value, or of the difference of two: one rule for each kind of measure.

| measure | rule |
|---|---|
| between finite bounds | `one-more`: one more unit at a bound; values that are not means by jackknife influences |
| without finite bounds | `t-hall`: the longer of t's and Hall's limits on each side |
| not `smooth`, such as a quantile | `draws`: values under random exponential weights, with one more unit |
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from thresher.kernels.inference.distributions import critical
from thresher.kernels.inference.gains import KEPT, gains_of
from thresher.kernels.inference.interval import LEVEL, Interval
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import Bounds, Floats, OneMore, UnitSums
from thresher.kernels.inference.panels import PanelMean, variance_of_judges
from thresher.kernels.inference.shares import unit_share
from thresher.kernels.inference.spread import FEWEST, FEWEST_FOR_VERDICTS, Spread, mean_spread, spread_of
from thresher.kernels.inference.statistic import CELLS, Codes, unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import Mean
from thresher.results.masks import mask_digest

_ROUNDING = 1e-9
"""A rank of draws is a whole number but for this."""
DRAWS = 1000
"""Random weights of a value that jumps, each with one more unit at both bounds: a limit at 2.5 % is then known to
half a point of its level."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Values under random weights, once with one more unit at each bound.

    Attributes:
        values: in ascending order.
    """

    method: ClassVar[str] = "draws"
    values: Floats

    @classmethod
    def of(cls, drawn: Floats, other: Floats | None = None) -> Self:
        """Draws of a value, or of its difference to another one whose added unit is at the opposite bound.

        Args:
            drawn: `drawn_values` of the value.
            other: those of the other one.
        """
        values = (drawn if other is None else drawn - other[::-1]).ravel()
        return cls(np.sort(values[~np.isnan(values)]))

    def limits(self, level: float) -> tuple[float, float]:
        """The values that `p_value` does not reject at 1 - level; infinite where too few draws are defined."""
        number = len(self.values)
        rank = math.floor((1 - level) / 2 * (number + 1) + _ROUNDING)
        if not rank:
            return -math.inf, math.inf
        return float(self.values[rank - 1]), float(self.values[number - rank])

    def p_value(self, at: float = 0.0) -> float:
        """Two-sided p-value of the true value being `at`."""
        below, above = np.count_nonzero(self.values <= at), np.count_nonzero(self.values >= at)
        return min(1.0, 2 * (min(int(below), int(above)) + 1) / (len(self.values) + 1))


@dataclass(frozen=True, eq=False)
class Evidence:
    """A value, or a difference of two values, with what its units show.

    Attributes:
        value: the value; NaN if it is undefined.
        visible: its standard error as far as the units show it.
        rule: one more unit, or draws; None for values without bounds, of which `visible` is all that is known.
        units: number of independent units.
        bounds: of the value; an interval ends at them.
    """

    value: float
    visible: Spread
    rule: OneMore | Draws | None
    units: int
    bounds: Bounds = (-math.inf, math.inf)

    @property
    def method(self) -> str:
        """Name of the rule."""
        return self.visible.method if self.rule is None else self.rule.method

    @property
    def decides(self) -> bool:
        """Whether there are enough units for a verdict."""
        return self.rule is not None or self.units >= FEWEST_FOR_VERDICTS

    def interval(self, level: float) -> Interval | None:
        """The interval; None if units show none: fewer than two, or equal ones of a value without bounds."""
        if math.isnan(self.value):
            return None
        limits = (self.rule or self.visible).limits(level)
        if limits is None:
            return None
        return Interval(max(limits[0], self.bounds[0]), min(limits[1], self.bounds[1]), level, self.method)

    def p_value(self, at: float = 0.0, *, far: bool = False) -> float:
        """Two-sided p-value of the true value being `at`; NaN where no verdict is possible.

        `far` is for one that is compared with less than 1 - `USUAL`, alone or as one of a family of tests.
        """
        if math.isnan(self.value) or not self.decides:
            return math.nan
        if isinstance(self.rule, OneMore):
            return self.rule.p_value(at, far=far)
        return (self.rule or self.visible).p_value(at)


def evidence_of(target: Target, units: Units, seed: int) -> Evidence:
    """What the units show of the value of a measure."""
    bounds = target.measure.bounds
    if is_rate([target], units):
        bounds = 0.0, 1.0
    return replace(_evidence((target,), units, bounds, seed), bounds=bounds)


def evidence_of_difference(first: Target, second: Target, units: Units, seed: int) -> Evidence:
    """What the units show of the second value minus the first."""
    low, high = first.measure.bounds
    reach = 1.0 if is_rate([first, second], units) else high - low
    return _evidence((first, second), units, (-reach, reach), seed)


def _evidence(targets: Sequence[Target], units: Units, bounds: Bounds, seed: int) -> Evidence:
    values = [value_of(target, units) for target in targets]
    value = values[-1] - sum(values[:-1])
    if units.size < FEWEST or math.isnan(value):
        return Evidence(value, Spread(value, math.nan, units.size - 1), None, units.size)
    if all(isinstance(target.measure.reduction, Mean) for target in targets):
        return _of_means(value, targets, units, bounds)
    if all(target.measure.reduction.smooth for target in targets):
        return _of_influences(value, targets, units, bounds, seed)
    return _of_draws(value, targets, units, seed)


def _of_means(value: float, targets: Sequence[Target], units: Units, bounds: Bounds) -> Evidence:
    moments = moments_of(targets, units)
    if units.cluster is None:
        sums, visible = _with_parts(UnitSums.of_items(moments), targets, units), spread_of(moments)
    else:
        scores = _scores(targets, units)
        sizes = units.sizes
        sums = UnitSums.of_clusters(np.bincount(units.cluster, scores, len(sizes)).astype(np.float64), sizes)
        visible = mean_spread(scores, units.cluster, len(sizes))
    noise, last = 0.0, targets[-1]
    if len(targets) == 1 and isinstance(last.measure.reduction, PanelMean):
        noise, visible = _of_judges(visible, last, units)
    rule = OneMore(sums, bounds, noise) if all(map(math.isfinite, bounds)) else None
    return Evidence(value, visible, rule, units.size)


def _with_parts(sums: UnitSums, targets: Sequence[Target], units: Units) -> UnitSums:
    """The sums with the scores that make them up, unless these are too many: then three moments are enough."""
    if len(targets) > 1:
        gains = gains_of(targets[0], targets[1], units)
        if gains is None or len(gains.differing) < gains.differ:
            return sums
        values, times = np.append(gains.differing, 0.0), np.append(np.ones(gains.differ), float(gains.equal))
        return sums.with_scores(values[times > 0], times[times > 0])
    moments = moments_of(targets, units)
    if moments.binary:
        ones = round(moments.total)
        return sums.with_scores(
            np.array([0.0, 1.0]), np.array([moments.count - ones, ones], dtype=np.float64)
        )
    scores = mean_scores(targets[0], units) if moments.count <= KEPT else None
    return sums if scores is None else sums.with_scores(scores)


def _of_judges(visible: Spread, target: Target, units: Units) -> tuple[float, Spread]:
    """Variance that the judges of a panel add to the value, and the spread with it.

    The few judges show their variance with few degrees of freedom, so it counts as large as t's quantile demands.
    """
    added, judges = variance_of_judges(target.result.statistics, units.mask)
    if not added or not visible.known:
        return 0.0, visible
    own = visible.standard_error**2
    degrees = (own + added) ** 2 / (own**2 / visible.effective_degrees + added**2 / (judges - 1))
    widened = replace(
        visible,
        standard_error=math.sqrt(own + added),
        degrees=degrees,
        kurtosis=0.0,
        skewness=0.0,
        units=degrees + 1,
    )
    inflated = (own + added) * (critical(LEVEL, degrees) / critical(LEVEL)) ** 2
    return max(added, inflated - own), widened


def _of_influences(
    value: float, targets: Sequence[Target], units: Units, bounds: Bounds, seed: int
) -> Evidence:
    """Leave out the same units of all values; the added unit holds the share of an average one."""
    group, groups = jackknife_groups(units.size, seed)
    statistics = [unit_statistic(target, units) for target in targets]
    without = [statistic.leaving_out(group, groups) for statistic in statistics]
    change = without[-1] - sum(without[:-1])
    sizes = group_sizes(units, group, groups)
    visible = jackknife_spread(value, change, None if units.cluster is None else sizes)
    if units.cluster is not None and visible.known:
        single = _of_influences(value, targets, units.unclustered, bounds, seed).visible
        visible = visible.at_least(single)
    if not visible.known:
        return Evidence(value, visible, None, units.size)
    if not all(map(math.isfinite, bounds)):
        return Evidence(value, visible, None, units.size)
    measure = targets[0].measure
    span = measure.bounds[1] - measure.bounds[0]
    reach = measure.reduction.item_reach(targets[0].result.statistics, units.weights, span)
    sums = UnitSums.of_influences(value, change, sizes, units.size, unit_share(targets[0], units, seed))
    sums = replace(sums, share=sums.share * reach / span)
    return Evidence(value, visible, OneMore(sums, bounds), units.size)


def _of_draws(value: float, targets: Sequence[Target], units: Units, seed: int) -> Evidence:
    drawn = [drawn_values(target, units, seed) for target in targets]
    draws = Draws.of(drawn[-1], *drawn[:-1])
    finite = draws.values[np.isfinite(draws.values)]
    # Without its infinite draws the value would look more certain than it is.
    known = len(finite) >= max(FEWEST, LEVEL * len(draws.values))
    error = float(finite.std(ddof=1)) if known else math.nan
    visible = Spread(value, error, units.size - 1, units=units.size)
    return Evidence(value, visible, draws if len(draws.values) >= FEWEST else None, units.size)


def drawn_values(target: Target, units: Units, seed: int) -> Floats:
    """Values of a measure under random weights of the units, with one more at the low and at the high bound.

    A quantile gets one more value. Other measures move towards a finite bound by the unit's share of the weight.
    The same units and seed give the same weights, so that values of two runs can be subtracted.

    Returns:
        The values with one more at the low bound, and those at the high bound (2 x draws).
    """
    reduction, statistics = target.measure.reduction, target.result.statistics
    if not units.mask.all():
        statistics = statistics.take(units.mask)
    bounds = target.measure.bounds
    with_value = [reduction.with_value(statistics, bound) for bound in bounds]
    generator, sizes = np.random.default_rng(seed), units.sizes
    size, parts = float(sizes @ sizes) / float(sizes.sum()), []
    for start in range(0, DRAWS, block := max(1, min(DRAWS, CELLS // max(statistics.size, 1)))):
        draws = generator.standard_exponential((min(block, DRAWS - start), units.size + 1))
        weights, added = units.spread_out(draws[:, :-1]), draws[:, -1] * size
        if with_value[0] is not None:
            weights = np.column_stack([weights, added])
            parts.append([reduction.many(one, weights) for one in with_value if one is not None])
            continue
        drawn, total = reduction.many(statistics, weights), draws[:, :-1] @ sizes
        moves = [reduction.by_share and math.isfinite(bound) for bound in bounds]
        parts.append(
            [
                (drawn * total + bound * added) / (total + added) if moved else drawn
                for bound, moved in zip(bounds, moves, strict=True)
            ]
        )
    return np.concatenate(parts, axis=1)


def value_of(target: Target, units: Units) -> float:
    """The measure over the units' rows, repeats averaged first; NaN without rows."""
    if not units.items:
        return math.nan
    return target.result.value(target.name, units.mask if units.item is None else units.weights)


def moments_of(targets: Sequence[Target], units: Units) -> Moments:
    """The moments of the item scores, or of their differences, that the measure is the mean of."""
    if len(targets) > 1:
        gains = gains_of(targets[0], targets[1], units)
        return Moments() if gains is None else gains.moments
    (target,) = targets
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


def moments_key(reduction: Mean, mask: np.typing.NDArray[np.bool_]) -> tuple[object, ...]:
    """Key of the moments of scores among the totals of the statistics."""
    return "moments", reduction.key, mask_digest(mask)


def mean_scores(target: Target, units: Units) -> Floats | None:
    """The item scores that the measure is the mean of; None if it is not a mean."""
    reduction = target.measure.reduction
    if not isinstance(reduction, Mean):
        return None
    column = target.result.statistics.column(reduction.column)
    return units.averaged(column if units.mask.all() else column[units.mask])


def _scores(targets: Sequence[Target], units: Units) -> Floats:
    scores = [mean_scores(target, units) for target in targets]
    known = [column for column in scores if column is not None]
    return known[0] if len(known) == 1 else known[1] - known[0]


def is_rate(targets: Sequence[Target], units: Units) -> bool:
    """Whether all scores are 0 or 1, and finite bounds of the measure are 0 and 1 too."""
    bounds = targets[0].measure.bounds
    if not all(math.isinf(bound) or bound == end for bound, end in zip(bounds, (0, 1), strict=True)):
        return False
    if not all(isinstance(target.measure.reduction, Mean) for target in targets):
        return False
    if len(targets) > 1:
        gains = gains_of(targets[0], targets[1], units)
        return gains is not None and gains.binary
    return moments_of(targets, units).binary


def group_sizes(units: Units, group: Codes, groups: int) -> Floats:
    """Number of items in each group of units."""
    return np.asarray(np.bincount(group, units.sizes, groups), dtype=np.float64)
