"""Metrics of items with several labels against scikit-learn, in all forms of input, and what is refused."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from thresher import InputError
from thresher.components.classification import LabelScores
from thresher.components.multilabel import (
    MultilabelAveragePrecisionEvaluator,
    MultilabelCoverageErrorEvaluator,
    MultilabelF1Evaluator,
    MultilabelHammingLossEvaluator,
    MultilabelPrecisionEvaluator,
    MultilabelRankingAveragePrecisionEvaluator,
    MultilabelRecallEvaluator,
    MultilabelSubsetAccuracyEvaluator,
)
from thresher.kernels.inference import Target, estimate

NAMES = ["ape", "cat", "dog", "owl"]


def sets_of(table):
    return [[name for name, mark in zip(NAMES, row, strict=True) if mark] for row in table]


def dicts_of(table):
    return [dict(zip(NAMES, row, strict=True)) for row in table.tolist()]


@pytest.fixture(scope="module", params=range(4))
def data(request):
    """Truths and scores as arrays of items x labels, and weights. Every label is true and predicted once."""
    generator = np.random.default_rng(request.param)
    items = int(generator.integers(6, 60))
    truths = (generator.random((items, len(NAMES))) < 0.35).astype(int)
    truths[0], truths[1] = 1, 0
    noise = generator.random((items, len(NAMES)))
    scores = np.round(0.7 * noise + 0.3 * truths * generator.random(noise.shape), 1 + 5 * (request.param % 2))
    scores[0] = 0.5 + scores[0] / 2
    weights = generator.integers(0, 4, items).astype(float)
    weights[0] = 1
    return truths, scores, weights


def forms(truths, scores):
    """The same data in every form."""
    yield truths, scores
    yield truths.astype(bool), LabelScores(scores, NAMES)
    yield dicts_of(truths), dicts_of(scores)
    yield sets_of(truths), dicts_of(scores)


@pytest.mark.parametrize(
    ("evaluator", "name"),
    [
        (MultilabelPrecisionEvaluator, "precision_score"),
        (MultilabelRecallEvaluator, "recall_score"),
        (MultilabelF1Evaluator, "f1_score"),
    ],
)
def test_averages_equal_scikit_learn(data, evaluator, name):
    truths, scores, weights = data
    decided = (scores >= 0.5).astype(int)
    for truth, prediction in [*forms(truths, scores), (sets_of(truths), sets_of(decided)), (truths, decided)]:
        result = evaluator(labels=NAMES).run(truth, prediction)["result"]
        for average in ("macro", "micro", "weighted", "samples"):
            for each in (None, weights):
                wanted = getattr(sklearn_metrics, name)(
                    truths, decided, average=average, sample_weight=each, zero_division=0
                )
                found = result.value(f"{evaluator().name}_{average}", each)
                assert found == pytest.approx(wanted, abs=1e-14)


def test_losses_and_rankings_equal_scikit_learn(data):
    truths, scores, weights = data
    decided = (scores >= 0.5).astype(int)
    cases = [
        (MultilabelSubsetAccuracyEvaluator, "accuracy_score", decided),
        (MultilabelHammingLossEvaluator, "hamming_loss", decided),
        (MultilabelRankingAveragePrecisionEvaluator, "label_ranking_average_precision_score", scores),
        (MultilabelCoverageErrorEvaluator, "coverage_error", scores),
        (MultilabelAveragePrecisionEvaluator, "average_precision_score", scores),
    ]
    for truth, prediction in forms(truths, scores):
        for evaluator, name, compared in cases:
            result = evaluator(labels=NAMES).run(truth, prediction)["result"]
            for each in (None, weights):
                wanted = getattr(sklearn_metrics, name)(truths, compared, sample_weight=each)
                assert result.value(weights=each) == pytest.approx(wanted, abs=1e-14)


def test_the_table_by_label(data):
    truths, scores, _ = data
    result = MultilabelF1Evaluator(labels=NAMES).run(truths, scores)["result"]
    wanted = sklearn_metrics.precision_recall_fscore_support(truths, scores >= 0.5, zero_division=np.nan)
    columns = result.detail("by_label").columns
    assert columns["label"] == NAMES
    for name, values in zip(("precision", "recall", "f1", "true"), wanted, strict=True):
        assert columns[name] == pytest.approx(values.tolist(), nan_ok=True)


def test_items_without_labels_by_hand():
    truths, predictions = [[], [], ["cat"]], [[], ["cat"], []]
    assert MultilabelSubsetAccuracyEvaluator().run(truths, predictions)["individual_scores"] == [
        1.0,
        0.0,
        0.0,
    ]
    samples = [
        MultilabelF1Evaluator(average="samples", undefined=undefined).run(truths, predictions)["score"]
        for undefined in ("zero", "one", "skip")
    ]
    assert samples == pytest.approx([0.0, 1 / 3, 0.0])
    ranked = [{"cat": 0.9, "dog": 0.5}] * 3
    for undefined, scores in (("one", [1.0, 1.0, 1.0]), ("skip", [np.nan, np.nan, 1.0])):
        evaluator = MultilabelRankingAveragePrecisionEvaluator(undefined=undefined)
        assert evaluator.run(truths, ranked)["individual_scores"] == pytest.approx(scores, nan_ok=True)


def test_hamming_loss_counts_every_named_label():
    truths, predictions = [["cat", "dog"]], [["cat"]]
    for labels, wanted in ((None, 1 / 2), (["cat", "dog", "ape", "owl"], 1 / 4)):
        found = MultilabelHammingLossEvaluator(labels=labels).run(truths, predictions)["score"]
        assert found == wanted
    absent = [{"cat": 1, "dog": 1, "ape": 0}]
    assert MultilabelHammingLossEvaluator().run(absent, predictions)["score"] == 1 / 3


def test_sets_have_no_ranking_and_none_is_missing():
    truths = [["cat"], ["dog"], None, ["cat"]]
    predictions = [["cat"], {"dog": 0.9, "cat": 0.1}, ["cat"], None]
    result = MultilabelAveragePrecisionEvaluator().run(truths, predictions)["result"]
    assert result.reasons == {
        0: "labels without scores in predictions",
        2: "no entry in ground_truths",
        3: "no entry in predictions",
    }
    assert result.score == 1.0
    assert MultilabelF1Evaluator().run(truths, predictions)["result"].n_scored == 2


def test_labels_that_no_item_has_are_left_out_of_mean_average_precision():
    result = MultilabelAveragePrecisionEvaluator().run([["cat"], []], [{"cat": 0.9, "dog": 0.8}] * 2)[
        "result"
    ]
    assert result.score == 0.5
    assert str(result.detail().columns["average_precision"]) == "[0.5, nan]"


@pytest.mark.parametrize(
    ("truths", "predictions", "message"),
    [
        ([["cat", "cat"]], [[]], r"ground_truths\[0\] names a label twice; give each label once"),
        ([[1, 0, 1]], [[]], r"ground_truths\[0\] names a label twice.*rows of 0 and 1 as an array"),
        ([[0.5]], [[]], r"ground_truths\[0\] has 0.5, which is not a label"),
        (
            [{"cat": 0.5}],
            [[]],
            r"ground_truths\[0\] gives 0.5 for 'cat'; give 1 for a label of the item, else 0",
        ),
        ([["cat"]], [{"cat": None}], r"predictions\[0\] scores 'cat' with None; give a finite number"),
        (
            [["cat"]],
            [{"cat": 1.5}],
            r"predictions\[0\] scores cat with 1.5, and threshold=0.5 is for scores from",
        ),
        (np.array([[1, 2]]), [[]], r"ground_truths\[0\] gives 2 for 1; give 0 or 1"),
        (
            np.array([1, 0]),
            [[], []],
            r"ground_truths has the shape \(2,\) for 0 labels; give a column per label",
        ),
        ([["cat"]], [[], []], "inputs have unequal lengths"),
    ],
)
def test_what_cannot_be_read_is_named(truths, predictions, message):
    with pytest.raises(InputError, match=message):
        MultilabelF1Evaluator().run(truths, predictions)


def test_rankings_take_scores_of_any_scale():
    truths, logits = [["cat"], ["dog"]], [{"cat": 3.0, "dog": -2.0}, {"cat": -1.0, "dog": 0.5}]
    for evaluator in (MultilabelAveragePrecisionEvaluator(), MultilabelRankingAveragePrecisionEvaluator()):
        assert evaluator.run(truths, logits)["score"] == 1.0


@pytest.mark.parametrize(
    "evaluator",
    [MultilabelF1Evaluator(), MultilabelAveragePrecisionEvaluator(), MultilabelHammingLossEvaluator()],
)
def test_intervals_cover_the_value_of_the_population(evaluator):
    """150 samples of 80 items from a population of 10,000 items with known values."""
    generator = np.random.default_rng(5)
    truths = (generator.random((10_000, 3)) < [0.5, 0.3, 0.15]).astype(int)
    scores = 0.65 * generator.random(truths.shape) + 0.35 * truths

    def ran(rows):
        return evaluator.run(truths[rows], scores[rows])["result"]

    value = ran(slice(None)).score
    covered = []
    for _ in range(150):
        sample = ran(generator.integers(0, len(truths), 80))
        interval = estimate(Target(sample, sample.measure().name)).interval
        covered.append(interval.low <= value <= interval.high)
    assert 0.9 < np.mean(covered) < 0.995
