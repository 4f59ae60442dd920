"""Reports label by label: the worst first, corrected for all labels, in every format."""

import json
import math

import numpy as np
import pytest

from detection_samples import LABELS, detections, images
from thresher import EvaluationResults, InputError, evaluate
from thresher.components.detection import DetectionCocoEvaluator, DetectionF1Evaluator, DetectionMatcher
from thresher.kernels.inference import holm
from thresher.reports.html.sections.labels import _shown

RARE = "rarest"


def run(name, recalls, size=50):
    truths = images(np.random.default_rng(7), size)
    found = detections(np.random.default_rng(8), truths, recalls)
    for image in found:  # as of a detector that keeps its low scores
        image["scores"] = np.power(image["scores"], 3)
    matches = DetectionMatcher().run(ground_truths=truths, predictions=found)["matches"]
    results = [
        DetectionCocoEvaluator().run(matches=matches)["result"].with_primary(["detection_coco_map"]),
        DetectionF1Evaluator().run(matches=matches)["result"].with_primary([]),
    ]
    return EvaluationResults({"id": [str(image) for image in range(size)]}, results, name=name)


@pytest.fixture(scope="module")
def runs():
    return run("weak", (0.5, 0.3, 0.8, 0.5)), run("strong", (0.9, 0.3, 0.8, 0.5))


def test_the_worst_label_is_first_and_the_mean_below(runs):
    report = runs[0].report_by_label()
    table = report.table()
    assert table["value"] == sorted(table["value"])
    assert set(table["label"]) == set(LABELS)
    assert set(table["metric"]) == {"detection_coco_map"}
    mean = runs[0].metrics["detection_coco_map"].value
    assert np.mean(table["value"]) == pytest.approx(mean)
    row = "detection_coco_map (COCO, 101 points, IoU 0.5:0.95) ↑"
    assert table.reading[0] == f"{row} is the mean over 4 labels: {mean:.4f}."


def test_each_label_of_a_detector_has_its_rates(runs):
    report = runs[0].report_by_label()
    result = runs[0].metrics["detection_coco_map"].result
    detail = {row["label"]: row for row in result.detail("by_label").rows()}
    recall = runs[0].report_by_label(metrics=["detection_coco_mar_100"]).table()
    recalls = dict(zip(recall["label"], recall["value"], strict=True))
    for row in report.data()["labels"]:
        assert row["ap"] == row["value"] == pytest.approx(detail[row["label"]]["ap"])
        assert [row[name] for name in ("ap_50", "ap_75")] == [
            detail[row["label"]][name] for name in ("ap_50", "ap_75")
        ]
        assert row["recall"] == pytest.approx(recalls[row["label"]])
    assert [*report.table().columns[-4:]] == ["ap", "ap_50", "ap_75", "recall"]
    heads = ["label", "AP", "95 % interval", "AP50", "AP75", "recall", "objects"]
    assert [*report.summary().columns] == heads
    assert max(map(len, report.render("table").split("\n\n")[0].splitlines())) <= 80
    assert f"| {' | '.join(heads)} |" in report.render("markdown")
    page = runs[0].report().render("html")
    assert '<th scope="col" class="number">AP75</th>' in page
    assert "recall is the highest one" in page


