"""Slices of the data: values, worst first, and tests against the rest with corrected p-values."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.estimate import (
    estimate,
    group_sizes,
    mean_moments,
    mean_scores,
    on_whole_scale,
    value_of,
)
from thresher.kernels.inference.independent_tests import contrast_spread, permutation, welch
from thresher.kernels.inference.interval import LEVEL, SEED, IntervalEstimate, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import UnitSums, melded_clusters, melded_p_value
from thresher.kernels.inference.resampling import ERROR_DRAWS, bootstrap_spread, bootstrap_values
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Mask, Units, codes_of
from thresher.results import Mean


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
    """

    name: str
    measure: str
    estimate: IntervalEstimate
    rest: float
    difference: float
    p_value: float
    test: str | None
    p_adjusted: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        numbers = {
            name: finite(getattr(self, name)) for name in ("rest", "difference", "p_value", "p_adjusted")
        }
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

    | measure | test |
    |---|---|
    | mean of scores between finite bounds | `one-more`: each side has one more item (or cluster) at a bound |
    | mean of other scores | `permutation`: the larger p-value of it and Welch's; with clusters `cluster-t` |
    | any other reduction | `jackknife` of the difference |
    | a reduction that is not `smooth` | `bootstrap` of the difference |

    Args:
        target: the measure and the items that count.
        masks: name -> mask of the slice's items; slices may overlap.
        level: nominal coverage of the intervals.
        clusters: per item its cluster.
        seed: seed of permutations, draws and the jackknife's random groups.

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
    corrected = [replace(part, p_adjusted=p_value) for part, p_value in zip(parts, adjusted, strict=True)]
    return sorted(corrected, key=_worst_first(target))


def _worst_first(target: Target) -> Callable[[Slice], tuple[bool, float]]:
    sign = 1 if target.measure.direction == "higher" else -1
    return lambda part: (math.isnan(part.estimate.value), sign * part.estimate.value)


def _test(
    targets: tuple[Target, Target, Target], units: Units, mask: Mask, seed: int
) -> tuple[float, str | None]:
    """P-value and name of the test of the items inside against those outside.

    Args:
        targets: the measure over all items, over those inside, and over those outside.
        units: the units of all items.
        mask: the items inside.
        seed: seed of permutations, draws and the jackknife's random groups.
    """
    target, *sides = targets
    within, bounds = mask[target.mask], target.measure.bounds
    if not within.any() or within.all():
        return math.nan, None
    is_mean = isinstance(target.measure.reduction, Mean)
    moments = [mean_moments(side, Units.of(side.mask)) for side in sides] if is_mean else []
    if is_mean and on_whole_scale(bounds) and all(side.binary for side in moments):
        bounds = 0.0, 1.0  # of rates, even if none are stated
    bounded = is_mean and bool(np.isfinite(bounds).all())
    if bounded and units.cluster is None:
        inside, outside = map(UnitSums.of_items, moments)
        return melded_p_value(inside, outside, bounds), "one-more"
    scores = mean_scores(target, units)
    if bounded and scores is not None and units.cluster is not None:
        return melded_clusters(scores, within, units.cluster, bounds), "cluster-one-more"
    if min(np.count_nonzero(within), np.count_nonzero(~within)) < FEWEST:
        return math.nan, None
    return _test_without_bounds(target, units, within, seed)


def _test_without_bounds(target: Target, units: Units, within: Mask, seed: int) -> tuple[float, str | None]:
    scores = mean_scores(target, units)
    if scores is None:
        return _test_of_values(target, units, within, seed)
    if units.cluster is None or units.clusters is None:
        visible = welch(Moments.of(scores[within]), Moments.of(scores[~within])).p_value
        return max(visible, permutation(scores, within, seed)), "permutation"
    spread = contrast_spread(scores, within, units.cluster, units.clusters)
    return spread.p_value, "cluster-t" if spread.known else None


def _test_of_values(target: Target, units: Units, inside: Mask, seed: int) -> tuple[float, str | None]:
    """The test of a difference of values that are not means, by leaving out or drawing the same units."""
    sides = [units.within(inside), units.within(~inside)]
    values = [value_of(target, side) for side in sides]
    statistics = [unit_statistic(target, side) for side in sides]
    if target.measure.reduction.smooth:
        group, groups = jackknife_groups(units.size, seed)
        without = [statistic.leaving_out(group, groups) for statistic in statistics]
        sizes = group_sizes(units, group, groups)
        spread, name = jackknife_spread(values[0] - values[1], without[0] - without[1], sizes), "jackknife"
    else:
        draws = bootstrap_values(statistics, units.size, ERROR_DRAWS, seed)
        spread, name = bootstrap_spread(values[0] - values[1], draws[0] - draws[1], units.sizes), "bootstrap"
    return (spread.p_value, name) if spread.known else (math.nan, None)
