"""Slices of the data: values, worst first, and tests against the rest with corrected p-values."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.clusters import bell_mccaffrey, cluster_contributions
from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.estimate import estimate
from thresher.kernels.inference.evidence import (
    Draws,
    drawn_values,
    evidence_of,
    group_sizes,
    is_rate,
    mean_scores,
    moments_of,
    value_of,
)
from thresher.kernels.inference.interval import LEVEL, SEED, IntervalEstimate, finite
from thresher.kernels.inference.jackknife import jackknife_groups
from thresher.kernels.inference.one_more import Floats, OneMore, UnitSums, melded_clusters, melded_p_value
from thresher.kernels.inference.shares import unit_share
from thresher.kernels.inference.spread import FEWEST, FEWEST_FOR_VERDICTS, Spread
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Mask, Units, codes_of
from thresher.results import Mean

_ROUNDING = 1e-9
"""Relative difference of sums of the same scores in another order."""
_PERMUTATIONS = 1999
_MANY = 1000
CELLS_OF_SEARCH = 20_000_000
"""Most groups times items of a search; more take minutes and gigabytes."""
_SHUFFLES, _BLOCK = 1000, 50
_TIE = 1e-5
"""Difference of equal statistics of single precision."""


@dataclass(frozen=True)
class Slice:
    """One slice of the data under one measure.

    Attributes:
        name: name of the slice.
        measure: name of the measure.
        estimate: value, interval and number of items of the slice.
        rest: the value of all other items; NaN if there are none.
        difference: slice minus rest.
        p_value: two-sided, for slice and rest having the same value; NaN if it cannot be tested.
        test: name of the test.
        p_adjusted: the p-value corrected for all slices (Holm).
        expected: value to expect on new items: the worst of many slices is partly the worst by chance; see `shrunk`.
    """

    name: str
    measure: str
    estimate: IntervalEstimate
    rest: float
    difference: float
    p_value: float
    test: str | None
    p_adjusted: float = math.nan
    expected: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        columns = ("rest", "difference", "p_value", "p_adjusted", "expected")
        numbers = {name: finite(getattr(self, name)) for name in columns}
        names = {"slice": self.name, "measure": self.measure}
        return {**names, **self.estimate.to_dict(), **numbers, "test": self.test}


def masks_of(labels: Sequence[Hashable]) -> dict[str, Mask]:
    """One mask per distinct label; None is not a label.

    >>> {name: mask.tolist() for name, mask in masks_of(["de", None, "en"]).items()}
    {'de': [True, False, False], 'en': [False, False, True]}
    """
    codes, _ = codes_of(labels)
    names = dict(zip(codes.tolist(), labels, strict=True))
    return {str(name): codes == code for code, name in sorted(names.items()) if name is not None}


def slices(
    target: Target,
    masks: Mapping[str, Mask],
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> list[Slice]:
    """Estimate every slice, worst first, and test it against all other items.

    | measure | rule |
    |---|---|
    | between finite bounds | `one-more`: each side has one more unit, at opposite bounds |
    | without finite bounds | `t-hall` of the difference, for means the larger p-value of it and of a permutation |
    | not `smooth`, such as a quantile | `draws`: random weights on both sides, each with one more unit |

    Args:
        target: the measure and the items that count.
        masks: name -> mask of the slice's items; slices may overlap.
        level: nominal coverage of the intervals.
        clusters: per item its cluster.
        seed: seed of permutations, random weights and the jackknife's random groups.

    Raises:
        InputError: if a mask or `clusters` does not fit the items.
    """
    units = Units.of(target.mask, clusters)
    parts = []
    for name, mask in masks.items():
        if np.shape(mask) != target.mask.shape:
            raise InputError(
                f"slice {name}: {counted(np.size(mask), 'entry', 'entries')} for "
                f"{counted(len(target.mask), 'item')}"
            )
        inside, outside = target.over(mask), target.over(~mask)
        value = estimate(inside, level=level, clusters=clusters, seed=seed)
        rest = value_of(outside, Units.of(outside.mask))
        p_value, test = _test((target, inside, outside), units, mask, seed)
        parts.append(Slice(name, target.measure.name, value, rest, value.value - rest, p_value, test))
    adjusted = holm([part.p_value for part in parts]).tolist()
    estimates = [part.estimate for part in parts]
    expected = shrunk([each.value for each in estimates], _pooled_errors(estimates)).tolist()
    sign = 1 if target.measure.direction == "higher" else -1
    known = [
        replace(part, p_adjusted=p_value, expected=value)
        for part, p_value, value in zip(parts, adjusted, expected, strict=True)
    ]
    own, likely = sign * np.array([each.value for each in estimates]), sign * np.array(expected)
    # Where all differences are chance, by their own values.
    order = np.lexsort((own, np.where(np.isnan(likely), own, likely)))
    return [known[at] for at in order]


def _pooled_errors(estimates: Sequence[IntervalEstimate]) -> Floats:
    """Standard errors from the spread of units within all slices: that of a small slice alone may be 0 by chance."""
    units = np.array(
        [each.items if each.clusters is None else each.clusters for each in estimates], dtype=np.float64
    )
    own = np.square([each.standard_error for each in estimates])
    known = np.isfinite(own)
    spread = float(np.square(units[known]) @ own[known] / max(1.0, units[known].sum()))
    return np.sqrt(spread / np.maximum(units, 1))


def shrunk(values: npt.ArrayLike, errors: npt.ArrayLike) -> Floats:
    """Values of slices moved towards their mean, by how much of their spread is chance.

    Of twelve slices of 30 items that do not differ the worst is shown 0.12 too low (rates of 0.8) or 0.06 (scores with
    a standard deviation of 0.2), and 0.016 and 0.007 when shrunk.

    Formula: c + t / (t + e^2) (v - c) with the mean c that is weighted by 1 / (t + e^2), and the moment estimate t of
        the variance between slices
    Source: DerSimonian and Laird (1986), Meta-analysis in Clinical Trials.

    Args:
        values: one per slice.
        errors: their standard errors; slices without a finite one get NaN.

    >>> shrunk([0.7, 0.8, 0.9], [0.05, 0.05, 0.05]).round(3).tolist()
    [0.725, 0.8, 0.875]
    """
    v, variance = np.asarray(values, dtype=np.float64), np.square(np.asarray(errors, dtype=np.float64))
    known = np.isfinite(v) & np.isfinite(variance) & (variance > 0)
    result, v, variance = np.full(len(v), math.nan), v[known], variance[known]
    if not len(v):
        return result
    weights = 1 / variance
    centre = weights @ v / weights.sum()
    spread = float(weights @ np.square(v - centre)) - (len(v) - 1)
    scale = weights.sum() - weights @ weights / weights.sum()
    between = max(0.0, spread / scale) if len(v) > 1 else 0.0
    weights = 1 / (variance + between)
    centre = weights @ v / weights.sum()
    result[known] = centre + between * weights * (v - centre)
    return result


def _test(
    targets: tuple[Target, Target, Target], units: Units, mask: Mask, seed: int
) -> tuple[float, str | None]:
    """P-value and name of the rule for the items inside against those outside.

    Args:
        targets: the measure over all items, over those inside, and over those outside.
        units: the units of all items.
        mask: the items inside.
        seed: seed of permutations, random weights and the jackknife's random groups.
    """
    target, *sides = targets
    within, bounds = mask[target.mask], target.measure.bounds
    if not within.any() or within.all():
        return math.nan, None
    parts = [Units.of(side.mask) for side in sides]
    if units.cluster is not None:
        parts = [units.within(within), units.within(~within)]
    if not target.measure.reduction.smooth:
        # A cluster with items on both sides has one weight, so what moves both sides cancels.
        seeds = (seed, seed + (units.cluster is None))
        drawn = [drawn_values(*each) for each in zip(sides, parts, seeds, strict=True)]
        return Draws.of(*drawn).p_value(), Draws.method
    is_mean = isinstance(target.measure.reduction, Mean)
    if is_mean:
        bounds = (0.0, 1.0) if is_rate([target], units) else bounds
    if not all(map(math.isfinite, bounds)):
        return _test_without_bounds(targets, units, within, seed)
    if not is_mean:
        return _of_influences(sides, parts, units, seed)
    # Without clusters moments are enough, so that scores of long runs are not loaded.
    if units.cluster is not None and (scores := mean_scores(target, units)) is not None:
        return melded_clusters(scores, within, units.cluster, bounds), OneMore.method
    inside, outside = (
        UnitSums.of_items(moments_of([side], part)) for side, part in zip(sides, parts, strict=True)
    )
    return melded_p_value(inside, outside, bounds), OneMore.method


def _of_influences(
    sides: Sequence[Target], parts: Sequence[Units], units: Units, seed: int
) -> tuple[float, str | None]:
    """The test of a value that is not a mean: units of each side, or the clusters of both, are left out."""
    groups = [jackknife_groups((units if units.cluster is not None else part).size, seed) for part in parts]
    sums, deviations = [], []
    for side, part, (group, number) in zip(sides, parts, groups, strict=True):
        size = group_sizes(part, group, number)
        value, without = value_of(side, part), unit_statistic(side, part).leaving_out(group, number)
        held = size > 0
        if np.count_nonzero(held) < FEWEST or np.isnan(without[held]).any() or math.isnan(value):
            return math.nan, None
        count = int(np.count_nonzero(part.sizes))
        share = (
            float(size @ size) / float(size.sum()) ** 2
            if units.cluster is not None
            else unit_share(side, part, seed)
        )
        sums.append(UnitSums.of_influences(value, without[held], size[held], count, share))
        deviations.append(np.where(held, (value - without) * (size.sum() - size), 0.0))
    shared = None if units.cluster is None else np.stack(deviations, axis=1)
    return melded_p_value(sums[0], sums[1], sides[0].measure.bounds, shared), OneMore.method


def _test_without_bounds(
    targets: tuple[Target, Target, Target], units: Units, within: Mask, seed: int
) -> tuple[float, str | None]:
    target, *sides = targets
    scores = mean_scores(target, units)
    if units.cluster is not None and units.clusters is not None:
        if scores is None or units.clusters < FEWEST_FOR_VERDICTS:
            return math.nan, None
        return contrast_spread(scores, within, units.cluster, units.clusters).p_value(), Spread.method
    inside, outside = (evidence_of(side, Units.of(side.mask), seed) for side in sides)
    if min(inside.units, outside.units) < FEWEST_FOR_VERDICTS:
        return math.nan, None
    visible = inside.visible.minus(outside.visible).p_value()
    if scores is None or math.isnan(visible):
        return visible, Spread.method
    return max(visible, permutation(scores, within, seed)), Spread.method


def permutation(scores: Floats, inside: Mask, seed: int) -> float:
    """Two-sided p-value of the difference of two means, if the labels of the items could be shuffled.

    A group of few equal scores cannot look certain, since the spread is that of all items. With a thousand
    items on each side Welch's test needs no such guard, and the p-value is 0.

    Formula: (1 + draws with a difference at least as large) / (1 + draws), of 1,999 draws

    >>> permutation(np.array([5.0, 5.0, 5.0, 5.0]), np.array([True, True, False, False]), 1)
    1.0
    """
    generator, deviations = np.random.default_rng(seed), scores - scores.mean()
    size = min(int(np.count_nonzero(inside)), int(np.count_nonzero(~inside)))
    if size >= _MANY:
        return 0.0
    observed = abs(float(deviations[inside].sum())) * (1 - _ROUNDING)
    draws = (generator.choice(deviations, size, replace=False, shuffle=False) for _ in range(_PERMUTATIONS))
    hits = sum(abs(float(draw.sum())) >= observed for draw in draws)
    return (1 + hits) / (1 + _PERMUTATIONS)


def worse_groups(
    scores: Floats,
    masks: npt.NDArray[np.bool_],
    cluster: npt.NDArray[np.int64] | None = None,
    seed: int = SEED,
) -> tuple[Floats, Floats]:
    """One-sided p-values of many overlapping groups having lower means than all other items, corrected for all.

    Conditions overlap, so the largest of a thousand shuffles of the scores is smaller than a correction for as many
    independent tests assumes. A group that has the mean of the others and only varies more is called lower in more
    than the stated share (31 % where 40 of 400 vary three times as much): the groups are candidates to confirm.

    Formula: z of a group is its mean minus that of the others, divided by its standard error under shuffles; step-down
        maximum of -z over 1,000 shuffles of the scores, with clusters of their sums of deviations
    Source: Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 4.1.

    Args:
        scores: one per item; higher is better.
        masks: which items each group has (groups x items).
        cluster: per item the number of its cluster, which may lie in part inside a group.
        seed: seed of the shuffles.

    Returns:
        The p-values and -z of the groups; 1 and 0 for groups that shuffles do not change.

    >>> masks = np.array([np.arange(40) < 15, np.arange(40) % 2 < 1])
    >>> (worse_groups(np.where(masks[0], 0.2, 0.8), masks)[0] < 0.05).tolist()
    [True, False]
    """
    deviations, weights, share = scores - scores.mean(), masks.astype(np.float32), masks.mean(axis=1)
    if cluster is not None:
        sizes = np.bincount(cluster)
        weights = np.array([np.bincount(cluster, row, len(sizes)) / sizes for row in masks], np.float32)
        deviations = np.bincount(cluster, deviations, len(sizes))
    weights -= share[:, None].astype(np.float32)
    variance = float(deviations @ deviations) / max(1, len(deviations) - 1)
    norm = np.sqrt(np.einsum("ij,ij->i", weights, weights, dtype=np.float64) * variance)
    varies = np.flatnonzero(norm > _ROUNDING * float(np.abs(scores).max(initial=0.0)))
    p_values, surest = np.ones(len(masks)), np.zeros(len(masks))
    if not len(varies):
        return p_values, surest
    observed = -(weights[varies] @ deviations.astype(np.float32)) / norm[varies]
    order = varies[np.argsort(-observed)]
    weights, observed = weights[order].T, np.sort(observed)[::-1]
    generator, hits = np.random.default_rng(seed), np.zeros(len(order))
    for _ in range(_SHUFFLES // _BLOCK):
        shuffled = generator.permuted(np.tile(deviations.astype(np.float32), (_BLOCK, 1)), axis=1)
        drawn = -(shuffled @ weights) / norm[order]
        highest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]  # of each group and those after it
        hits += (highest >= observed - _TIE).sum(axis=0)
    p_values[order] = np.maximum.accumulate((1 + hits) / (1 + _SHUFFLES))
    surest[order] = observed
    return p_values, surest


def contrast_spread(scores: Floats, inside: Mask, cluster: npt.NDArray[np.int64], clusters: int) -> Spread:
    """Mean of the items inside minus mean of those outside; clusters may have items on both sides.

    Formula: the CR2 variance of the contrast, with Bell-McCaffrey degrees of freedom (see `clusters`)

    Returns:
        Value and standard error; the latter is NaN if one cluster has all items of a side, because the side
        then does not show how clusters differ.
    """
    sides = inside, ~inside
    sizes = [_summed(side.astype(np.float64), cluster, clusters) for side in sides]
    means = [float(scores[side].mean()) for side in sides]
    degrees = bell_mccaffrey(*sizes) if clusters >= FEWEST else math.nan
    if math.isnan(degrees):
        return Spread(means[0] - means[1], math.nan, clusters - 1)
    sums = [
        _summed(np.where(side, scores - mean, 0.0), cluster, clusters)
        for side, mean in zip(sides, means, strict=True)
    ]
    parts = [cluster_contributions(*pair) for pair in zip(sums, sizes, strict=True)]
    added = parts[0] - parts[1]
    # Unlike a mean's, it may be less than without clusters: clusters on both sides cancel in the difference.
    return Spread(means[0] - means[1], math.sqrt(float(added @ added)), degrees)


def _summed(values: Floats, cluster: npt.NDArray[np.int64], clusters: int) -> Floats:
    return np.asarray(np.bincount(cluster, values, clusters), dtype=np.float64)
