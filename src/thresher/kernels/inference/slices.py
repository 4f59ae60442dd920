"""Slices of the data: values, worst first, and tests against the rest with corrected p-values."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.corrections import benjamini_hochberg, holm
from thresher.kernels.inference.estimate import (
    estimate,
    group_sizes,
    mean_moments,
    mean_scores,
    on_whole_scale,
    value_of,
)
from thresher.kernels.inference.independent_tests import contrast_spread, fisher_exact, welch
from thresher.kernels.inference.interval import LEVEL, SEED, IntervalEstimate, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Mask, Units, codes_of
from thresher.results import Mean

Floats = npt.NDArray[np.float64]
Correction = Literal["benjamini-hochberg", "holm"]
_CORRECTIONS: dict[str, Callable[[npt.ArrayLike], Floats]] = {
    "benjamini-hochberg": benjamini_hochberg,
    "holm": holm,
}


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
        p_adjusted: the p-value corrected for all slices.
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
    correction: Correction = "benjamini-hochberg",
    seed: int = SEED,
) -> list[Slice]:
    """Estimate every slice, worst first, and test it against all other items.

    Rates are tested by Fisher's exact test, other means by Welch's, other values by the jackknife. With
    clusters, which may have items on both sides, the difference itself has a clustered standard error.

    Args:
        target: the measure and the items that count.
        masks: name -> mask of the slice's items; slices may overlap.
        level: nominal coverage of the intervals.
        clusters: per item its cluster.
        correction: correction of the p-values for the number of slices.
        seed: seed of the jackknife's random groups.

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
    adjusted = _CORRECTIONS[correction]([part.p_value for part in parts]).tolist()
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
        seed: seed of the jackknife's random groups.
    """
    target, *sides = targets
    if units.cluster is None and isinstance(target.measure.reduction, Mean):
        inside, outside = (mean_moments(side, Units.of(side.mask)) for side in sides)
        return _test_of_means(inside, outside, target.measure.bounds)
    within = mask[target.mask]
    if min(np.count_nonzero(within), np.count_nonzero(~within)) < FEWEST:
        return math.nan, None
    scores = mean_scores(target, units)
    if scores is None or units.cluster is None or units.clusters is None:
        return _jackknife_test(target, units, within, seed)
    spread = contrast_spread(scores, within, units.cluster, units.clusters)
    return spread.p_value, "cluster-t" if spread.known else None


def _test_of_means(
    inside: Moments, outside: Moments, bounds: tuple[float, float]
) -> tuple[float, str | None]:
    items = inside.count, outside.count
    if inside.binary and outside.binary and on_whole_scale(bounds):
        hits = int(inside.total), int(outside.total)
        return (fisher_exact(hits, items), "fisher") if min(items) else (math.nan, None)
    return (welch(inside, outside).p_value, "welch") if min(items) >= FEWEST else (math.nan, None)


def _jackknife_test(target: Target, units: Units, inside: Mask, seed: int) -> tuple[float, str | None]:
    group, groups = jackknife_groups(units.size, seed)
    sides = [units.within(inside), units.within(~inside)]
    values = [value_of(target, side) for side in sides]
    without = [unit_statistic(target, side).leaving_out(group, groups) for side in sides]
    sizes = group_sizes(units, group, groups)
    spread = jackknife_spread(values[0] - values[1], without[0] - without[1], sizes)
    return (spread.p_value, "jackknife") if spread.known else (math.nan, None)
