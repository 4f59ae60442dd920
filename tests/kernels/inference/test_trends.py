import math

import numpy as np
import pytest

from thresher import InputError
from thresher.kernels.inference.trends import alarm_limit, watch

RNG = np.random.default_rng


def nights(seed, runs, sd=0.01, alike=0.0, judge=0.0):
    """Values of nightly runs: noise of items, and a judge "of the day" who is alike on neighbouring days."""
    rng = RNG(seed)
    shocks = rng.normal(0, judge, runs)
    for run in range(1, runs):
        shocks[run] = alike * shocks[run - 1] + (1 - alike**2) ** 0.5 * shocks[run]
    return 0.9 + shocks + rng.normal(0, sd, runs)


def test_the_limit_gives_the_mean_number_of_runs_to_a_false_alarm():
    for per_year in (0.1, 0.5, 12):
        limit = alarm_limit(20, per_year, 365)
        b = limit + 1.166
        assert 2 * (math.exp(b) - b - 1) == pytest.approx(365 / per_year)  # Siegmund 1985
    # With level and scatter known, by simulation: a run is 1 / 61 of the runs between false alarms.
    limit, gaps = alarm_limit(20, 6, 365), []
    rng, total, since = RNG(1), 0.0, 0
    for step in rng.normal(size=40_000).tolist():
        total, since = max(0.0, total + step - 0.5), since + 1
        if total > limit:
            gaps.append(since)
            total = since = 0
    assert np.mean(gaps) == pytest.approx(365 / 6, rel=0.1)


def test_a_fall_is_shown_with_its_start_and_size():
    values = nights(1, 40)
    values[32:] -= 0.04
    seen = watch(values.tolist())
    assert seen.since == 32
    assert seen.fall == pytest.approx(values[:20].mean() - values[32:].mean())
    assert seen.interval.low < 0.04 < seen.interval.high
    assert (seen.level, seen.reference) == (pytest.approx(values[:20].mean()), 20)
    assert seen.sums[-1] > seen.limit > seen.sums[10]
    better = watch(values.tolist(), higher=False)
    assert better.since is None
    assert watch((-values).tolist(), higher=False).fall == pytest.approx(seen.fall)
    assert watch((-values).tolist(), higher=False).level == pytest.approx(-seen.level)


def test_the_unit_is_the_scatter_of_runs_and_of_neighbours():
    values = np.array([0.9, 0.92] * 10)
    seen = watch([*values, 0.9])
    upper = values.std(ddof=1) * math.sqrt(19 / 14.562)  # the 25 % quantile of chi squared with 19 degrees
    assert seen.scatter == pytest.approx(upper, rel=1e-4)
    assert seen.autocorrelation == 0
    alike = watch([*sorted(values), 0.9])
    assert alike.autocorrelation == pytest.approx(0.8)
    assert alike.scatter == pytest.approx(upper * 3, rel=1e-4)
    assert alike.noticed > 2 * seen.noticed > 0


def test_one_or_two_odd_runs_do_not_alarm_and_an_alarm_ends():
    steady = nights(3, 30).tolist()
    assert watch([*steady, 0.1, 0.1]).since is None
    assert watch([*steady, 0.1, 0.1, 0.1]).since == 30
    fallen = [*steady, *([0.8] * 60)]
    assert watch(fallen).since == 30
    assert watch([*fallen, *([0.9] * 2)]).since is not None
    assert watch([*fallen, *([0.9] * 8)]).since is None


def test_equal_runs_of_the_reference():
    assert watch([0.7 + 0.2] * 20 + [0.9] * 9).sums[-1] == 0
    seen = watch([0.9] * 20 + [0.89] * 3)
    assert (seen.since, seen.interval, seen.scatter) == (20, None, 0)
    assert watch([0.0] * 20 + [-1.0] * 3).since == 20


def test_runs_without_a_value_are_skipped():
    values = nights(4, 36)
    values[28:] -= 0.05
    gaps = [math.nan, *values[:10], math.nan, *values[10:]]
    assert watch(gaps).since == 30
    assert watch(values[:20].tolist()) is None
    assert watch([math.nan] * 3) is None
    assert '"since"' not in str(watch(gaps).to_dict())


def test_options_out_of_range():
    for wrong, message in (
        ({"reference": 19}, "reference=19 must be at least 20 runs"),
        ({"reference": 20.0}, "must be at least 20 runs"),
        ({"false_alarms": 0}, "at most a tenth of the 365 runs"),
        ({"false_alarms": 40}, "false_alarms_per_year=40 must be"),
        ({"runs_per_year": 0}, "runs_per_year=0 must be more than 0"),
        ({"runs_per_year": math.nan}, "must be more than 0"),
    ):
        with pytest.raises(InputError, match=message):
            watch([0.5] * 30, **wrong)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("noise", "most", "soon"),
    [({}, 0.6, 4), ({"judge": 0.01}, 0.7, 8), ({"judge": 0.02, "alike": 0.7}, 2.0, 50)],
)
def test_false_alarms_per_year_and_delay(noise, most, soon):
    alarms, delays = 0, []
    for seed in range(60):
        values = nights(seed, 385, **noise)
        seen = watch(values.tolist())
        high = np.array(seen.sums) > seen.limit
        alarms += int((high[1:] & ~high[:-1]).sum())  # counts an alarm that flickers more than once
        values[40:] -= 0.03
        fallen = watch(values[:105].tolist())
        found = np.flatnonzero(np.array(fallen.sums)[20:] > fallen.limit)
        delays.append(found[0] + 1 if len(found) else math.inf)
    assert alarms / 60 <= 2 * most
    assert np.median(delays) <= soon
