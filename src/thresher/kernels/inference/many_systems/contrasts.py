"""Linear combinations of systems: estimates, p-values and intervals that hold for all of them together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.distributions import normal_quantile, t_quantile
from thresher.kernels.inference.interval import LEVEL, SEED, checked_level
from thresher.kernels.inference.many_systems.contribution_tables import contributions_of, unit_group
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS, enumerated, sign_blocks
from thresher.kernels.inference.many_systems.system_scores import SystemScores

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_TIE = 1e-9  # statistics differ by less if only the order of a sum differs


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Contrasts of systems; arrays have one entry per contrast, NaN where it is unknown.

    Attributes:
        estimate: the value of the contrast.
        standard_error: of the estimate.
        p_raw: two-sided p-value of this contrast alone.
        p_adjusted: single-step max-|t|: at most 5 % of families have any p <= 0.05 if nothing differs.
        p_stepdown: step-down max-|t|: the same bound, a little more power, no intervals.
        low: lower limit of the simultaneous interval.
        high: upper limit.
        critical: half the width of the intervals in standard errors; larger for contrasts whose clusters
            have unequal sizes; NaN if no contrast has a standard error.
        level: the share of families whose intervals all contain their true values.
        units: number of independent units: items or clusters, or groups of them.
        draws: number of sign vectors.
        exact: whether these are all sign vectors.
        seed: seed of the random signs.
    """

    estimate: Floats
    standard_error: Floats
    p_raw: Floats
    p_adjusted: Floats
    p_stepdown: Floats
    low: Floats
    high: Floats
    critical: float
    level: float
    units: int
    draws: int
    exact: bool
    seed: int

    def __len__(self) -> int:
        """Number of contrasts."""
        return len(self.estimate)


def contrasts(
    scores: SystemScores,
    matrix: npt.ArrayLike,
    *,
    level: float = LEVEL,
    draws: int = SIGN_DRAWS,
    seed: int = SEED,
) -> Contrasts:
    """Estimate and test linear combinations of systems, with intervals that hold for all of them together.

    A contrast uses the items that all its systems scored. The distribution of the largest |t| comes from
    random signs on the centred contributions of the items, with the standard error of each draw; it reflects
    how the contrasts are correlated. Clusters get one sign each and the CR2 variance.

    Formula: t = |estimate| / standard error; critical value: the `level` quantile of max |t| over the
        contrasts of a draw; adjusted p: the share of draws whose max |t| is at least t
    Source: Romano and Wolf (2005), Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing;
        Cameron, Gelbach and Miller (2008), Bootstrap-Based Improvements for Inference with Clustered Errors.

    Args:
        scores: one measure of N systems.
        matrix: contrasts x N, for example from `all_pairs`, `against` or `factor_effects`.
        level: nominal coverage of all intervals together.
        draws: number of sign vectors; all 2^units are used if these are not more.
        seed: seed of the signs.

    Returns:
        The contrasts. Contrasts that no item or only one or two units show have no interval and no p-value.
        If all units show the same difference, the interval is that of two more units, a gain and a loss.

    Raises:
        InputError: for a matrix that does not fit the systems, and a level outside 0.5 to 1.
    """
    return joint_contrasts([(scores, matrix)], level=level, draws=draws, seed=seed)


def joint_contrasts(
    families: Sequence[tuple[SystemScores, npt.ArrayLike]],
    *,
    level: float = LEVEL,
    draws: int = SIGN_DRAWS,
    seed: int = SEED,
) -> Contrasts:
    """Contrasts of several measures as one family: p-values and intervals hold for all of them together.

    All measures get the same signs, so that their correlation counts.

    Args:
        families: scores of a measure and its contrasts; all measures of the same items and clusters.
        level: nominal coverage of all intervals together.
        draws: number of sign vectors.
        seed: seed of the signs.

    Returns:
        The contrasts of all measures, one measure after the other.

    Raises:
        InputError: additionally for measures of different items, and for a measure that jumps if one item is
            left out, which has no contributions of items.
    """
    checked_level(level)
    return _joint(aligned(families, seed), level, draws, seed)


def aligned(families: Sequence[tuple[SystemScores, npt.ArrayLike]], seed: int) -> list[Contributions]:
    """Contributions of each measure to its contrasts, over the same units.

    Raises:
        InputError: if the measures do not have the same items and clusters, or if one of several measures
            jumps where one item is left out.
    """
    shared = unit_group([scores for scores, _ in families], seed)
    made = [contributions_of(scores, matrix, shared) for scores, matrix in families]
    drawn = any(scores.influences is not None and scores.influences.drawn for scores, _ in families)
    if len(made) > 1 and (drawn or len({part.units for part in made}) > 1):
        names = ", ".join(scores.measure for scores, _ in families)
        raise InputError(f"{names} do not have the same independent units; compare them one by one")
    return made


