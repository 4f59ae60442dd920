import numpy as np

from thresher.kernels.inference import Target, compare, estimate
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.units import Units
from thresher.results import Measure, MetricResult, Reduction, Signature, Statistics

ITEMS = 30


class CountedMeanSquare(Reduction):
    """A mean of squares that counts its calls, and is not a function of sums to the library."""

    kind = "test_counted_square"
    calls = 0

    def __call__(self, statistics, weights):
        CountedMeanSquare.calls += 1
        return float(np.average(statistics["score"] ** 2, weights=weights))


def target(seed):
    scores = np.random.default_rng(seed).random(ITEMS)
    measure = Measure(Signature.of("m", {}), CountedMeanSquare(), None)
    return Target(MetricResult([measure], Statistics({"score": scores})), "m")


def leave_out_calls(action):
    before = CountedMeanSquare.calls
    action()
    return CountedMeanSquare.calls - before


def test_intervals_and_comparisons_leave_out_each_item_of_a_run_once():
    first, second = target(0), target(1)
    alone = leave_out_calls(lambda: [estimate(first), estimate(second)])
    assert alone >= 2 * ITEMS
    again = leave_out_calls(lambda: [estimate(first), estimate(second, level=0.9)])
    assert again < ITEMS
    fresh = leave_out_calls(lambda: compare(target(0), target(1)))
    assert fresh - leave_out_calls(lambda: compare(first, second)) == 2 * ITEMS


def test_other_clusters_or_repeats_are_left_out_anew():
    run = target(0)
    mask = np.ones(ITEMS, bool)
    group = np.arange(ITEMS) % 5
    halves, thirds = (
        Units.of(mask, repeats=[f"r{item % size}" for item in range(ITEMS)]) for size in (10, 15)
    )
    clustered = Units.of(mask, clusters=[f"c{item % 5}" for item in range(ITEMS)])
    digests = {units.digest for units in (Units.of(mask), halves, thirds, clustered)}
    assert len(digests) == 4
    values = [
        unit_statistic(run, units).leaving_out(group[: units.size], 5)
        for units in (halves, thirds, clustered)
    ]
    expected = np.delete(run.result.statistics["score"], np.flatnonzero(np.arange(ITEMS) % 5 == 0))
    assert values[2][0] == np.mean(expected**2)
    assert not np.array_equal(values[0], values[1])
