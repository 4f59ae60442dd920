import numpy as np

from thresher import EvaluationResults
from thresher.components.classification.accuracy import ClassificationAccuracyEvaluator
from thresher.components.classification.calibration import ClassificationCalibrationErrorEvaluator
from thresher.components.classification.confusion_matrix import ClassificationConfusionMatrixEvaluator
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.roc_curve import ClassificationRocCurveEvaluator
from thresher.reports.html import html_report
from thresher.reports.html.sections.breakdowns import breakdowns
from thresher.reports.html.sections.confusion import confusion_tables
from thresher.results import Detail

TRUTHS = ["cat", "dog", "cat", "bird", "dog"]
SCORES = [
    {"cat": 0.9, "dog": 0.1},
    {"cat": 0.6, "dog": 0.4},
    {"cat": 0.8},
    {"cat": 0.2, "bird": 0.7},
    {"dog": 0.6},
]


def run(*evaluators):
    results = [each.run(ground_truths=TRUTHS, predictions=SCORES)["result"] for each in evaluators]
    return EvaluationResults({"ids": list("abcde"), "ground_truths": TRUTHS}, results, name="animals")


def panels(*evaluators):
    found = breakdowns([run(*evaluators)], ["animals"])
    return {
        (each["metric"], panel["title"]): panel
        for each in found
        for group in each["groups"]
        for panel in group["panels"]
    }


def names(chart):
    return [entry["name"] for entry in chart["legend"]]


def test_a_confusion_matrix_has_a_row_per_truth_shaded_by_its_share():
    (matrix,) = panels(ClassificationConfusionMatrixEvaluator())[
        "classification_confusion_matrix", "confusion matrix"
    ]["matrices"]
    assert matrix["columns"] == ["bird", "cat", "dog"]
    cells = {row["label"]: [cell["text"] for cell in row["cells"]] for row in matrix["rows"]}
    assert cells == {"bird": ["1", "", ""], "cat": ["", "2", ""], "dog": ["", "1", "1"]}
    dog = matrix["rows"][2]["cells"]
    assert [(cell["tone"], cell["shade"]) for cell in dog] == [("miss", 0), ("miss", 4), ("hit", 4)]


def test_many_labels_become_a_list_of_confusions():
    labels = [f"label {number:02d}" for number in range(40)]
    columns = {"truth": labels, "predicted": [*labels[1:], None], "count": [float(n) for n in range(40)]}
    (matrix,) = confusion_tables(Detail("confusion_matrix", "confusion", ("truth", "predicted"), columns))
    assert matrix["labels"] == 41
    assert matrix["pairs"][0] == {"truth": "label 39", "predicted": "none", "count": "39"}


def test_examples_link_to_their_items():
    examples = panels(ClassificationConfusionMatrixEvaluator())[
        "classification_confusion_matrix", "confusion examples"
    ]
    assert "d" in examples["items"]
    assert '<a href="#item=d">d</a>' in html_report([run(ClassificationConfusionMatrixEvaluator())])


def test_tables_leave_out_keys_that_say_nothing():
    table = panels(ClassificationConfusionMatrixEvaluator())["classification_confusion_matrix", "by label"][
        "table"
    ]
    assert [column["text"] for column in table["columns"]][:3] == ["label", "precision", "recall"]
    assert [cell["text"] for cell in table["rows"][1]][:3] == ["cat", "0.667", "1.000"]


def test_curves_are_drawn_per_label_and_as_precision_against_recall():
    panel = panels(ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.3, 0.5, 0.7]))[
        "classification_precision_recall_curve_best_f1", "curve"
    ]
    assert [chart["title"] for chart in panel["charts"]] == ["precision against recall", "bird", "cat", "dog"]
    assert names(panel["charts"][1]) == ["precision", "recall", "f1", "accuracy"]
    assert names(panel["charts"][0]) == ["bird", "cat", "dog"]


def test_calibration_is_accuracy_against_confidence_with_a_grey_diagonal():
    (chart,) = panels(ClassificationCalibrationErrorEvaluator())[
        "classification_calibration_error", "reliability"
    ]["charts"]
    assert names(chart) == ["accuracy", "perfect calibration"]
    assert 'class="guide"' in chart["plot"]


def test_what_nothing_scored_has_no_breakdown():
    result = ClassificationConfusionMatrixEvaluator().run(ground_truths=[None], predictions=["cat"])["result"]
    assert breakdowns([EvaluationResults({"ids": ["a"]}, [result])], ["run"]) == []
    assert np.isnan(result.score)


def test_what_several_metrics_break_down_into_alike_is_shown_once():
    first, second = breakdowns(
        [
            run(
                ClassificationConfusionMatrixEvaluator(),
                ClassificationCalibrationErrorEvaluator(),
                ClassificationAccuracyEvaluator(),
            )
        ],
        ["a"],
    )
    assert [first["metric"], second["metric"]] == [
        "classification_confusion_matrix",
        "classification_calibration_error",
    ]
    also = {group["panels"][0]["title"]: group["also"] for group in first["groups"]}
    assert also == {"confusion matrix": [], "confusion examples": [], "by label": ["classification_accuracy"]}


def two_labels(items, **columns):
    rng = np.random.default_rng(2)
    truths = ["yes" if value else "no" for value in rng.random(items) < 0.5]
    sure = np.clip(rng.normal([0.65 if truth == "yes" else 0.4 for truth in truths], 0.2), 0.01, 0.99)
    found = [{"yes": value, "no": 1 - value} for value in sure.tolist()]
    evaluators = (
        ClassificationRocCurveEvaluator(),
        ClassificationPrecisionRecallCurveEvaluator(),
        ClassificationCalibrationErrorEvaluator(),
    )
    results = [each.run(ground_truths=truths, predictions=found)["result"] for each in evaluators]
    return EvaluationResults({"ids": [f"i{item}" for item in range(items)], **columns}, results, name="two")


def test_curves_have_bands_that_say_what_they_are():
    text = html_report([two_labels(80)], level=0.9)
    assert text.count('class="band run-0"') == 4
    assert text.count('class="band run-1"') == 3
    said = "Bands: 90 % at each point by itself, not for the whole curve; bootstrap of 80 items, 100 draws."
    assert text.count(said) == 4


def test_clusters_are_drawn_as_a_whole():
    run = two_labels(80, patient=[f"p{item // 4}" for item in range(80)])
    assert "bootstrap of 20 clusters, 100 draws" in html_report([run], cluster="patient")


def test_curves_of_few_items_many_lines_or_many_scores_have_no_bands(monkeypatch):
    assert "band run" not in html_report([two_labels(8)])
    labels = [f"l{number}" for number in range(9)]
    found = [{label: (1 + (at == place)) / 10 for at, label in enumerate(labels)} for place in range(9)] * 4
    result = ClassificationRocCurveEvaluator().run(ground_truths=labels * 4, predictions=found)["result"]
    text = html_report([EvaluationResults({"ids": list(range(36))}, [result])])
    assert "Bands are drawn for up to 8 lines." in text
    monkeypatch.setattr("thresher.reports.html.sections.bands._ENTRIES", 79)
    text = html_report([two_labels(80)])
    assert "band run" not in text
    assert "Bands are drawn for up to 79 scores." in text
