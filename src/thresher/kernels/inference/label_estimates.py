"""Intervals of the labels of a mean over labels, such as the average precision of each label."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference.evidence import group_sizes
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.shares import label_share
from thresher.kernels.inference.statistic import Codes, Floats, LabelValues, unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
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

    One more unit holds the label's objects of an average one (see `one_more`), so a label whose few objects happen
    to be alike is not certain. In simulated sets of 25 to 120 images 98 to 100 % of the intervals contained the
    label's mean over such sets; with the jackknife alone 81 to 99 %.

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
    group, groups = jackknife_groups(units.size, seed)
    sizes = None if units.cluster is None else group_sizes(units, group, groups)
    known = np.flatnonzero(~np.isnan(values.values)).tolist()
    return [_estimated(target.measure, values, at, group, sizes, level) for at in known]


def label_values(target: Target, units: Units, seed: int) -> LabelValues | None:
    """The labels' values, and those without each group of units; None if the measure has none."""
    if not has_labels(target) or not units.size:
        return None
    return unit_statistic(target, units).labels_leaving_out(*jackknife_groups(units.size, seed))


def label_sums(value: float, without: Floats, labels: LabelValues, at: int, group: Codes) -> UnitSums:
    """Sums of the units of a label's value, or of the difference of two: each holds its share of the objects."""
    held = labels.held[:, at]
    return UnitSums.of_influences(value, without, held, len(group), label_share(labels, at, group))


def _estimated(  # noqa: PLR0917
    measure: Measure, values: LabelValues, at: int, group: Codes, sizes: Floats | None, level: float
) -> LabelEstimate:
    label = (values.labels or ())[at]
    value, objects = float(values.values[at]), float(values.objects[at])
    holders = int(np.count_nonzero(values.holds[:, at]))
    without = values.without[:, at]
    spread = jackknife_spread(value, without, sizes)
    few = holders < FEWEST_HOLDERS or objects < measure.reduction.fewest_objects
    if few or not spread.known:
        return LabelEstimate(label, value, objects, None, math.nan)
    rule = OneMore(label_sums(value, without, values, at, group), measure.bounds)
    interval = Interval(*rule.limits(level), level, rule.method)
    return LabelEstimate(label, value, objects, interval, spread.standard_error)
