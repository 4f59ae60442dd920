import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from thresher.errors import InputError
from thresher.kernels.inference import (
    draw_to_label,
    judge_quality,
    prediction_powered_mean,
    rogan_gladen,
)
from thresher.kernels.inference.corrected_means import ENOUGH
from thresher.kernels.inference.one_more import rate_limits

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "statistics" / "ppi.json").read_text())
NAN = math.nan


def columns(case):
    scores = [*case["labelled_scores"], *case["other_scores"]]
    return scores, [*case["labels"], *[NAN] * len(case["other_scores"])]


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_the_corrected_mean_is_that_of_ppi_python(case):
    found = prediction_powered_mean(*columns(case))
    low, high = case["normal_interval"]
    assert found.value == pytest.approx(case["value"], abs=1e-9)
    # ppi-python divides by n where this divides by n - 1.
    assert found.standard_error == pytest.approx(
        (high - low) / 2 / stats.norm.ppf(0.975), rel=1 / found.labelled
    )
    half = stats.t.ppf(0.975, found.labelled - 1) * found.standard_error
    assert found.interval.high - found.interval.low >= 2 * half - 1e-9
    assert found.enough == (len(case["labels"]) >= 100)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_a_useless_judge_is_not_listened_to():
    tuning = {case["name"]: prediction_powered_mean(*columns(case)).tuning for case in GOLDEN["cases"]}
    assert tuning["contrary judge"] == 0.0
    assert tuning["perfect judge"] > tuning["useless judge"]


def test_no_labels_no_corrected_mean():
    found = prediction_powered_mean([1.0, 0.0], [NAN, NAN])
    assert math.isnan(found.value)
    assert (found.interval, found.judge_only, found.enough) == (None, 0.5, False)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_one_label_has_no_interval():
    corrected = prediction_powered_mean([1.0, 0.0, 1.0], [1.0, NAN, NAN])
    assert corrected.value == 1.0
    assert math.isnan(corrected.standard_error)
    assert corrected.interval is None
    assert prediction_powered_mean([1.0, 0.0, 1.0], [1.0, 0.0, NAN]).interval is not None


@pytest.mark.parametrize("labelled", [ENOUGH - 1, ENOUGH])
def test_what_a_corrected_mean_is_based_on(labelled):
    scores = np.arange(160) % 2.0
    labels = np.where(np.arange(160) < labelled, scores, NAN)
    corrected = prediction_powered_mean(scores.tolist(), labels)
    assert (corrected.method, corrected.labelled, corrected.judged) == ("ppi++", labelled, 160 - labelled)
    assert corrected.enough is (labelled >= ENOUGH)


def test_labels_may_come_from_a_column_of_objects():
    scores = [1.0, 0.0, 1.0, 0.0]
    columns = np.array(scores, dtype=object), np.array([1, 0, None, None], dtype=object)
    assert prediction_powered_mean(*columns).value == 0.5


def test_all_labelled_is_the_mean_of_the_labels():
    found = prediction_powered_mean([0.0, 0.0, 1.0], [1.0, 0.0, 1.0], bounds=(0, 1))
    assert (found.value, found.tuning, found.interval.high) == (
        pytest.approx(2 / 3),
        0.0,
        pytest.approx(0.983, abs=0.001),
    )


def test_how_often_a_judge_is_right():
    verdicts = [1] * 50 + [0] * 10 + [1] * 5 + [0] * 15 + [NAN, 1]
    labels = [1] * 60 + [0] * 20 + [1, NAN]
    found = judge_quality(verdicts, labels)
    told = {"sensitivity": (50, 60), "specificity": (15, 20), "accuracy": (65, 80)}
    for name, (right, items) in told.items():
        each = getattr(found, name)
        assert (each.value, each.items) == (right / items, items)
        assert (each.interval.low, each.interval.high) == rate_limits(right, items, 0.95)
    with pytest.raises(InputError, match=r"verdicts: entry 1 is 0\.5"):
        judge_quality([1, 0.5], [1, 1])
    with pytest.raises(InputError, match="one label per item"):
        judge_quality([1], [1, 1])


def test_rogan_and_gladen_undo_what_the_judge_gets_wrong():
    rng = np.random.default_rng(2)
    truth = rng.random(200_000) < 0.7
    verdicts = np.where(truth, rng.random(200_000) < 0.95, rng.random(200_000) < 0.4) * 1.0
    labels = truth.astype(float)
    labels[20_000:] = NAN
    found = rogan_gladen(verdicts, labels)
    assert found.judge_only == pytest.approx(0.785, abs=0.01)
    assert found.value == pytest.approx(0.7, abs=0.01)
    se, sp, p, v = 0.95, 0.6, 0.785, 0.7
    spread = p * (1 - p) / 180_000 + v**2 * se * (1 - se) / 14_000 + (1 - v) ** 2 * sp * (1 - sp) / 6_000
    assert found.standard_error == pytest.approx(math.sqrt(spread) / (se + sp - 1), rel=0.02)


def test_a_judge_that_says_nothing_cannot_be_corrected_by_its_rates():
    found = rogan_gladen([1, 0, 1, 0, 1], [1, 1, 0, 0, NAN])
    assert math.isnan(found.value)
    assert found.interval is None


def test_items_to_label_are_drawn_at_random_and_drawing_goes_on():
    drawn = draw_to_label(1000, 100, seed=3)
    assert draw_to_label(1000, 200, seed=3)[:100] == drawn
    assert draw_to_label(1000, 100, seed=4) != drawn
    assert stats.kstest(np.array(drawn) / 1000, "uniform").pvalue > 0.01
    only = draw_to_label(10, 10, among=np.arange(10) % 2 == 0)
    assert sorted(only) == [0, 2, 4, 6, 8]
    with pytest.raises(InputError, match="cannot draw -1 items"):
        draw_to_label(10, -1)
