"""Tests of paired differences that are valid for few items: McNemar, sign flips, item swaps."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.statistic import CELLS
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import Statistics

Floats = npt.NDArray[np.float64]
FLIPS = 10_000
"""Random sign flips or swaps: a p-value of 0.05 is then known to 0.2 points (sqrt(0.05 * 0.95 / 10,000))."""
_ENUMERATED = 13
"""Up to this many differing units, all sign patterns are enumerated: 2^13 is less than the random flips."""
_ROUNDING = 1e-9  # sums of the same differences in another order differ by less


def mcnemar(wins: int, losses: int) -> float:
    """Mid-p value of McNemar's test of wins and losses being equally likely.

    Mid-p counts the observed split half. The exact test is conservative; mid-p keeps the level in practice
    (Fagerland, Lydersen and Laake 2013, The McNemar test for binary matched-pairs data: mid-p and asymptotic
    are better than exact conditional).

    Formula: 2 * P(X <= min(wins, losses)) - P(X = min(wins, losses)), X ~ Binomial(wins + losses, 1/2)

    Args:
        wins: items that only the second run gets right.
        losses: items that only the first run gets right.

    >>> round(mcnemar(3, 0), 6), mcnemar(2, 2)
    (0.125, 1.0)
    """
    from scipy.special import betainc, gammaln

    total, fewer = wins + losses, min(wins, losses)
    if wins == losses:
        return 1.0
    # P(X <= k) = I_{1/2}(n - k, k + 1)
    tail = float(betainc(total - fewer, fewer + 1, 0.5))
    log_mass = gammaln(total + 1) - gammaln(fewer + 1) - gammaln(total - fewer + 1) - total * math.log(2)
    return min(1.0, 2 * tail - math.exp(float(log_mass)))


def sign_flip(differences: npt.ArrayLike, flips: int = FLIPS, seed: int = SEED) -> float:
    """Sign-flip test: how often random signs give a sum at least as far from zero (Fisher 1935).

    Exact over all signs if at most 13 units differ, else (count + 1) / (flips + 1) over random signs.
    Equal differences are flipped together as one binomial count, which is the same distribution.

    Args:
        differences: one number per independent unit; zeros do not matter.
        flips: number of random sign patterns.
        seed: seed of the generator.

    Returns:
        The two-sided p-value; 1 if nothing differs.

    >>> sign_flip([1.0, 1.0, 1.0]), sign_flip([0.0, 0.0])
    (0.25, 1.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    sizes = np.abs(values[values != 0])
    observed = abs(float(values.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= _ENUMERATED:
        patterns = 2 ** len(sizes)
        signs = (np.arange(patterns)[:, None] >> np.arange(len(sizes))) & 1
        return float(np.count_nonzero(np.abs((2.0 * signs - 1) @ sizes) >= observed) / patterns)
    reached = sum(
        int(np.count_nonzero(np.abs(sums) >= observed)) for sums in _flipped_sums(sizes, flips, seed)
    )
    return (reached + 1) / (flips + 1)


def item_swap(first: Target, second: Target, units: Units, flips: int, seed: int = SEED) -> float:
    """Approximate randomisation test: how often runs with randomly swapped items differ at least as much.

    For values that are not means (Noreen 1989, Computer-Intensive Methods for Testing Hypotheses): if the
    runs do not differ, outputs are exchangeable between them.

    Args:
        first: the measure of one run.
        second: the same measure of the other run over the same items.
        units: the rows that count in both; clusters and repeats are swapped whole.
        flips: number of random swaps.
        seed: seed of the generator.

    Returns:
        (count + 1) / (flips + 1), two-sided. NaN draws count as at least as extreme as the observed
        difference.
    """
    reduction = first.measure.reduction
    parts = [target.result.statistics.take(units.mask) for target in (first, second)]
    both = Statistics.concatenate(parts)
    generator = np.random.default_rng(seed)

    def differences(swapped: Floats) -> Floats:
        moved, stayed = units.spread_out(swapped), units.spread_out(1 - swapped)
        values = [reduction.many(both, np.hstack(weights)) for weights in ((stayed, moved), (moved, stayed))]
        return np.abs(values[1] - values[0])

    observed = differences(np.zeros((1, units.size)))[0]
    reached, block = 0, max(1, CELLS // max(both.size, 1))
    for start in range(0, flips, block):
        swapped = generator.integers(0, 2, (min(block, flips - start), units.size)).astype(np.float64)
        reached += int(np.count_nonzero(~(differences(swapped) < observed - _ROUNDING)))
    return (reached + 1) / (flips + 1)


def _flipped_sums(sizes: Floats, flips: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    values, counts = np.unique(sizes, return_counts=True)
    block = max(1, CELLS // len(values))
    for start in range(0, flips, block):
        rows = min(block, flips - start)
        if len(values) == len(sizes):
            positive = generator.integers(0, 2, (rows, len(values)), np.int8)
        else:
            positive = generator.binomial(counts, 0.5, (rows, len(values)))
        yield (2.0 * positive - counts) @ values