def _joint(made: Sequence[Contributions], level: float, draws: int, seed: int) -> Contrasts:
    t = np.concatenate([_equal_unit_t(part) for part in made])
    alone = np.concatenate([_alone(part) for part in made])
    variable, constant = (
        np.concatenate([getattr(part, name) for part in made]) for name in ("variable", "constant")
    )
    counts, tops = _count(made, np.where(variable, t, np.inf), draws, seed)
    exact = enumerated(made[0].units, draws)
    shares = np.maximum(counts, 1) / len(tops) if exact else (counts + 1) / (len(tops) + 1)
    single = np.minimum(1.0, alone * max(1, np.count_nonzero(constant)))
    p_values = [
        np.where(variable, np.maximum(share, alone), np.where(constant, own, np.nan))
        for share, own in zip(shares, (alone, single, single), strict=True)
    ]
    estimate, centre, error = (
        np.concatenate([getattr(part, name) for part in made]) for name in ("estimate", "centres", "errors")
    )
    critical = _critical(made, tops, level)
    half = error * np.concatenate([_own_critical(part, critical, level, constant) for part in made])
    possible = np.concatenate([part.possible for part in made])
    low, high = np.maximum(centre - half, -possible), np.minimum(centre + half, possible)
    undecided = constant & (single > 1 - level)
    return Contrasts(
        estimate=estimate,
        standard_error=error,
        p_raw=p_values[0],
        p_adjusted=p_values[1],
        p_stepdown=p_values[2],
        low=np.where(undecided, np.minimum(low, 0.0), low),
        high=np.where(undecided, np.maximum(high, 0.0), high),
        critical=critical,
        level=level,
        units=made[0].units,
        draws=len(tops),
        exact=exact,
        seed=seed,
    )


def _equal_unit_t(part: Contributions) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return part.as_equal_units(np.where(part.variable, part.centres / part.errors, 0.0))


def _alone(part: Contributions) -> Floats:
    """P-values of the t test; for constant contrasts at least that of equal signs of all units."""
    from scipy.special import ndtr, stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(np.where(part.known & (part.centres != 0), part.centres / part.errors, 0.0))
    normal = np.maximum(2 * ndtr(-t), np.where(t > 0, 2.0 ** (1 - part.number), 1.0))
    return np.asarray(np.where(part.constant, normal, 2 * stdtr(part.degrees, -t)), dtype=np.float64)


def _critical(made: Sequence[Contributions], tops: Floats, level: float) -> float:
    """The quantile of the draws, at least that of one t test; NaN if no contrast has a spread."""
    numbers = [part.number[part.variable].max() for part in made if part.variable.any()]
    if not numbers:
        return float("nan")
    drawn = float(np.quantile(tops, level, method="higher"))
    return max(drawn, t_quantile((1 + level) / 2, float(max(numbers)) - 1))


def _own_critical(part: Contributions, critical: float, level: float, constant: Mask) -> Floats:
    """Half the width of each interval in its standard errors.

    Contrasts without spread do not enter the draws; theirs is at least Bonferroni's for their number.
    """
    tests = max(1, int(np.count_nonzero(constant)))
    least = normal_quantile(1 - (1 - level) / 2 / tests)
    own = part.from_equal_units(np.full(len(part.estimate), critical))
    return np.where(part.constant, np.fmax(critical, least), own)


def _count(made: Sequence[Contributions], t: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Count draws as extreme as t (raw, single step, step-down); also return the largest |t| of each draw."""
    order = np.argsort(-t, kind="stable")
    limit = t - _TIE * np.clip(t, 1, 1 / _TIE)  # infinite where unknown
    counts, tops = np.zeros((3, len(t))), []
    for signs in sign_blocks(made[0].units, draws, seed, len(t)):
        drawn = np.abs(np.hstack([part.statistics(signs) for part in made]))
        top = drawn.max(axis=1)
        rest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
        counts[0] += (drawn >= limit).sum(axis=0)
        counts[1] += (top[:, None] >= limit).sum(axis=0)
        counts[2, order] += (rest >= limit[order]).sum(axis=0)
        tops.append(top)
    counts[2, order] = np.maximum.accumulate(counts[2, order])
    return counts, np.concatenate(tops)
