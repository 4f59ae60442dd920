import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, fbeta_score, precision_recall_curve, roc_curve

from thresher.errors import InputError
from thresher.kernels.inference import (
    BestF,
    LeastCost,
    PrecisionAtRecall,
    Quality,
    RecallAtPrecision,
    ScoredLabels,
    Youden,
    find_threshold,
    split_mask,
)
from thresher.kernels.inference.objectives import _highest_above
from thresher.kernels.inference.one_more import rate_limits

coarse = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=40)


def data(items=400, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.random(items) < 0.3
    return np.round(rng.normal(labels * 1.2, 1), 1), labels.astype(float)


def at(scores, labels, threshold):
    called = scores >= threshold
    return confusion_matrix(labels == 1, called, labels=[False, True]).ravel()


@given(coarse)
def test_counts_at_every_threshold_are_those_of_scikit_learn(pairs):
    scores, labels = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    points = ScoredLabels.of(scores, labels).points()
    for place, threshold in enumerate(points.thresholds):
        tn, fp, fn, tp = at(scores, labels, threshold)
        found = (points.tn[place], points.fp[place], points.fn[place], points.tp[place])
        assert found == (tn, fp, fn, tp)
    assert len(points.thresholds) == len(set(scores)) + 1


def test_the_best_f_is_the_best_there_is():
    scores, labels = data()
    for beta in (0.5, 1.0, 2.0):
        found = find_threshold(scores, labels, BestF(beta), draws=0)
        every = [fbeta_score(labels, scores >= cut, beta=beta) for cut in np.unique(scores)]
        assert found.chosen.values["f"] == pytest.approx(max(every), abs=1e-12)
        assert fbeta_score(labels, scores >= found.threshold, beta=beta) == pytest.approx(max(every))


def test_precision_at_a_recall_floor_and_the_reverse():
    scores, labels = data()
    precision, recall, _ = precision_recall_curve(labels, scores)
    found = find_threshold(scores, labels, PrecisionAtRecall(0.8), draws=0).chosen.values
    assert found["recall"] >= 0.8
    assert found["precision"] == precision[recall >= 0.8].max()
    found = find_threshold(scores, labels, RecallAtPrecision(0.6), draws=0).chosen.values
    assert found["precision"] >= 0.6
    assert found["recall"] == recall[precision >= 0.6].max()
    with pytest.raises(
        InputError, match=r"no threshold keeps precision at 0.99 or above; the highest is 0\.\d"
    ):
        find_threshold([1, 2, 3], [1, 0, 0], RecallAtPrecision(0.99))


def test_a_floor_for_values_that_are_all_undefined_is_not_reached():
    undefined = np.full(3, math.nan)
    with pytest.raises(InputError) as error:
        _highest_above(np.ones(3), undefined, 0.9, "precision", np.ones(3))
    assert str(error.value) == "no threshold keeps precision at 0.9 or above: it is undefined at every one"


def test_youden_is_the_highest_point_over_the_diagonal():
    scores, labels = data()
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
    found = find_threshold(scores, labels, Youden(), draws=0).chosen.values
    assert found["recall"] + found["specificity"] - 1 == pytest.approx((true - false).max())


def test_each_outcome_has_its_cost():
    costs = LeastCost(false_positive=5, false_negative=7, true_positive=-2, true_negative=-3)
    assert costs.name == "cost_fp_5_fn_7_tp_-2_tn_-3"
    assert costs.per_item(tp=2, fp=3, fn=4, tn=1) == pytest.approx((5 * 3 + 7 * 4 - 2 * 2 - 3 * 1) / 10)
    points = SimpleNamespace(
        tp=np.array([1, 2, 2]), fp=np.array([0, 0, 2]), fn=np.array([1, 0, 0]), tn=np.array([2, 2, 0])
    )
    assert costs.pick(points) == 1
    assert LeastCost(0, 0, true_positive=1).pick(points) == 0, "a true positive may cost something"
    assert LeastCost(0, 0, true_negative=1).pick(points) == 2


def test_a_floor_that_is_reached_exactly_is_reached():
    constrained, values = np.array([0.8, 0.9]), np.array([0.7, 0.6])
    assert _highest_above(values, constrained, 0.8, "recall", values) == 0


@pytest.mark.parametrize(
    ("objective", "name"), [(PrecisionAtRecall(0.9), "recall"), (RecallAtPrecision(0.9), "precision")]
)
def test_a_floor_that_no_threshold_reaches_is_named(objective, name):
    points = SimpleNamespace(
        precision=np.array([0.5, 0.4]), recall=np.array([0.2, 0.25]), thresholds=np.array([0.8, 0.7])
    )
    with pytest.raises(InputError) as error:
        objective.pick(points)
    highest = {"recall": "0.25, at the threshold 0.7", "precision": "0.5, at the threshold 0.8"}[name]
    assert str(error.value) == f"no threshold keeps {name} at 0.9 or above; the highest is {highest}"


def test_labels_of_one_class_have_no_best_threshold():
    with pytest.raises(InputError) as error:
        BestF().pick(SimpleNamespace(f_beta=lambda _: np.full(2, math.nan)))
    assert str(error.value) == ("no threshold can be chosen: the labels are all positive or all negative")


def test_costs_may_say_that_nothing_is_worth_it():
    scores, labels = data()
    found = find_threshold(scores, labels, LeastCost(1, 3), draws=0)
    costs = [fp + 3 * fn for cut in np.unique(scores) for _, fp, fn, _ in [at(scores, labels, cut)]]
    assert found.chosen.fp + 3 * found.chosen.fn == min(costs)
    never = find_threshold(-scores, labels, LeastCost(1000, 1), draws=20)
    assert (never.threshold, never.chosen.tp, never.chosen.fp) == (math.inf, 0, 0)
    assert never.interval is None
    assert json.dumps(never.to_dict(), allow_nan=False)


def test_lower_may_be_better():
    scores, labels = data()
    up = find_threshold(scores, labels, draws=0)
    down = find_threshold(-scores, labels, direction="lower", draws=0)
    assert (down.threshold, down.chosen) == (-up.threshold, up.chosen)


def test_a_threshold_is_reported_where_it_was_not_chosen():
    scores, labels = data(1000)
    part = split_mask(labels, share=0.4, seed=2)
    assert part[labels == 1].mean() == pytest.approx(0.4, abs=0.01)
    assert part[labels == 0].mean() == pytest.approx(0.4, abs=0.01)
    found = find_threshold(scores, labels, chosen_on=part)
    tn, fp, fn, tp = at(scores[~part], labels[~part], found.threshold)
    told = found.reported
    assert (told.tn, told.fp, told.fn, told.tp) == (tn, fp, fn, tp)
    recall = told.intervals["recall"]
    assert (recall.low, recall.high) == pytest.approx(rate_limits(tp, tp + fn, 0.95), abs=1e-9)
    assert found.interval.low <= found.threshold <= found.interval.high
    alone = find_threshold(scores[part], labels[part])
    assert (alone.threshold, alone.reported, alone.chosen) == (found.threshold, None, found.chosen)


def test_intervals_of_f_cover_it():
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(1500):
        tp, fp, fn, tn = rng.multinomial(60, [0.3, 0.08, 0.1, 0.52]).tolist()
        limits = Quality(tp, fp, fn, tn, 1.0, 0.95).intervals["f"]
        covered.append(limits.low <= 0.6 / 0.78 <= limits.high)
    assert 0.935 <= np.mean(covered) <= 0.965


def test_positives_that_nothing_detected_count_in_recall_only():
    scores = [0.9, 0.8, 0.3, -math.inf, -math.inf]
    labels = [1, 1, 0, 1, 1]
    found = find_threshold(scores, labels, RecallAtPrecision(0.6), draws=0)
    assert (found.threshold, found.chosen.values["recall"]) == (0.8, 0.5)
    assert len(ScoredLabels.of(scores, labels).points().thresholds) == 4


def test_clusters_are_not_torn_apart():
    clusters = np.arange(200) // 10
    part = split_mask(np.ones(200), clusters=clusters, share=0.3)
    assert {part[clusters == each].mean() for each in range(20)} == {0.0, 1.0}
    assert part.mean() == pytest.approx(0.3)


def test_what_cannot_be_used_is_told():
    with pytest.raises(InputError, match="2 scores for 3 labels"):
        find_threshold([1, 2], [1, 0, 1])
    with pytest.raises(InputError, match="map them to two classes"):
        find_threshold([1, 2], [1, 2])
    with pytest.raises(InputError, match="no item has both"):
        find_threshold([math.nan, 2], [1, math.nan])
    with pytest.raises(InputError, match="no entry is labelled positive"):
        find_threshold([1, 2], [0, 0], Youden())
    with pytest.raises(InputError, match="all positive or all negative"):
        find_threshold([1, 2], [1, 1], Youden())
    with pytest.raises(InputError, match="none of the 2 entries to choose on is positive"):
        find_threshold([1, 2, 3], [0, 0, 1], chosen_on=[True, True, False])
    with pytest.raises(InputError, match="leaves a side empty"):
        split_mask([1, 0], share=1)
    with pytest.raises(InputError, match="chosen_on has 1 entry"):
        find_threshold([1, 2], [0, 1], chosen_on=[True])
