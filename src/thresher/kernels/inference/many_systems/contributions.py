"""Contributions of independent units to linear combinations of systems, and their standard errors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.spread import Spread, cluster_spread

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
FEWEST = 3
"""Two units have one difference, so that every draw of signs repeats it or has no spread at all."""
_ROUNDING = 1e-9
"""Standard deviations below this share of the scores are rounding errors of 0, as in `differences`."""
_WHOLE = 1 - 1e-9
"""A unit with a larger share of the items has all of them."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions of units to the estimates of contrasts.

    The contributions to contrast c are column c of `parts @ combine`; they sum to 0. Signs are multiplied
    with the few columns of `parts` only, which makes many contrasts cheap.

    Attributes:
        estimate: per contrast; NaN if no item is scored by all its systems.
        parts: units x columns.
        combine: columns x contrasts.
        number: per contrast the number of units that contribute.
        shares: each unit's share of the items (units x 1, or units x contrasts); None if units are equal.
        floor: per contrast the least standard error.
        largest: per contrast the size of its scores, against which rounding errors are judged.
        reach: per contrast the largest value of an item, or that the scores allow if no item has any.
        few: contrasts for which few units differ, so that their spread shows too little.
        differences: contrasts that compare systems; others are values.
        possible: per contrast the largest difference that the measure's bounds allow.
        most_degrees: limit of the degrees of freedom, for units that are draws.
    """

    estimate: Floats
    parts: Floats
    combine: Floats
    number: Floats
    shares: Floats | None
    floor: Floats
    largest: Floats
    reach: Floats
    few: Mask
    differences: Mask
    possible: Floats
    most_degrees: float = np.inf

    @property
    def reference(self) -> int:
        """Degrees of freedom of all units, if they are equal."""
        return max(self.units - 1, 1)

    @property
    def units(self) -> int:
        """Number of rows of `parts`."""
        return len(self.parts)

    @cached_property
    def all_parts(self) -> Floats:
        """The contributions: units x contrasts."""
        return np.asarray(self.parts @ self.combine, dtype=np.float64)

    @cached_property
    def known(self) -> Mask:
        """Contrasts that have an estimate and enough units for a standard error."""
        whole = False if self.shares is None else self.shares.max(axis=0, initial=0.0) >= _WHOLE
        finite = np.isfinite(self.estimate) & np.isfinite(self.all_parts).all(axis=0)
        return np.asarray((self.number >= FEWEST) & finite & ~np.asarray(whole), dtype=np.bool_)

    @cached_property
    def constant(self) -> Mask:
        """Contrasts whose units do not differ, so that they show no spread."""
        spread = np.sqrt(np.square(self.all_parts).sum(axis=0) * self.number)
        return np.asarray(self.known & (spread <= _ROUNDING * self.largest), dtype=np.bool_)

    @cached_property
    def variable(self) -> Mask:
        """Contrasts whose own units show their spread."""
        return self.known & ~self.constant

    @property
    def adjusted(self) -> Mask:
        """Contrasts whose standard error is that of two more units."""
        return np.asarray(self.known & self.differences & (self.constant | self.few), dtype=np.bool_)

    @cached_property
    def centres(self) -> Floats:
        """Middle of each interval: the estimate, shrunk for adjusted contrasts."""
        return np.where(self.adjusted, self._adjusted[0], self.estimate)

    @cached_property
    def errors(self) -> Floats:
        """Standard error per contrast; NaN with fewer than three units.

        Formula: sqrt(U / (U - 1) * sum p^2) for contributions p of U equal units; for clusters with shares h
            of the items the CR2 variance sum p^2 / (1 - h), and never less than without clusters; where
            few or no units differ, that of two more units, a gain and a loss
        Source: Bell and McCaffrey (2002) for clusters; Bonett and Price (2012) for the added units.
        """
        own = np.where(self.constant, 0.0, np.sqrt(self.variances))
        own = np.where(self.adjusted, self._adjusted[1], own)
        return np.where(self.known, np.maximum(own, self.floor), np.nan)

    @cached_property
    def degrees(self) -> Floats:
        """Degrees of freedom per contrast: U - 1, fewer for clusters of unequal size."""
        equal = np.maximum(self.number - 1, 1)
        if self.shares is None:
            return np.minimum(equal, self.most_degrees)
        own = np.array([bell_mccaffrey(column[column > 0]) for column in self.shares.T])
        return np.asarray(np.fmin(np.broadcast_to(own, equal.shape), equal), dtype=np.float64)

    def as_equal_units(self, t: Floats) -> Floats:
        """The statistics of all units, if equal, that are as improbable as `t` is for units of these sizes.

        Random signs alone claim too much where a cluster dominates: with one cluster of 200 items and 11 of 5
        they called 86 % of eight equal systems different, with this 1 %.
        """
        return _same_tail(t, self.degrees, self.reference)

    def from_equal_units(self, critical: Floats) -> Floats:
        """The inverse of `as_equal_units`."""
        return _same_tail(critical, self.reference, self.degrees)

    def statistics(self, signs: Floats) -> Floats:
        """Studentised sums of signed contributions (draws x contrasts); 0 for contrasts without spread.

        The standard error is that of the draw. Signs leave squares unchanged, so only the draw's mean
        enters it. A contrast of fewer units has the statistics of all units that are as improbable, because
        one pair of systems with three common items would otherwise widen the intervals of all.

        Formula: s / sqrt(U / (U - 1) * (sum p^2 - s^2 / U)) with s = signs @ p for U equal units; for
            clusters the variance is sum p^2 / (1 - h) - 2 s signs @ (p h / (1 - h)) + s^2 sum h^2 / (1 - h)

        Args:
            signs: draws x units, each -1 or 1.
        """
        sums = signs @ self.parts @ self.combine
        if self.shares is None:
            variance = self.variances - np.square(sums) / np.maximum(self.number - 1, 1)
        else:
            leverage = self.shares / (1 - np.minimum(self.shares, _WHOLE))
            variance = (
                self.variances
                - 2 * sums * self._pulls(signs, leverage)
                + np.square(sums) * (self.shares * leverage).sum(axis=0)
            )
        least = np.where(self.variable, self.variances, 1.0) * _ROUNDING**2
        drawn = np.where(self.variable, sums / np.sqrt(np.maximum(variance, least)), 0.0)
        degrees = np.maximum(self.number - 1, 1)
        if (degrees == self.reference).all():
            return drawn
        return np.sign(drawn) * _same_tail(drawn, degrees, self.reference)

    def _pulls(self, signs: Floats, leverage: Floats) -> Floats:
        if leverage.shape[1] == 1:
            return np.asarray(signs @ (self.parts * leverage) @ self.combine, dtype=np.float64)
        return np.asarray(signs @ (self.all_parts * leverage), dtype=np.float64)

    @cached_property
    def variances(self) -> Floats:
        """Variance of each estimate that its own units show."""
        squares = np.square(self.all_parts)
        if self.shares is None:
            return np.asarray(squares.sum(axis=0) * self.number / np.maximum(self.number - 1, 1))
        return np.asarray((squares / (1 - np.minimum(self.shares, _WHOLE))).sum(axis=0))

    @cached_property
    def _adjusted(self) -> tuple[Floats, Floats]:
        """Centre and standard error with two more units, a gain and a loss of `reach`."""
        if self.shares is not None:
            return self._adjusted_clusters(self.shares)
        number, more = self.number, self.number + 2
        centre = self.estimate * number / more
        squares = number * (number * np.square(self.all_parts).sum(axis=0) + np.square(self.estimate))
        variance = (squares + 2 * np.square(self.reach)) / more - np.square(centre)
        return centre, np.sqrt(np.maximum(variance, 0.0) / more)

    def _adjusted_clusters(self, shares: Floats) -> tuple[Floats, Floats]:
        centres, errors = self.estimate.copy(), np.zeros(len(self.estimate))
        for place in np.flatnonzero(self.adjusted):
            share = shares[:, min(int(place), shares.shape[1] - 1)]
            sums = self.all_parts[:, place] + self.estimate[place] * share
            spread = adjusted_clusters(sums[share > 0], share[share > 0], float(self.reach[place]))
            centres[place], errors[place] = spread.value, spread.standard_error
        return centres, errors


def _same_tail(t: Floats, degrees: Floats | int, others: Floats | int) -> Floats:
    """The |t| with `others` degrees of freedom that are as improbable as `t` with `degrees`.

    The arrays of degrees have one entry per contrast, the last axis of `t`.
    """
    from scipy.special import stdtr, stdtrit

    converted, first, second = np.abs(t), *np.broadcast_arrays(degrees, others)
    moved = np.broadcast_to(first != second, converted.shape[-1:])
    if moved.any():
        first, second = (np.broadcast_to(side, converted.shape[-1:])[moved] for side in (first, second))
        converted[..., moved] = -stdtrit(second, stdtr(first, -converted[..., moved]))
    return converted


def adjusted_clusters(sums: Floats, sizes: Floats, reach: float) -> Spread:
    """Mean and standard error with two more clusters, a gain and a loss of `reach` per item.

    The added clusters have the effective size sum m^2 / sum m of clusters with m items. With clusters of
    average size the interval contains the true value too rarely if a large cluster happens not to differ
    (measured in docs/statistics.md).

    Args:
        sums: per cluster the sum of its items' differences.
        sizes: per cluster its number of items.
        reach: the largest mean difference of a cluster.

    >>> adjusted_clusters(np.zeros(4), np.full(4, 5.0), 1.0).standard_error.__round__(4)
    0.2582
    """
    size = float(sizes @ sizes) / float(sizes.sum())
    weights = np.append(sizes, [size, size])
    added = np.append(sums, [reach * size, -reach * size])
    centre = float(added.sum() / weights.sum())
    return cluster_spread(centre, added - centre * weights, weights)
