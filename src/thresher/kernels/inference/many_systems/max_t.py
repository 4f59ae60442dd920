"""The distribution of the largest |t| of a family of contrasts, from random signs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import normal_quantile, t_quantile
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.signs import enumerated, sign_blocks

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_TIE = 1e-9  # statistics differ by less if only the order of a sum differs


@dataclass(frozen=True, eq=False)
class MaxT:
    """A family of contrasts and its statistics over random signs.

    Attributes:
        contributions: one per measure.
        counts: numbers of draws as extreme as each contrast: alone, single step, step-down.
        tops: the largest |t| of each draw.
        exact: whether the draws are all sign vectors.
    """

    contributions: Sequence[Contributions]
    counts: Floats
    tops: Floats
    exact: bool

    @classmethod
    def of(cls, contributions: Sequence[Contributions], draws: int, seed: int) -> "MaxT":
        """Draw signs and count."""
        t = np.concatenate([np.where(part.variable, _equal_unit_t(part), np.inf) for part in contributions])
        counts, tops = _count(contributions, t, draws, seed)
        return cls(contributions, counts, tops, enumerated(contributions[0].units, draws))

    @cached_property
    def p_values(self) -> Floats:
        """P-values (3 x contrasts): alone, single step, step-down; NaN for unknown contrasts.

        At least those of the t test, which matters with few units; Bonferroni's where a contrast exceeds all
        sign vectors. Contrasts without spread do not enter the draws: their p-values are multiplied by their
        number.
        """
        total = len(self.tops)
        alone = np.concatenate([_alone(part) for part in self.contributions])
        shares = (self.counts + 1) / (total + 1)
        if self.exact:
            most = np.minimum(1 / total, np.stack([alone, alone * len(alone), alone * len(alone)]))
            shares = np.where(self.counts > 0, self.counts / total, most)
        corrected = np.minimum(1.0, alone * self._constants)
        own = np.stack([alone, corrected, corrected])
        variable = np.concatenate([part.variable for part in self.contributions])
        p_values = np.where(variable, np.maximum(shares, alone), own)
        return np.where(variable | self._constant, p_values, np.nan)

    def critical(self, level: float) -> float:
        """The quantile of the draws, at least that of one t test; NaN if no contrast has a spread."""
        if not any(part.variable.any() for part in self.contributions):
            return float("nan")
        drawn = float(np.quantile(self.tops, level, method="higher"))
        return max(drawn, t_quantile((1 + level) / 2, self.contributions[0].reference))

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Simultaneous limits within the possible differences; NaN for unknown contrasts."""
        critical = self.critical(level)
        half = np.concatenate(
            [self._own_critical(part, level, critical) * part.errors for part in self.contributions]
        )
        centre = np.concatenate([part.centres for part in self.contributions])
        possible = np.concatenate([part.possible for part in self.contributions])
        low, high = np.maximum(centre - half, -possible), np.minimum(centre + half, possible)
        undecided = self._constant & (self.p_values[1] > 1 - level)
        return np.where(undecided, np.minimum(low, 0), low), np.where(undecided, np.maximum(high, 0), high)

    @cached_property
    def _constant(self) -> Mask:
        return np.concatenate([part.constant for part in self.contributions])

    @property
    def _constants(self) -> int:
        return max(1, int(np.count_nonzero(self._constant)))

    def _own_critical(self, part: Contributions, level: float, critical: float) -> Floats:
        """Half the width of each interval in its standard errors, as for the p-values."""
        from scipy.special import stdtrit

        tests = (
            1 if len(self.tops) * (1 - level) >= 1 else sum(len(part.estimate) for part in self.contributions)
        )
        single = stdtrit(part.degrees, 1 - (1 - level) / 2 / tests)
        own = np.maximum(part.from_equal_units(np.full(len(part.estimate), critical)), single)
        least = normal_quantile(1 - (1 - level) / 2 / self._constants)
        return np.asarray(np.where(part.constant, np.fmax(critical, least), own), dtype=np.float64)


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


def _count(contributions: Sequence[Contributions], t: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Count draws as extreme as t (alone, single step, step-down), and return the largest |t| of each."""
    order = np.argsort(-t, kind="stable")
    limit = t - _TIE * np.clip(t, 1, 1 / _TIE)  # infinite where unknown
    counts, tops = np.zeros((3, len(t))), []
    for signs in sign_blocks(contributions[0].units, draws, seed, len(t)):
        drawn = np.abs(np.hstack([part.statistics(signs) for part in contributions]))
        top = drawn.max(axis=1)
        rest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
        counts[0] += (drawn >= limit).sum(axis=0)
        counts[1] += (top[:, None] >= limit).sum(axis=0)
        counts[2, order] += (rest >= limit[order]).sum(axis=0)
        tops.append(top)
    counts[2, order] = np.maximum.accumulate(counts[2, order])
    return counts, np.concatenate(tops)
