"""Average precision, ROC points and operating points against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from thresher.components.classification import (
    ClassificationAveragePrecisionEvaluator,
    ClassificationRocCurveEvaluator,
    LabelScores,
)
from thresher.errors import InputError

EER, FPR = "classification_roc_curve_eer", "classification_roc_curve_fpr_at_tpr_0.95"


@pytest.fixture(scope="module", params=range(4))
def data(request):
    """Truths 0 and 1, scores with and without ties, weights."""
    generator = np.random.default_rng(request.param)
    items = int(generator.integers(6, 80))
    truths = np.append([0, 1], generator.integers(0, 2, items - 2))
    scores = 0.7 * generator.random(items) + 0.3 * truths * generator.random(items)
    weights = np.append([1, 1], generator.integers(0, 4, items - 2)).astype(float)
    return truths, np.round(scores, 1 if request.param % 2 else 9), weights


def test_average_precision_of_two_labels(data):
    truths, scores, weights = data
    result = ClassificationAveragePrecisionEvaluator().run(truths, scores)["result"]
    for each in (None, weights):
        wanted = sklearn_metrics.average_precision_score(truths, scores, sample_weight=each)
        assert result.value(weights=each) == pytest.approx(wanted, abs=1e-14)
        table = result.detail(weights=each).columns
        other = sklearn_metrics.average_precision_score(1 - truths, 1 - scores, sample_weight=each)
        assert table["average_precision"] == pytest.approx([other, wanted], abs=1e-14)
        rate = np.average(truths, weights=each)
        assert table["base_rate"] == pytest.approx([1 - rate, rate])


@pytest.mark.parametrize("seed", [1, 2])
def test_average_precision_of_several_labels(seed):
    generator = np.random.default_rng(seed)
    truths = np.append(range(4), generator.integers(0, 4, 50))
    scores = generator.random((54, 4)).round(2)
    wanted = sklearn_metrics.average_precision_score(truths, scores)
    for form in (LabelScores(scores, range(4)), [dict(enumerate(row)) for row in scores.tolist()]):
        found = ClassificationAveragePrecisionEvaluator().run(truths, form)["score"]
        assert found == pytest.approx(wanted, abs=1e-14)


def test_points_and_operating_points(data):
    truths, scores, weights = data
    evaluator = ClassificationRocCurveEvaluator(points=1000, max_fpr=0.3)
    result = evaluator.run(truths, scores)["result"]
    for each in (np.ones(len(truths)), weights):
        rows = each > 0
        fpr, tpr, thresholds = sklearn_metrics.roc_curve(
            truths[rows], scores[rows], sample_weight=each[rows], drop_intermediate=False
        )
        for name, rate, wanted in (
            ("roc", "true_positive_rate", tpr),
            ("det", "false_negative_rate", 1 - tpr),
        ):
            points = [row for row in result.detail(name, each).rows() if row["label"] == "1"]
            assert [row["false_positive_rate"] for row in points] == fpr.tolist()
            assert [row[rate] for row in points] == wanted.tolist()
            assert [row["threshold"] for row in points[1:]] == thresholds[1:].tolist()
        assert result.value(FPR, each) == fpr[tpr >= 0.95].min()
        area = sklearn_metrics.roc_auc_score(truths, scores, sample_weight=each, max_fpr=0.3)
        assert result.value("classification_roc_curve_partial_auc", each) == pytest.approx(area, abs=1e-14)
        error = result.value(EER, each)
        at = np.interp(0, fpr + tpr - 1, fpr)  # both rates are linear between points
        assert error == pytest.approx(at, abs=1e-14)


def test_operating_points_by_hand():
    """Scores 4 + - 3 - 2 + 1: half of the positives at 4, all at 2, with the negatives at 4 and 3."""
    truths, scores = ["yes", "no", "no", "yes", "no"], [0.4, 0.4, 0.3, 0.2, 0.1]
    result = ClassificationRocCurveEvaluator().run(truths, scores)["result"]
    row = next(row for row in result.detail("by_label").rows() if row["label"] == "yes")
    # From (1/3, 1/2) to (2/3, 1/2): the rates are equal at a false positive rate of 1/2.
    assert row == {
        "key": "",
        "label": "yes",
        "equal_error_rate": pytest.approx(0.5),
        "fpr_at_tpr": pytest.approx(2 / 3),
        "threshold": 0.2,
        "tpr": 1.0,
    }
    low = ClassificationRocCurveEvaluator(min_tpr=0.5).run(truths, scores)["result"]
    assert low.value("classification_roc_curve_fpr_at_tpr_0.5") == pytest.approx(1 / 3)


def test_curves_are_thinned_to_points_of_the_curve():
    generator = np.random.default_rng(1)
    truths = generator.integers(0, 2, 3000)
    scores = generator.random(3000)
    whole, thin = (
        ClassificationRocCurveEvaluator(points=points).run(truths, scores)["result"] for points in (10**6, 20)
    )
    rows = {
        points: [tuple(row.values()) for row in result.detail("roc").rows() if row["label"] == "1"]
        for points, result in ((3000, whole), (20, thin))
    }
    assert 15 <= len(rows[20]) <= 20
    assert {row[2:4] for row in rows[20]} <= {row[2:4] for row in rows[3000]}
    assert [rows[20][0][2:4], rows[20][-1][2:4]] == [(0.0, 0.0), (1.0, 1.0)]
    along = np.diff([row[2] + row[3] for row in rows[20]])
    assert along.max() < 2.5 * 2 / 20
    assert whole.value(EER) == thin.value(EER)


def test_the_positive_label_decides_between_two():
    truths, scores = ["ham", "spam", "ham", "spam", "ham"], [0.1, 0.9, 0.6, 0.5, 0.2]
    predictions = [{"spam": score, "ham": 1 - score} for score in scores]
    positives = np.array(truths) == "spam"
    spam = sklearn_metrics.average_precision_score(positives, scores)
    ham = sklearn_metrics.average_precision_score(~positives, -np.array(scores))
    for positive, wanted in (("spam", spam), ("ham", ham), (None, (spam + ham) / 2)):
        evaluator = ClassificationAveragePrecisionEvaluator(positive=positive)
        assert evaluator.run(truths, predictions)["score"] == pytest.approx(wanted)
    # Half of the ham is above the spam at 0.5: one of three; and no spam below 0.6, so one of two.
    rates = [
        ClassificationRocCurveEvaluator(positive=positive).run(truths, predictions)["result"].value(FPR)
        for positive in ("spam", "ham", None)
    ]
    assert rates == pytest.approx([1 / 3, 1 / 2, 5 / 12])


def test_a_label_without_both_kinds_of_items_has_no_curve():
    result = ClassificationRocCurveEvaluator().run(["cat", "cat"], [{"cat": 0.9}, {"cat": 0.2}])["result"]
    assert np.isnan(result.score)
    assert len(result.detail("roc")) == 0
    precision = ClassificationAveragePrecisionEvaluator().run(["cat", "dog"], [{"ape": 0.9}, {"ape": 0.2}])
    table = precision["result"].detail().columns
    assert dict(zip(table["label"], map(str, table["average_precision"]), strict=True)) == {
        "ape": "nan",
        "cat": "0.5",
        "dog": "0.5",
    }
    with pytest.raises(InputError, match="give a finite score"):
        ClassificationAveragePrecisionEvaluator().run(["cat"], [{"cat": float("inf")}])


def test_tiny_probabilities_keep_their_order_for_the_other_label():
    truths, scores = ["no", "yes", "no"], [1e-30, 1e-20, 1e-25]
    result = ClassificationAveragePrecisionEvaluator().run(truths, scores)["result"]
    assert result.detail().columns["average_precision"] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"points": 1}, "points=1 must be a whole number of at least 2"),
        ({"min_tpr": 0.0}, "min_tpr=0.0 must be a number above 0 and up to 1"),
        ({"max_fpr": 1.5}, "max_fpr=1.5 must be a number above 0 and up to 1"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(InputError, match=message):
        ClassificationRocCurveEvaluator(**options)
