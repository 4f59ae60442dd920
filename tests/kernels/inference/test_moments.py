import math

import numpy as np
import pytest

from thresher.kernels.inference.jackknife import GROUPS, jackknife_groups
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.spread import mean_spread, spread_of
from thresher.kernels.inference.statistic import group_sums, sums_without

SCORES = {
    "beta": np.random.default_rng(1).beta(2, 1, 1000),
    "skewed": np.random.default_rng(2).exponential(3.0, 1000),
    "tiny": np.random.default_rng(3).random(1000) * 1e-90,
    "far from zero": 1e6 + np.random.default_rng(4).random(1000),
    "binary": (np.random.default_rng(5).random(1000) < 0.01).astype(float),
    "equal": np.full(1000, 0.1),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("size", [1, 7, 333, 999])
def test_merged_moments_are_those_of_the_whole(name, size):
    scores = SCORES[name]
    merged = Moments.merged(Moments.of(scores[start : start + size]) for start in range(0, 1000, size))
    whole = mean_spread(scores)
    assert (merged.mean, spread_of(merged).standard_error) == pytest.approx(
        (whole.value, whole.standard_error), rel=1e-12, abs=0
    )
    # The mean is rounded; the tails of deviations from it are known to that part of a standard deviation.
    rounding = 1e-15 * abs(whole.value) / (float(scores.std()) or 1.0)
    assert merged.tails == pytest.approx((whole.kurtosis, whole.skewness), rel=1e-12, abs=10 * rounding)
    assert (merged.low, merged.high, merged.binary) == (scores.min(), scores.max(), name == "binary")


def test_empty_blocks_add_nothing():
    moments = Moments.merged([Moments(), Moments.of(np.array([1.0, 3.0])), Moments.of(np.zeros(0))])
    assert (moments.mean, moments.count) == (2.0, 2)
    assert math.isnan(Moments().mean)


def test_sums_of_groups_in_blocks_are_those_of_the_whole():
    counts = np.arange(1000.0)
    group, groups = jackknife_groups(1000, 7)
    whole = group_sums([[counts]], group, groups)
    blocks = group_sums([[counts[:300]], [counts[300:]]], group, groups)
    assert (blocks == whole).all()
    assert sums_without(whole)[group[5], 0] == counts.sum() - counts[group == group[5]].sum()


def test_groups_are_those_of_a_permutation_of_the_numbers():
    numbers = np.random.default_rng(7).permutation(12345) % GROUPS
    assert (jackknife_groups(12345, 7)[0] == numbers).all()
