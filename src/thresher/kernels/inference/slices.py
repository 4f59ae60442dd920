"""Parts of the data: the value of each, worst first, with p-values corrected for the many looks."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.corrections import benjamini_hochberg, holm
from thresher.kernels.inference.estimate import estimate, group_sizes, is_binary, mean_scores, value_of
from thresher.kernels.inference.independent_tests import contrast_spread, fisher_exact, welch
from thresher.kernels.inference.interval import LEVEL, SEED, IntervalEstimate, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Codes, Mask, Units, codes_of

Floats = npt.NDArray[np.float64]
Correction = Literal["benjamini-hochberg", "holm"]
_CORRECTIONS: dict[str, Callable[[npt.ArrayLike], Floats]] = {
    "benjamini-hochberg": benjamini_hochberg,
    "holm": holm,
}


@dataclass(frozen=True)
class Slice:
    """One part of the data under one measure.

    Attributes:
        name: name of the part.
        measure: name of the measure.
        estimate: value, interval and number of items of the part.
        rest: the value of all other items; NaN if there are none.
        difference: part minus rest.
        p_value: two-sided, of part and rest having the same value; NaN where it cannot be tested.
        test: the name of the test.
        p_adjusted: the p-value corrected for all parts looked at.
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
        told = {"slice": self.name, "measure": self.measure, **self.estimate.to_dict()}
        return {**told, **numbers, "test": self.test}


def masks_of(labels: Sequence[Hashable]) -> dict[str, Mask]:
    """One mask per distinct label; items without one (None) are in none.

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
    """The value of each part with its interval, worst first, each tested against all other items.

    Rates are tested by Fisher's exact test, other means by Welch's, the rest by leaving units out. With
    clusters, which may have items on both sides, the difference itself has a clustered standard error.

    Args:
        target: the measure and the items that count.
        masks: name -> which items belong to the part; parts may overlap.
        level: nominal coverage of the intervals.
        clusters: per item what it belongs to.
        correction: for how many parts are looked at.
        seed: of the groups that the jackknife leaves out.

    Raises:
        InputError: if a mask or `clusters` does not fit the items.
    """
    units = Units.of(target.mask, clusters)
    found = []
    for name, mask in masks.items():
        if np.shape(mask) != target.mask.shape:
            raise InputError(f"slice {name}: {np.size(mask)} entries for {len(target.mask)} items")
        part, rest = target.over(mask), target.over(~mask)
        told = estimate(part, level=level, clusters=clusters, seed=seed)
        other = value_of(rest, Units.of(rest.mask))
        p_value, test = _tested(target, units, mask[target.mask], seed)
        found.append(Slice(name, target.measure.name, told, other, told.value - other, p_value, test))
    adjusted = _CORRECTIONS[correction]([each.p_value for each in found]).tolist()
    told_all = [replace(each, p_adjusted=p_value) for each, p_value in zip(found, adjusted, strict=True)]
    return sorted(told_all, key=_badness(target))


def _badness(target: Target) -> Callable[[Slice], tuple[bool, float]]:
    sign = 1 if target.measure.direction == "higher" else -1
    return lambda part: (math.isnan(part.estimate.value), sign * part.estimate.value)


def _tested(target: Target, units: Units, inside: Mask, seed: int) -> tuple[float, str | None]:
    fewest = min(np.count_nonzero(inside), np.count_nonzero(~inside))
    scores = mean_scores(target, units)
    if scores is not None and units.cluster is None and is_binary(scores, target.measure.bounds):
        if not fewest:
            return math.nan, None
        hits = int(scores[inside].sum()), int(scores[~inside].sum())
        return fisher_exact(hits, (int(np.count_nonzero(inside)), int(np.count_nonzero(~inside)))), "fisher"
    if fewest < FEWEST:
        return math.nan, None
    if scores is None:
        return _without_units(target, units, inside, seed)
    if units.cluster is None or units.clusters is None:
        return welch(scores[inside], scores[~inside]).p_value, "welch"
    return _clustered(scores, inside, units.cluster, units.clusters)


def _clustered(scores: Floats, inside: Mask, cluster: Codes, clusters: int) -> tuple[float, str | None]:
    spread = contrast_spread(scores, inside, cluster, clusters)
    return spread.p_value, "cluster-t" if spread.known else None


def _without_units(target: Target, units: Units, inside: Mask, seed: int) -> tuple[float, str | None]:
    group, groups = jackknife_groups(units.size, seed)
    sides = [units.within(inside), units.within(~inside)]
    values = [value_of(target, side) for side in sides]
    without = [unit_statistic(target, side).leaving_out(group, groups) for side in sides]
    sizes = group_sizes(units, group, groups)
    spread = jackknife_spread(values[0] - values[1], without[0] - without[1], sizes)
    return (spread.p_value, "jackknife") if spread.known else (math.nan, None)
