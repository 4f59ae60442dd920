"""How much of a measure a unit holds: its share of the objects, tokens or items that the value counts."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.jackknife import jackknife_groups
from thresher.kernels.inference.statistic import Codes, LabelValues, SumStatistic, unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units

Floats = npt.NDArray[np.float64]


def unit_share(target: Target, units: Units, seed: int) -> float:
    """Return the share of an average unit, weighted by the shares: sum h^2 for shares h that sum to 1.

    It is 1 / n for n units of equal size. A ratio of sums counts its denominators; a mean over labels counts
    the mean share of a label's objects, so that an image with the only two objects of a label weighs more;
    other measures count items.
    """
    group, groups = jackknife_groups(units.size, seed)
    statistic = unit_statistic(target, units)
    if isinstance(statistic, SumStatistic):
        term = statistic.reduction.size_term
        sizes = None if term is None else statistic.make_parts(group, groups)[:, term]
    else:
        labels = statistic.labels_leaving_out(group, groups)
        sizes = None if labels is None else _over_labels(labels)
    return _squared(units.sizes) if sizes is None or not sizes.any() else _of_groups(sizes, group)


def label_share(labels: LabelValues, at: int, group: Codes) -> float:
    """Return `unit_share` of one label: that of its objects; 1 for a label without any."""
    return _of_groups(labels.held[:, at], group) if labels.held[:, at].any() else 1.0


def _over_labels(labels: LabelValues) -> Floats:
    """The mean over labels of each group's share of the label's objects."""
    counted = ~np.isnan(labels.values) & (labels.held.sum(axis=0) > 0)
    held = labels.held[:, counted]
    return np.asarray((held / held.sum(axis=0)).sum(axis=1), dtype=np.float64)


def _of_groups(sizes: Floats, group: Codes) -> float:
    """The sum of squared shares of units, estimated from the sizes of random groups of them.

    Formula: (Q - r) / (1 - r), at least 1 / n, with the groups' sum of squared shares Q and the share r of
        pairs of the n units that are in one group: the expected Q is S + (1 - S) r for the sum S
    """
    number, members = len(group), np.bincount(group).astype(np.float64)
    together = float((members * (members - 1)).sum()) / (number * (number - 1))
    return max(1 / number, (_squared(sizes) - together) / (1 - together))


def _squared(sizes: Floats) -> float:
    return float(sizes @ sizes) / float(np.abs(sizes).sum()) ** 2
