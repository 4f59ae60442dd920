"""Effects of units on values that are not means: jackknife influences, or deviations of bootstrap draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.evidence import value_of
from thresher.kernels.inference.jackknife import Codes, jackknife_groups
from thresher.kernels.inference.resampling import ERROR_DRAWS, bootstrap_values
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influences:
    """Effect of each unit on each system's value; each column sums to 0.

    Attributes:
        parts: units x systems, as (score - mean) / n is for a mean of n items.
        items: number of items behind the values.
        group: per item or cluster its unit; None if each is a unit, or if units are draws.
        sizes: per unit its number of items, 0 for a unit without any; None if units are equal.
        drawn: whether the units are bootstrap draws, which only the same measure shares.
        most_degrees: limit of the degrees of freedom, if the units are draws.
        span: range of the item scores; 0 if the value is not a mean of scores.
    """

    parts: Floats
    items: int
    group: Codes | None = None
    sizes: Floats | None = None
    drawn: bool = False
    most_degrees: float = np.inf
    span: float = 0.0

    def select(self, systems: Sequence[int]) -> "Influences":
        """The columns of some systems."""
        return replace(self, parts=self.parts[:, list(systems)])


def influences_of(
    targets: Sequence[Target], every: Units, common: Units, seed: int
) -> tuple[Floats, Influences]:
    """Values and influences of systems over the items that all of them scored.

    Args:
        targets: one per system, measures that are not means.
        every: units of all items, which are the same for all measures.
        common: the units of the items that all systems scored.
        seed: seed of random groups and draws.

    Raises:
        InputError: if no item is scored by all systems.
    """
    if not common.items:
        raise InputError(
            f"no item has a score of {targets[0].name} from all {counted(len(targets), 'system')}"
        )
    values = np.array([value_of(target, common) for target in targets])
    if common.size < FEWEST:
        return values, Influences(np.zeros((common.size, len(targets))), common.items)
    if not all(target.measure.reduction.smooth for target in targets):
        return values, _drawn(targets, common, seed)
    return values, _jackknifed(targets, every, common, seed)


def _jackknifed(targets: Sequence[Target], every: Units, common: Units, seed: int) -> Influences:
    """Leave out each unit, or each of 100 random groups; groups are the same for all measures.

    Formula: (mean of the values without a group - value without this group) * (1 - h), where h is the
        group's share of the items and the mean is weighted by 1 - h; for a mean (score - mean) / n
    """
    group, groups = jackknife_groups(every.size, seed)
    present, place = np.unique(group[_units_in(every, common)], return_inverse=True)
    statistics = (unit_statistic(target, common) for target in targets)
    without = np.stack([statistic.leaving_out(place, len(present)) for statistic in statistics], axis=1)
    sizes = np.asarray(np.bincount(place, common.sizes), dtype=np.float64)
    weights = 1 - (sizes / sizes.sum() if every.cluster is not None else np.full(len(sizes), 1 / len(sizes)))
    centre = weights @ without / weights.sum()
    parts, all_sizes = np.zeros((groups, len(targets))), np.zeros(groups)
    parts[present] = (centre - without) * weights[:, None]
    all_sizes[present] = sizes if every.cluster is not None else 1.0
    equal = len(present) == groups and every.cluster is None
    return Influences(
        parts,
        common.items,
        None if groups == every.size else group,
        None if equal else all_sizes,
    )


def _units_in(every: Units, common: Units) -> Codes:
    """Per unit of the common items its number among all units."""
    rows = np.arange(len(every.mask)) if every.member is None else every.member
    common_rows = rows[common.mask]
    if common.member is None:
        return common_rows
    numbers = np.zeros(common.size, np.int64)
    numbers[common.member] = common_rows
    return numbers


def _drawn(targets: Sequence[Target], common: Units, seed: int) -> Influences:
    """Deviations of bootstrap draws, scaled so that their squares sum to the bootstrap's variance.

    For values that jump if one unit is left out, as in `bootstrap_spread`. Random signs on many draws have
    the draws' covariance.
    """
    statistics = [unit_statistic(target, common) for target in targets]
    draws = np.stack(bootstrap_values(statistics, common.size, ERROR_DRAWS, seed), axis=1)
    known = draws[~np.isnan(draws).any(axis=1)]
    scale = np.sqrt(common.size / (common.size - 1) / max(1, len(known)))
    parts = (known - known.mean(axis=0)) * scale
    return Influences(parts, common.items, drawn=True, most_degrees=bell_mccaffrey(common.sizes))
