"""Arrays, lists and matrices of scores, given to the components as scikit-learn takes them."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from thresher import build, evaluate
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
)
from thresher.errors import InputError

GENERATOR = np.random.default_rng(11)
TRUTH = GENERATOR.integers(0, 2, 80)
PROBABILITY = np.clip(0.3 + 0.3 * TRUTH + GENERATOR.normal(0, 0.25, 80), 0.01, 0.99).round(2)
MATRIX = np.column_stack([1 - PROBABILITY, PROBABILITY])
EVALUATORS = [
    ClassificationAccuracyEvaluator,
    ClassificationCalibrationErrorEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationRecallEvaluator,
    ClassificationConfusionMatrixEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRocAucEvaluator,
]
FORMS = {
    "array": PROBABILITY,
    "float32": PROBABILITY.astype(np.float32),
    "list": PROBABILITY.tolist(),
    "one column": PROBABILITY[:, None],
    "matrix": MATRIX,
    "lists": MATRIX.tolist(),
    "numpy numbers": list(PROBABILITY),
}
TRUTHS = {
    "integers": TRUTH,
    "list": TRUTH.tolist(),
    "floats": TRUTH.astype(float),
    "truth values": TRUTH.astype(bool),
    "list of truth values": TRUTH.astype(bool).tolist(),
    "yes and no": np.where(TRUTH, "yes", "no"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("truth", TRUTHS)
def test_scores_without_labels_are_those_of_the_usual_labels(form, truth):
    decided = np.argmax(MATRIX, axis=1) if FORMS[form] is MATRIX or form == "lists" else PROBABILITY >= 0.5
    accuracy = ClassificationAccuracyEvaluator().run(TRUTHS[truth], FORMS[form])["score"]
    area = ClassificationRocAucEvaluator().run(TRUTHS[truth], FORMS[form])["score"]
    assert accuracy == pytest.approx(accuracy_score(TRUTH, decided))
    assert area == pytest.approx(roc_auc_score(TRUTH, FORMS["array" if form != "float32" else form]))


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_all_components_read_them_alike_with_the_positive_label_or_the_labels_given(evaluator):
    names = np.where(TRUTH, "spam", "ham").tolist()
    written = [{"spam": p, "ham": 1 - p} for p in PROBABILITY.tolist()]
    expected = evaluator().run(names, written)["result"]
    for component, form in (
        (evaluator(positive="spam"), PROBABILITY),
        (evaluator(labels=["spam", "ham"]), MATRIX[:, ::-1]),
    ):
        result = component.run(names, form)["result"]
        assert result.score == expected.score
        signatures = [[str(measure.signature) for measure in each.measures] for each in (result, expected)]
        assert signatures[0] == signatures[1]
        assert build([component]).dumps().count("spam") == 1  # the option is written down with the pipeline


@pytest.mark.parametrize(
    ("truth", "predictions", "options", "message"),
    [
        (["ham", "spam"], [0.1, 0.9], {}, "probability of one of the labels 'ham', 'spam'; name it"),
        (["a", "b", "c"], [0.1, 0.9, 0.2], {}, r"ground_truths has 3 labels"),
        (["ham", "spam"], MATRIX[:2], {}, r"a matrix with 2 columns of scores, whose labels are unknown"),
        (
            ["ham", "spam"],
            MATRIX[:2],
            {"labels": ["a"]},
            r"scores of shape \(2, 2\) are not items x 1 label",
        ),
        (
            [0, 1],
            [[0.1, 0.9], [0.2, 0.8]],
            {"labels": [0, 1, 2]},
            r"predictions\[0\] has 2 scores for 3 labels",
        ),
        (
            [0, 1],
            [0.5, 1.5],
            {},
            r"predictions\[1\] scores 1 with 1.5; give a score from 0 to 1 \(of a margin",
        ),
        (
            [[1, 0], [1]],
            ["a", "b"],
            {},
            "several labels of one key: 1, 0; .* metrics `multilabel_...` for items with several",
        ),
    ],
)
def test_scores_whose_labels_are_not_known_are_refused(truth, predictions, options, message):
    with pytest.raises(InputError, match=message):
        ClassificationRocAucEvaluator(**options).run(truth, predictions)


def test_whole_numbers_are_labels_and_not_scores():
    assert ClassificationAccuracyEvaluator().run([0, 1, 2], [0, 1, 1])["score"] == pytest.approx(2 / 3)
    assert ClassificationAccuracyEvaluator().run([0, 1, 2], np.array([0.0, 1.0, 1.0]))[
        "score"
    ] == pytest.approx(2 / 3)
    assert ClassificationAccuracyEvaluator().run([[1], [2]], [[1], [1]])["score"] == 0.5


def test_a_missing_score_is_a_missing_prediction():
    result = ClassificationRocAucEvaluator().run([0, 1, 1, 0], [0.2, 0.9, None, float("nan")])["result"]
    assert (result.score, result.n_scored) == (1.0, 2)


def test_a_matrix_of_more_labels_has_the_numbers_of_its_columns():
    matrix = GENERATOR.dirichlet(np.ones(4), 60)
    truth = GENERATOR.integers(0, 4, 60)
    expected = roc_auc_score(truth, matrix, multi_class="ovr")
    assert ClassificationRocAucEvaluator().run(truth, matrix)["score"] == pytest.approx(expected)
    assert evaluate(["classification_roc_auc"], {"y_true": truth, "y_pred": matrix}).metrics[
        "classification_roc_auc"
    ].value == pytest.approx(expected)


def test_the_options_of_a_metric_count_for_the_whole_run(tmp_path):
    names = np.where(TRUTH, "spam", "ham").tolist()
    pipeline = build([ClassificationAccuracyEvaluator(positive="spam"), ClassificationRocAucEvaluator()])
    data = {"y_true": names, "y_score": PROBABILITY}
    results = evaluate(pipeline, data, out=tmp_path / "run", chunk_size=7)
    assert results.metrics["classification_roc_auc"].value == pytest.approx(roc_auc_score(TRUTH, PROBABILITY))
    clash = build(
        [ClassificationAccuracyEvaluator(positive="spam"), ClassificationRocAucEvaluator(positive="ham")]
    )
    with pytest.raises(InputError, match="metrics of one pipeline have positive='spam' and others"):
        evaluate(clash, data)


def test_a_decision_may_be_another_than_the_highest_score():
    predictions = [["spam", {"spam": 0.4, "ham": 0.6}], {"spam": 0.1, "ham": 0.9}]
    assert ClassificationAccuracyEvaluator().run(["spam", "ham"], predictions)["score"] == 1.0
    matrix = (
        ClassificationConfusionMatrixEvaluator()
        .run(["spam", "ham"], predictions)["result"]
        .detail("confusion_matrix")
    )
    assert {(row["truth"], row["predicted"]) for row in matrix.rows()} == {("spam", "spam"), ("ham", "ham")}
    reliability = (
        ClassificationCalibrationErrorEvaluator()
        .run(["spam", "ham"], predictions)["result"]
        .detail("reliability")
    )
    assert [row["confidence"] for row in reliability.rows()] == [0.4, 0.9]
    with pytest.raises(InputError, match=r"predictions\[0\] has labels with and without a score"):
        ClassificationAccuracyEvaluator().run(["spam"], [["spam", "eggs", {"spam": 0.4}]])
