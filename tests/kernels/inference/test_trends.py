import numpy as np
import pytest
from scipy.stats import linregress, ttest_1samp

from thresher import InputError
from thresher.kernels.inference.many_systems import SystemScores
from thresher.kernels.inference.trends import changes, slope_row, step_row

NAMES = ["kind", "estimate", "standard_error", "low", "high", "p_value", "runs", "width", "alarm"]


def noisy(rng, runs=10, items=60, drift=0.0):
    base = rng.beta(4, 1, items)
    return base[:, None] + drift * np.arange(runs) + rng.normal(0, 0.15, (items, runs))


def test_a_slope_is_the_mean_of_the_least_squares_slopes_of_the_items():
    scores = noisy(np.random.default_rng(3), runs=6)
    (slope,) = changes(SystemScores.of_scores(scores))
    own = [linregress(range(6), row).slope for row in scores]
    assert slope.estimate == pytest.approx(np.mean(own), abs=1e-12)
    assert slope.standard_error == pytest.approx(np.std(own, ddof=1) / np.sqrt(60), abs=1e-12)
    assert slope.p_value == pytest.approx(ttest_1samp(own, 0).pvalue, abs=0.02)
    assert (slope.kind, slope.runs, slope.width) == ("slope", 6, 0)
    assert list(slope.to_dict()) == NAMES


def test_a_step_compares_the_last_runs_with_those_before():
    scores = noisy(np.random.default_rng(4), runs=7)
    scores[:, 5:] -= 0.2
    _, step = changes(SystemScores.of_scores(scores), step=2)
    assert step.estimate == pytest.approx((scores[:, 5:].mean(1) - scores[:, 3:5].mean(1)).mean(), abs=1e-12)
    assert step.alarm
    assert (step.kind, step.runs, step.width) == ("step", 4, 2)
    (better, _) = changes(SystemScores.of_scores(scores, direction="lower"), step=2)
    assert not better.alarm


def test_few_runs_have_no_slope_and_no_step():
    scores = noisy(np.random.default_rng(5), runs=3)
    assert [change.kind for change in changes(SystemScores.of_scores(scores), step=2)] == ["slope"]
    assert changes(SystemScores.of_scores(scores[:, :2])) == []
    assert [change.kind for change in changes(SystemScores.of_scores(scores[:, :2]), step=1)] == ["step"]
    with pytest.raises(InputError, match="step=0 must be a whole number of runs"):
        changes(SystemScores.of_scores(scores), step=0)


def test_equal_runs_and_a_single_item_do_not_alarm():
    equal = np.repeat(np.random.default_rng(6).random((20, 1)), 5, axis=1)
    (slope,) = changes(SystemScores.of_scores(equal))
    assert slope.estimate == pytest.approx(0, abs=1e-12)
    assert not slope.alarm
    (alone,) = changes(SystemScores.of_scores([[0.9, 0.5, 0.1]]))
    assert not alone.alarm
    assert np.isnan(alone.low)


def test_contrasts_of_runs_sum_to_zero():
    assert slope_row(4).sum() == pytest.approx(0)
    assert slope_row(4) @ np.arange(4) == pytest.approx(1)
    assert step_row(6, 3).sum() == pytest.approx(0)


def test_the_share_of_false_alarms_is_stated_and_a_drift_is_seen():
    rng = np.random.default_rng(7)
    alarms, drifts, best_so_far = np.zeros(100), np.zeros(25), np.zeros(100)
    for place in range(len(alarms)):
        scores = noisy(rng, runs=20)
        alarms[place] = any(c.alarm for c in changes(SystemScores.of_scores(scores), step=5, draws=100))
        best_so_far[place] = worse_than_best_so_far(scores)
    for place in range(len(drifts)):
        drift = SystemScores.of_scores(noisy(rng, runs=20, drift=-0.003))
        drifts[place] = changes(drift, draws=100)[0].alarm
    assert 0 < alarms.mean() <= 0.072  # 2.5 % and three standard errors
    assert drifts.mean() >= 0.85
    assert best_so_far.mean() >= 0.7


def worse_than_best_so_far(scores):
    means = scores.mean(axis=0)
    for run in range(1, scores.shape[1]):
        best = means[:run].argmax()
        test = ttest_1samp(scores[:, run] - scores[:, best], 0)
        if test.statistic < 0 and test.pvalue < 0.05:
            return True
    return False
