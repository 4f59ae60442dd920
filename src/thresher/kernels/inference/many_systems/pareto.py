"""Trade-offs of several measures: systems on the front, perhaps on it, and surely dominated ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, checked_level
from thresher.kernels.inference.many_systems.contrasts import aligned
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.families import all_pairs
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS, enumerated, sign_blocks
from thresher.kernels.inference.many_systems.system_scores import SystemScores
from thresher.results.measure import Direction

Floats = npt.NDArray[np.float64]
_TIE = 1e-9


class Place(StrEnum):
    """Where a system is relative to the Pareto front."""

    FRONT = "front"
    """No system has better or equal values of all measures."""
    POSSIBLE = "possible"
    """Another system has, but the items do not show that it is better."""
    DOMINATED = "dominated"
    """Another system is surely better in all measures."""


@dataclass(frozen=True, eq=False)
class KnownValues:
    """A measure that is known without error, for example a price per call.

    Attributes:
        measure: name of the measure.
        values: one per system.
        direction: whether higher or lower is better.
    """

    measure: str
    values: Floats
    direction: Direction = "lower"

    def __len__(self) -> int:
        """Number of systems."""
        return len(self.values)


@dataclass(frozen=True, eq=False)
class ParetoFront:
    """The Pareto front of several measures and what the items show of it.

    Attributes:
        places: per system its place.
        dominators: per system the system that most clearly dominates it; None unless dominated.
        p_values: j x i, the p-value of system j being better than i in all measures; 1 where it is not.
        level: 1 - the error rate of each system.
    """

    places: tuple[Place, ...]
    dominators: tuple[int | None, ...]
    p_values: Floats
    level: float


def pareto(
    axes: Sequence[SystemScores | KnownValues],
    *,
    level: float = LEVEL,
    draws: int = SIGN_DRAWS,
    seed: int = SEED,
) -> ParetoFront:
    """Classify systems by several measures, such as quality, cost and latency.

    System i is dominated only if some system j is surely better in every measure. By point estimates alone
    60 % of six equal systems are "dominated" in one of two measures of 60 items.

    Formula: p_ji = largest over the measures of the one-sided p-value of j being better than i, from random
        signs; i is dominated if min over j of p_ji <= (1 - level) / (N - 1). The largest p-value needs no
        correction for the number of measures. A known measure has p = 0 if j is no worse, else 1.
    Source: Berger (1982), Multiparameter Hypothesis Testing and Acceptance Sampling, for the
        intersection-union test.

    Args:
        axes: measures of the same systems; their items may differ.
        level: 1 - the error rate per system.
        draws: number of sign vectors.
        seed: seed of the signs.

    Raises:
        InputError: for no measure, and for measures of different numbers of systems.
    """
    checked_level(level)
    systems = _systems(axes)
    p_values = np.max([_axis_p_values(axis, draws, seed) for axis in axes], axis=0)
    values = np.stack([_gains(axis) for axis in axes])
    no_worse = (values[:, :, None] >= values[:, None, :]).all(axis=0)
    better = (values[:, :, None] > values[:, None, :]).any(axis=0)
    beaten = np.asarray(no_worse & better)
    p_values = np.where(beaten, p_values, 1.0)
    surely = p_values.min(axis=0) <= (1 - level) / max(1, systems - 1)
    places, dominators = [], []
    for system in range(systems):
        place = Place.POSSIBLE if beaten[:, system].any() else Place.FRONT
        places.append(Place.DOMINATED if surely[system] else place)
        dominators.append(int(p_values[:, system].argmin()) if surely[system] else None)
    return ParetoFront(tuple(places), tuple(dominators), p_values, level)


def _systems(axes: Sequence[SystemScores | KnownValues]) -> int:
    sizes = {len(axis) for axis in axes}
    if len(sizes) != 1:
        raise InputError("a Pareto front needs one or more measures of the same systems")
    return sizes.pop()


def _gains(axis: SystemScores | KnownValues) -> Floats:
    """Values of the systems, higher is better."""
    return axis.values if axis.direction == "higher" else -axis.values


def _axis_p_values(axis: SystemScores | KnownValues, draws: int, seed: int) -> Floats:
    """Per pair (j, i) the one-sided p-value of j being better than i."""
    if isinstance(axis, KnownValues):
        gains = _gains(axis)
        return np.where(gains[:, None] >= gains[None, :], 0.0, 1.0)
    systems = len(axis)
    (pairs,) = aligned([(axis, axis.sign * all_pairs(systems))], seed)
    upper, lower = _one_sided(pairs, draws, seed)
    p_values = np.ones((systems, systems))
    for row, (first, second) in enumerate(combinations(range(systems), 2)):
        p_values[second, first], p_values[first, second] = upper[row], lower[row]
    return p_values


def _one_sided(pairs: Contributions, draws: int, seed: int) -> tuple[Floats, Floats]:
    """P-values of each pair's difference being above and below 0; 1 if unknown.

    At least those of the t test, which matters with few units; contrasts without spread have only these.
    """
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(pairs.known & (pairs.centres != 0), pairs.centres / pairs.errors, 0.0)
    moved = np.sign(t) * pairs.as_equal_units(t)
    counts, total = np.zeros((2, len(t))), 0
    for signs in sign_blocks(pairs.units, draws, seed, len(t)):
        statistics = pairs.statistics(signs)
        counts[0] += (statistics >= moved - _TIE).sum(axis=0)
        counts[1] += (statistics <= moved + _TIE).sum(axis=0)
        total += len(signs)
    exact = enumerated(pairs.units, draws)
    shares = np.maximum(counts, 1) / total if exact else (counts + 1) / (total + 1)
    tails = np.stack([stdtr(pairs.degrees, -t), stdtr(pairs.degrees, t)])
    drawn = np.where(pairs.variable, np.maximum(shares, tails), np.maximum(tails, 0.5**pairs.number))
    decided = np.where(pairs.known, drawn, 1.0)
    return decided[0], decided[1]
