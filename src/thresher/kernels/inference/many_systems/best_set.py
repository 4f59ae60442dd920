"""Which systems may be the best: multiple comparisons with the best."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import t_quantile
from thresher.kernels.inference.interval import LEVEL, SEED, checked_level
from thresher.kernels.inference.many_systems.contrasts import aligned
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.families import all_pairs
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS, sign_blocks
from thresher.kernels.inference.many_systems.system_scores import SystemScores

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BestSet:
    """The systems that may be the best.

    Attributes:
        possible: per system whether it may be the best; contains the best with probability `level`.
        low: lower limit of each system's advantage over the best of the others, at most 0.
        high: upper limit, at least 0; 0 for systems that are not the best. A positive advantage is better
            in the measure's direction.
        level: nominal coverage.
    """

    possible: Mask
    low: Floats
    high: Floats
    level: float


def best_set(
    scores: SystemScores, *, level: float = LEVEL, draws: int = SIGN_DRAWS, seed: int = SEED
) -> BestSet:
    """Systems that may be the best, by one-sided simultaneous bounds of the differences to all others.

    A system may be the best unless another is better at that level. Equal systems are all in the set, and
    so are systems that the items do not show, for example with fewer than three items.

    Formula: system i may be the best if min over j of (d_ij + c_i s_ij) >= 0 with differences d_ij, standard
        errors s_ij and the `level` quantile c_i of max over j of t_ij, from random signs
    Source: Hsu (1996), Multiple Comparisons: Theory and Methods, ch. 4.

    Args:
        scores: one measure of N systems.
        level: nominal coverage.
        draws: number of sign vectors; all 2^units are used if these are not more.
        seed: seed of the signs.

    >>> best_set(SystemScores.of_scores([[0.9, 0.9, 0.1], [0.8, 0.8, 0.3], [0.7, 0.7, 0.1], [0.6, 0.6, 0.2],
    ...     [0.9, 0.9, 0.2], [0.8, 0.8, 0.1], [0.7, 0.7, 0.2]])).possible.tolist()
    [True, True, False]
    """
    checked_level(level)
    systems = len(scores)
    (pairs,) = aligned([(scores, scores.sign * all_pairs(systems))], seed)
    critical = _critical_values(pairs, systems, level, draws, seed)
    shared = np.broadcast_to(critical[:, None], (systems, len(pairs.estimate)))
    halves = pairs.from_equal_units(shared) * pairs.errors
    upper = np.full((systems, systems), np.inf)
    for row, (first, second) in enumerate(combinations(range(systems), 2)):
        if pairs.known[row]:
            upper[second, first] = pairs.centres[row] + halves[second, row]
            upper[first, second] = -pairs.centres[row] + halves[first, row]
    best = upper.min(axis=1)
    possible = best >= 0
    low = [_lower_limit(upper, possible, system) for system in range(systems)]
    return BestSet(possible, np.array(low), np.maximum(0.0, best), level)


def _lower_limit(upper: Floats, possible: Mask, system: int) -> float:
    """The least advantage over the other systems that may be the best; 0 if there are none."""
    rivals = [rival for rival in np.flatnonzero(possible) if rival != system]
    return min([0.0, *(-float(upper[rival, system]) for rival in rivals)])


def _critical_values(pairs: Contributions, systems: int, level: float, draws: int, seed: int) -> Floats:
    """Per system the quantile of its largest one-sided statistic against the others."""
    place = list(combinations(range(systems), 2))
    tops = []
    for signs in sign_blocks(pairs.units, draws, seed, systems**2):
        statistics = pairs.statistics(signs)
        directed = np.zeros((len(signs), systems, systems))
        for row, (first, second) in enumerate(place):
            directed[:, second, first] = statistics[:, row]
            directed[:, first, second] = -statistics[:, row]
        tops.append(directed.max(axis=2))
    drawn = np.quantile(np.concatenate(tops), level, axis=0, method="higher")
    # Few units have too few sign vectors for a quantile: Bonferroni's value is larger.
    tests = 1 if sum(map(len, tops)) * (1 - level) >= 1 else systems - 1
    least = t_quantile(1 - (1 - level) / tests, pairs.reference)
    return np.asarray(np.maximum(drawn, least), dtype=np.float64)
