"""Intervals of the labels of a mean over labels, such as the average precision of each label."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.kernels.inference.estimate import group_sizes
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread, rate_variance
from thresher.kernels.inference.spread import Spread
from thresher.kernels.inference.statistic import Floats, LabelValues, unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.inference.wilson import bounded_interval
from thresher.results import Label, Measure

FEWEST_HOLDERS = 3
"""A label in fewer items has no interval: it would cover nearly the whole range."""


@dataclass(frozen=True)
class LabelEstimate:
    """The value of one label with its interval.

    Attributes:
        label: the label.
        value: its value.
        objects: number of its true objects.
        interval: None if fewer than 3 items contain its objects, or if these are too few for the measure.
        standard_error: of the value; NaN without an interval.
    """

    label: Label
    value: float
    objects: float
    interval: Interval | None
    standard_error: float

    def to_dict(self) -> dict[str, object]:
        """Strict JSON data."""
        return {
            "label": str(self.label),
            "value": finite(self.value),
            "objects": self.objects,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "standard_error": finite(self.standard_error),
        }


def has_labels(target: Target) -> bool:
    """Whether a measure is a mean over labels whose values are reported."""
    return target.measure.reduction.label_names(target.result.statistics) is not None


def label_estimates(
    target: Target,
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> list[LabelEstimate]:
    """Each label's value with a jackknife interval, for a mean over labels.

    A label is known at most as well as a rate over its objects: if they happen to be alike, leaving out items
    changes its value less than other items would. In simulated sets of 20 to 150 images, with labels of
    average precisions from 0.1 to 0.93, 96 to 100 % of the intervals contained the label's mean over such
    sets; with the jackknife alone 81 to 99 %. F1, ROC AUC and IoU vary less than rates do (`label_rates`);
    the jackknife alone contains them in 92 to 99 % of simulated sets.

    Args:
        target: the measure and the items that count.
        level: nominal coverage, 0 to 1.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        seed: seed of the jackknife's random groups.

    Returns:
        One entry per label with objects, in the order of the labels; none for other measures.

    Raises:
        InputError: if `clusters` or `repeats` does not fit the items.
    """
    units = Units.of(target.mask, clusters, repeats)
    values = label_values(target, units, seed)
    if values is None:
        return []
    sizes = group_sizes(units, *jackknife_groups(units.size, seed))
    known = np.flatnonzero(~np.isnan(values.values)).tolist()
    return [_estimated(target.measure, values, at, sizes, level) for at in known]


def label_values(target: Target, units: Units, seed: int) -> LabelValues | None:
    """The labels' values, and those without each group of units; None if the measure has none."""
    if not has_labels(target) or not units.size:
        return None
    return unit_statistic(target, units).labels_leaving_out(*jackknife_groups(units.size, seed))


def _estimated(
    measure: Measure, values: LabelValues, at: int, sizes: Floats | None, level: float
) -> LabelEstimate:
    label = (values.labels or ())[at]
    value, objects = float(values.values[at]), float(values.objects[at])
    holders = int(np.count_nonzero(values.holds[:, at]))
    spread = jackknife_spread(value, values.without[:, at], sizes)
    few = holders < FEWEST_HOLDERS or objects < measure.reduction.fewest_objects
    if few or not spread.known:
        return LabelEstimate(label, value, objects, None, math.nan)
    if measure.reduction.label_rates:
        spread = _at_least_of_rate(spread, objects)
    limits = bounded_interval(
        value,
        spread.standard_error,
        measure.bounds,
        level=level,
        degrees=spread.effective_degrees,
        otherwise=holders,
    )
    return LabelEstimate(label, value, objects, Interval(*limits, level, "jackknife"), spread.standard_error)


def _at_least_of_rate(spread: Spread, objects: float) -> Spread:
    """The spread with at least the variance of a rate over the objects."""
    least = float(rate_variance(spread.value, objects))
    known = spread.standard_error**2
    if least <= known:
        return spread
    kurtosis = spread.kurtosis * (known / least) ** 2  # the variance that is added is known
    return replace(spread, standard_error=math.sqrt(least), kurtosis=kurtosis)