def test_each_label_of_a_classifier_has_precision_recall_f1_and_support():
    truths = ["cat", "dog", "dog", "fox", "fox", "cat", "dog", "cat"] * 6
    found = ["cat", "dog", "cat", "fox", "dog", "cat", "dog", "dog"] * 6
    repeats = [str(at // 2) for at in range(48)]
    data = {"ground_truths": truths, "predictions": found, "repeat_of": repeats}
    report = evaluate(["classification_f1"], data).report_by_label(repeats="")
    rows = {row["label"]: row for row in report.data()["labels"]}
    for label, row in rows.items():
        right = sum(truth == mine == label for truth, mine in zip(truths, found, strict=True))
        assert row["precision"] == pytest.approx(right / found.count(label))
        assert row["recall"] == pytest.approx(right / truths.count(label))
        assert (
            row["f1"] == row["value"] == pytest.approx(2 * right / (found.count(label) + truths.count(label)))
        )
        assert row["objects"] == truths.count(label)
        assert row["interval"]["low"] < row["value"]
    assert [*rows] == sorted(rows, key=lambda label: rows[label]["value"])
    assert [*report.summary().columns] == ["label", "F1", "95 % interval", "precision", "recall", "support"]
    of_repeats = evaluate(["classification_f1"], data).report_by_label(repeats="repeat_of").data()["labels"]
    assert all(row["f1"] == pytest.approx(row["value"]) for row in of_repeats)
    several = evaluate(["classification_precision", "classification_recall"], data).report_by_label()
    assert [*several.summary().columns] == ["metric", "label", "value", "95 % interval", "objects"]


@pytest.mark.parametrize(
    ("sort", "column", "reverse"),
    [("best", "value", True), ("label", "label", False), ("objects", "objects", True)],
)
def test_other_orders(runs, sort, column, reverse):
    table = runs[0].report_by_label(sort).table()
    assert table[column] == sorted(table[column], reverse=reverse)


def test_orders_of_differences_and_the_narrowest_intervals_first(runs):
    def rows(sort):
        return [row.to_dict() for row in runs[0].compare_by_label(runs[1], sort).rows]

    ends = [row["interval"] for row in rows("interval")]
    widths = [end["high"] - end["low"] for end in ends if end is not None]
    assert widths == sorted(set(widths))
    assert ends[len(widths) :] == [None] * (len(ends) - len(widths))
    gains = [row["difference"] for row in rows("best")]
    assert gains == sorted(gains, reverse=True) == [row["difference"] for row in rows("worst")][::-1]
    assert [row["label"] for row in rows("label")] == sorted(LABELS)
    table = runs[0].report_by_label("interval").table()
    known = [(low, high) for low, high in zip(table["low"], table["high"], strict=True) if low is not None]
    assert [low for low, _ in known] == table["low"][: len(known)]
    assert [high - low for low, high in known] == sorted(high - low for low, high in known)
    with pytest.raises(InputError, match="sort"):
        runs[0].compare_by_label(runs[1], "objects")


def test_ties_are_ordered_by_name():
    image = {"labels": ["b", "a"], "boxes": [[0, 0, 9, 9], [20, 20, 30, 30]]}
    matches = DetectionMatcher().run(
        ground_truths=[image] * 3, predictions=[image | {"scores": [0.9, 0.8]}] * 3
    )
    results = EvaluationResults({}, [DetectionCocoEvaluator().run(matches=matches["matches"])["result"]])
    assert results.report_by_label().table()["label"] == ["a", "b"]
    assert results.report_by_label("best").table()["label"] == ["a", "b"]


def test_every_format_has_the_labels(runs):
    report = runs[0].report_by_label(metrics=["detection_coco_map_50", "detection_coco_mar_100"])
    data = json.loads(report.render(output_format="json"))
    assert len(data["labels"]) == 8
    assert data["labels"][0]["rule"] == "COCO, 101 points, IoU 0.5"
    assert {row["interval"]["method"] for row in data["labels"] if row["interval"]} == {"one-more"}
    assert "| detection_coco_mar_100 | often |" in report.render(output_format="markdown")
    assert "metric" not in runs[0].report_by_label().render(output_format="table").splitlines()[0]
    assert len(report.render(output_format="df")) == 8


def test_a_label_in_few_images_has_no_interval():
    few = run("few", (0.5, 0.3, 0.8, 0.5), size=8).report_by_label()
    lacking = [row["label"] for row in few.data()["labels"] if row["interval"] is None]
    assert len(lacking) == 1
    why = "fewer than 3 items contain objects of the label."
    assert f"No interval for 1 label: {why}" in few.reading


def test_a_metric_without_scored_items_has_no_labels_to_show():
    data = {"id": ["a", "b"], "label": ["cat", "dog"], "prediction": ["cat", "cat"]}
    report = evaluate(["classification_average_precision"], data).report_by_label()
    assert report.reading == ["classification_average_precision ↑ has no labels to show: no item is scored."]


def test_metrics_without_labels_are_refused_by_name(runs):
    with pytest.raises(InputError, match="detection_f1 has no values per label; there are detection_coco"):
        runs[0].report_by_label(metrics=["detection_f1"])
    only = EvaluationResults({}, [runs[0].metrics["detection_f1"].result])
    with pytest.raises(InputError, match="no metric of this run has them"):
        only.report_by_label()
    with pytest.raises(InputError, match="sort='size' is unknown"):
        runs[0].report_by_label("size")


def test_differences_are_sorted_by_loss_and_corrected_for_all_labels(runs):
    report = runs[0].compare_by_label(runs[1])
    rows = report.data()["differences"]
    assert [row["difference"] for row in rows] == sorted(row["difference"] for row in rows)
    known = [row.comparison for row in report.rows if not math.isnan(row.comparison.p_value)]
    assert [each.p_adjusted for each in known] == pytest.approx(
        holm([each.far_p_value for each in known]).tolist()
    )
    assert {row["label"]: row["verdict"] for row in rows}["often"] == "better"
    assert report.reading[0].startswith(
        "strong against weak, detection_coco_map: better for often; inconclusive"
    )
    assert report.table().columns[0] == "label"
    swapped = runs[1].compare_by_label(runs[0]).data()["differences"]
    assert {row["label"]: row["verdict"] for row in swapped}["often"] == "worse"


def test_runs_without_a_mean_over_labels_in_common_are_refused(runs):
    other = EvaluationResults(runs[1].inputs, [runs[1].metrics["detection_f1"].result], name="other")
    with pytest.raises(InputError, match="no metric in common: weak has detection_coco_map; other has"):
        runs[0].compare_by_label(other)


def test_other_measures_do_not_weaken_the_primary_one(runs):
    rows = {row.metric: row.comparison for row in runs[0].compare(runs[1]).rows}
    alone = [EvaluationResults(each.inputs, each.results[:1], name=each.name) for each in runs]
    (single,) = [row.comparison for row in alone[0].compare(alone[1], metrics=["detection_coco_map"]).rows]
    assert rows["detection_coco_map"].p_adjusted == rows["detection_coco_map"].p_value == single.p_adjusted
    assert rows["detection_f1"].p_adjusted is None


def test_pages_have_the_labels(runs):
    page = runs[0].report().render(output_format="html")
    assert '<section id="labels"' in page
    assert page.index(">often<") < page.index('<section id="breakdowns"')
    compared = runs[0].compare(runs[1]).render(output_format="html")
    assert '<section id="labels"' in compared
    assert "better for often" in compared
    first = runs[0].report_by_label("objects").render(output_format="html")
    assert first.index('<section id="labels"') < first.index('<section id="overview"')
    without = (
        EvaluationResults({}, [runs[0].metrics["detection_f1"].result]).report().render(output_format="html")
    )
    assert '<section id="labels"' not in without


def test_a_page_shows_the_ends_of_many_labels():
    rows = [{"run": "b", "metric": "m", "label": str(label)} for label in range(250)]
    shown, left_out = _shown(rows, ends=True)
    assert [row["label"] for row in shown] == [str(label) for label in [*range(100), *range(150, 250)]]
    assert left_out == 50
    assert _shown(rows[:200], ends=True) == (rows[:200], 0)
    assert _shown(rows, ends=False) == (rows[:200], 50)
