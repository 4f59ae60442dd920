"""Random data: values, slices and bootstrap draws against scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    precision_recall_fscore_support,
    roc_auc_score,
)

from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationCalibrationErrorEvaluator,
    ClassificationConfusionMatrixEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRecallEvaluator,
    ClassificationRocAucEvaluator,
    LabelScores,
)

ITEMS, LABELS = 400, 6


@pytest.fixture(scope="module", params=[1, 2, 3])
def data(request):
    generator = np.random.default_rng(request.param)
    truths = generator.integers(0, LABELS, ITEMS)
    scores = generator.random((ITEMS, LABELS))
    scores[np.arange(ITEMS), truths] += 0.3
    scores = np.round(scores / scores.sum(axis=1, keepdims=True), 2)
    weights = generator.integers(0, 4, ITEMS).astype(float)
    return truths, scores, weights


def ran(evaluator, data):
    truths, scores, _ = data
    return evaluator.run(ground_truths=truths, predictions=LabelScores(scores, range(LABELS)))["result"]


@pytest.mark.parametrize(
    ("evaluator", "place"),
    [
        (ClassificationPrecisionEvaluator(), 0),
        (ClassificationRecallEvaluator(), 1),
        (ClassificationF1Evaluator(), 2),
    ],
)
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages(data, evaluator, place, average):
    truths, scores, weights = data
    result = ran(evaluator, data)
    name = f"{evaluator.name}_{average}"
    for each in (None, weights):
        wanted = precision_recall_fscore_support(
            truths, scores.argmax(1), average=average, sample_weight=each, zero_division=0.0
        )[place]
        assert result.value(name, each) == pytest.approx(wanted, abs=1e-14)
    draws = result.measure(name).reduction.many(result.statistics, np.stack([np.ones(ITEMS), weights]))
    assert draws.tolist() == [result.value(name), result.value(name, weights)]


def test_accuracy_and_confusion_matrix(data):
    truths, scores, weights = data
    decided = scores.argmax(1)
    result = ran(ClassificationAccuracyEvaluator(), data)
    assert result.value(weights=weights) == pytest.approx(
        accuracy_score(truths, decided, sample_weight=weights)
    )
    rows = ran(ClassificationConfusionMatrixEvaluator(max_examples=2), data)
    wanted = confusion_matrix(truths, decided, sample_weight=weights)
    for row in rows.detail("confusion_matrix", weights).rows():
        assert row["count"] == wanted[int(row["truth"]), int(row["predicted"])]
    for row in rows.detail("confusion_examples").rows():
        assert (truths[row["item"]], decided[row["item"]]) == (int(row["truth"]), int(row["predicted"]))


def test_roc_auc(data):
    truths, scores, weights = data
    result = ran(ClassificationRocAucEvaluator(), data)
    areas = [roc_auc_score(truths == label, scores[:, label]) for label in range(LABELS)]
    weighted = [
        roc_auc_score(truths == label, scores[:, label], sample_weight=weights) for label in range(LABELS)
    ]
    assert result.detail("by_label").columns["roc_auc"] == pytest.approx(areas, abs=1e-14)
    assert result.detail("by_label", weights).columns["roc_auc"] == pytest.approx(weighted, abs=1e-14)
    assert result.score == pytest.approx(np.mean(areas), abs=1e-14)
    mask = weights > 1
    sliced = [roc_auc_score(truths[mask] == label, scores[mask, label]) for label in range(LABELS)]
    assert result.value(weights=mask) == pytest.approx(np.mean(sliced), abs=1e-14)
    draws = result.measure().reduction.many(result.statistics, np.stack([np.ones(ITEMS), weights]))
    assert draws == pytest.approx([np.mean(areas), np.mean(weighted)], abs=1e-14)


def test_roc_auc_of_the_best_two_scores_only(data):
    truths, scores, weights = data
    best = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    sparse = [{int(label): row[label] for label in top} for top, row in zip(best, scores, strict=True)]
    result = ClassificationRocAucEvaluator().run(ground_truths=truths, predictions=sparse)["result"]
    dense = np.zeros_like(scores)
    np.put_along_axis(dense, best, np.take_along_axis(scores, best, 1), 1)
    for each in (np.ones(ITEMS), weights):
        areas = [
            roc_auc_score(truths == label, dense[:, label], sample_weight=each) for label in range(LABELS)
        ]
        assert result.detail("by_label", each).columns["roc_auc"] == pytest.approx(areas, abs=1e-14)


def test_curves(data):
    truths, scores, weights = data
    curve = ran(ClassificationPrecisionRecallCurveEvaluator(), data).detail("curve", weights)
    for row in curve.rows():
        label = int(row["label"])
        reached = scores[:, label] >= row["threshold"]
        wanted = truths == label
        counts = [(weights * each).sum() for each in (reached & wanted, reached & ~wanted, ~reached & wanted)]
        assert [row["tp"], row["fp"], row["fn"]] == counts
        assert row["tn"] == weights.sum() - sum(counts)


def test_calibration(data):
    truths, scores, _ = data
    confidence, right = scores.max(1), scores.argmax(1) == truths
    result = ran(ClassificationCalibrationErrorEvaluator(bins=10), data)
    accuracy, mean = calibration_curve(right, confidence, n_bins=10)
    curve = result.detail("reliability").columns
    assert curve["accuracy"] == pytest.approx(accuracy)
    assert curve["confidence"] == pytest.approx(mean)
    shares = np.array(curve["decisions"]) / ITEMS
    assert result.score == pytest.approx((shares * np.abs(accuracy - mean)).sum())
    assert result.value("classification_calibration_error_max") == pytest.approx(
        np.abs(accuracy - mean).max()
    )


@pytest.mark.parametrize("unlabelled", ["ignore", "negative"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_detailed_curve_names_items_of_every_kind_it_counts(unlabelled, seed):
    """As many examples as there are observations, all of them distinct, where all are asked for."""
    generator = np.random.default_rng(seed)
    names = ["a", "b", "c"]
    truths = [[] if draw < 0.2 else names[int(draw * 10) % 3] for draw in generator.random(40)]
    predictions = [
        {name: float(score) for name, score in zip(names, row, strict=True) if score > 0.2}
        for row in generator.random((40, 3)).round(2)
    ]
    evaluator = ClassificationDetailedPrecisionRecallCurveEvaluator(
        thresholds=[0.25, 0.5, 0.75], max_examples=100, unlabelled=unlabelled
    )
    result = evaluator.run(truths, predictions)["result"]
    items = {}
    for row in result.detail("examples").rows():
        items.setdefault((row["label"], row["threshold"], row["observation"]), []).append(row["item"])
    kinds = (
        "tp",
        "fp_misclassifications",
        "fp_hallucinations",
        "fn_misclassifications",
        "fn_no_predictions",
        "tn",
    )
    for row in result.detail("detailed_curve").rows():
        shown = {kind: items.get((row["label"], row["threshold"], kind), []) for kind in kinds}
        assert {kind: len(each) for kind, each in shown.items()} == {kind: row[kind] for kind in kinds}
        every = [item for each in shown.values() for item in each]
        assert len(every) == len(set(every))
        for item in shown["tn"]:
            assert truths[item] != row["label"]
            assert predictions[item].get(row["label"], 0) < row["threshold"]
