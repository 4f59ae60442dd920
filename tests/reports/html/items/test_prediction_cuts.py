from thresher import EvaluationResults
from thresher.components.classification.accuracy import ClassificationAccuracyEvaluator
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.reports.html.items.prediction_cuts import prediction_cuts

TRUTHS = ["cat", "dog", "cat", "dog"]
SCORES = [
    {"cat": 0.9, "dog": 0.1},
    {"cat": 0.6, "dog": 0.4},
    {"cat": 0.8, "dog": 0.2},
    {"cat": 0.3, "dog": 0.7},
]


def run(*evaluators):
    results = [each.run(ground_truths=TRUTHS, predictions=SCORES)["result"] for each in evaluators]
    return EvaluationResults({"ids": list("abcd")}, results, name="animals")


def test_a_curve_gives_counts_by_label_and_over_all_labels():
    sources = prediction_cuts([run(ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.3, 0.5, 0.7]))])
    (source,) = sources.values()
    assert source["label"] == "Scores of predictions"
    whole, cat, dog = source["runs"][0]
    assert (whole["name"], cat["name"], dog["name"]) == ("all labels", "cat", "dog")
    assert cat["cuts"] == [0.3, 0.5, 0.7]
    assert (cat["tp"], cat["fp"], cat["fn"], cat["tn"]) == ([2, 2, 2], [2, 1, 0], [0, 0, 0], [0, 1, 2])
    assert whole["tp"] == [count + other for count, other in zip(cat["tp"], dog["tp"], strict=True)]
    assert sum(whole[name][1] for name in ("tp", "fp", "fn", "tn")) == len(TRUTHS) * 2


def test_runs_without_a_curve_have_no_cuts():
    with_curve, without = (
        run(ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5])),
        run(ClassificationAccuracyEvaluator()),
    )
    (source,) = prediction_cuts([without, with_curve]).values()
    assert source["runs"][0] is None
    assert prediction_cuts([without]) == {}


def test_several_curves_have_distinct_labels():
    named = ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5], name="second")
    sources = prediction_cuts([run(ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5]), named)])
    assert len({source["label"] for source in sources.values()}) == 2
