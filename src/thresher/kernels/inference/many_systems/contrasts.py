"""Linear combinations of systems: estimates, p-values and intervals that hold for all of them together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, checked_level
from thresher.kernels.inference.many_systems.contribution_tables import contributions_of, unit_group
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.max_t import MaxT
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS
from thresher.kernels.inference.many_systems.system_scores import SystemScores

Floats = npt.NDArray[np.float64]


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
    family = MaxT.of(aligned(families, seed), draws, seed)
    p_raw, p_adjusted, p_stepdown = family.p_values
    low, high = family.intervals(level)
    return Contrasts(
        estimate=np.concatenate([part.estimate for part in family.contributions]),
        standard_error=np.concatenate([part.errors for part in family.contributions]),
        p_raw=p_raw,
        p_adjusted=p_adjusted,
        p_stepdown=p_stepdown,
        low=low,
        high=high,
        critical=family.critical(level),
        level=level,
        units=family.contributions[0].units,
        draws=len(family.tops),
        exact=family.exact,
        seed=seed,
    )


def aligned(families: Sequence[tuple[SystemScores, npt.ArrayLike]], seed: int) -> list[Contributions]:
    """Contributions of each measure to its contrasts, over the same units.

    Raises:
        InputError: if the measures do not have the same items and clusters, or if one of several measures
            jumps where one item is left out.
    """
    shared = unit_group([scores for scores, _ in families], seed)
    aligned_parts = [contributions_of(scores, matrix, shared) for scores, matrix in families]
    drawn = any(scores.influences is not None and scores.influences.drawn for scores, _ in families)
    if len(aligned_parts) > 1 and (drawn or len({part.units for part in aligned_parts}) > 1):
        names = ", ".join(scores.measure for scores, _ in families)
        raise InputError(f"{names} do not have the same independent units; compare them one by one")
    return aligned_parts
