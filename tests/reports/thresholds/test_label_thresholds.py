"""The report of thresholds of labels: values on other items, how items are divided, and the exported file."""

import json
import math
import re

import numpy as np
import pytest

from thresher import EvaluationResults, InputError, load_thresholds
from thresher.components.classification import (
    ClassificationAveragePrecisionEvaluator,
    ClassificationBestThresholdEvaluator,
    ClassificationRocAucEvaluator,
)
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionBestThresholdEvaluator,
    DetectionCocoEvaluator,
)
from thresher.kernels.inference import Target, find_threshold
from thresher.kernels.inference.label_estimates import has_labels
from thresher.reports import LabelThresholds
from thresher.reports.figures.curves import curves
from thresher.reports.figures.figure import Band, Dot, Rule
from thresher.reports.html.svg import figure as svg
from thresher.reports.plots.matplotlib import draw
from thresher.reports.thresholds.exported import write_thresholds
from thresher.reports.thresholds.label_searches import label_searches
from thresher.reports.thresholds.objectives import objective_of
from thresher.results.primary import choose_primary
from vision_cases import matched_images

IMAGES = 120


def matches(seed):
    """Cats are found with high scores, dogs with lower ones; false detections look like dogs."""
    generator = np.random.default_rng(seed)
    sides = []
    for _ in range(IMAGES):
        truths, found = [], []
        for at in range(int(generator.integers(1, 4))):
            label = str(generator.choice(["cat", "dog"]))
            box = [40 * at, 0, 40 * at + 20, 20]
            truths.append((label, box))
            if generator.random() < 0.8:
                mean = 0.8 if label == "cat" else 0.45
                found.append((label, box, score(generator, mean)))
        wrong = str(generator.choice(["cat", "dog"]))
        found.append((wrong, [0, 200, 20, 220], score(generator, 0.55 if wrong == "cat" else 0.15)))
        sides.append((truths, found))
    return matched_images(*sides)


def score(generator, mean):
    return round(float(np.clip(generator.normal(mean, 0.15), 0.01, 0.99)), 3)


MATCHES = matches(2)


def run(*evaluators, matches=MATCHES, **columns):
    evaluators = evaluators or (DetectionBestThresholdEvaluator(),)
    results = [evaluator.run(matches=matches)["result"] for evaluator in evaluators]
    inputs = {
        "id": [str(at) for at in range(IMAGES)],
        "split": ["val", "test", "test"] * (IMAGES // 3),
        **columns,
    }
    return EvaluationResults(inputs, results, name="detector")


def by_average(report):
    return {row["average"] if row["average"] != "label" else row["label"]: row for row in report.table()}


REPORT = LabelThresholds(run())


def test_the_value_on_other_items_is_lower_than_where_it_was_chosen():
    rows = by_average(REPORT)
    assert list(rows) == ["micro", "macro", "per_label", "cat", "dog"]
    assert rows["cat"]["threshold"] > rows["dog"]["threshold"]
    for row in rows.values():
        assert row["value_low"] < row["value"] < row["value_high"]
        assert row["optimism"] == row["value_chosen"] - row["value"] > 0
    assert rows["micro"]["value_chosen"] == REPORT.run.metric("detection_best_threshold").value
    own = REPORT.run.metric("detection_best_threshold_per_label").value
    assert rows["per_label"]["value_chosen"] == own


def test_it_says_which_thresholds_to_use():
    use, value, gain = REPORT.reading
    rows = by_average(REPORT)
    cat, dog, best = (f"{rows[name]['threshold']:.4g}" for name in ("cat", "dog", "micro"))
    assert use == f"F1 at IoU 0.5: use {best} (cat {cat}, dog {dog})."
    assert value.startswith("One threshold gives F1 0.")
    assert value.endswith(" less than where it was chosen.")
    one, each = (f"{rows[name]['value']:.3f}" for name in ("macro", "per_label"))
    mean = f"On other items a threshold for each label gives a mean F1 of {each}"
    assert gain == f"{mean}, one threshold {one}: no gain is shown."
    assert LabelThresholds(run(matches=matches(3))).reading[-1].endswith(": a gain.")
    assert REPORT.notes[0].startswith(
        "Chosen on all items. Values on others: thresholds chosen on random halves"
    )


def test_a_column_names_the_items_to_choose_on():
    report = LabelThresholds(run(), choose_on="split=val")
    assert report.notes == ["Chosen on the items where split is val, reported on the others."]
    val = np.array([entry == "val" for entry in report.run.inputs["split"]])
    result = report.run.results[0]
    rows = by_average(report)
    assert rows["micro"]["value_chosen"] == result.value("detection_best_threshold", val)
    assert rows["micro"]["threshold"] != by_average(REPORT)["micro"]["threshold"]
    assert rows["micro"]["value"] == pytest.approx(f_at(report.run, ~val, rows["micro"]["threshold"]))


def f_at(results, mask, threshold):
    """F1 of some images at a threshold, counted from the boxes."""
    statistics = results.results[0].statistics
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"]
    kept = (decisions["score"] >= threshold) & mask[decisions.owners]
    tp = decisions["hit"][kept].sum()
    return 2 * tp / (kept.sum() + mask[truths.owners].sum())


def test_folds_report_each_item_once():
    report = LabelThresholds(run(), folds=4)
    assert "from 4 folds" in report.notes[0]
    row = by_average(report)["micro"]
    assert row["value_low"] < row["value"] < row["value_high"]


def test_the_same_items_flatter():
    report = LabelThresholds(run(), split=1)
    assert report.notes == ["Chosen and reported on the same items, which flatters."]
    assert all(row["optimism"] == pytest.approx(0, abs=1e-12) for row in report.table())
    assert "F1 on the same items" in report.summary().columns
    assert len(report.reading) == 2
    assert report.reading[1].endswith("on the items that it was chosen on.")
    assert report.export()["value"]["default"]["on_others"] is None


def test_clusters_are_kept_together_and_widen_the_interval():
    report = LabelThresholds(run(cluster=[str(at // 10) for at in range(IMAGES)]))
    assert any("`cluster`" in note for note in report.notes)
    assert by_average(report)["micro"]["value_low"] is not None


def test_average_precision_holds_the_same_scores():
    plain = {"metric"}
    other = LabelThresholds(run(DetectionCocoEvaluator()))
    for row, expected in zip(other.table(), REPORT.table(), strict=True):
        assert row["metric"] == "detection_coco_map_50"
        assert {name: row[name] for name in row.keys() - plain} == {
            name: expected[name] for name in expected.keys() - plain
        }
    both = LabelThresholds(run(DetectionCocoEvaluator(), DetectionBestThresholdEvaluator()))
    assert {row["metric"] for row in both.table()} == {"detection_best_threshold"}


def test_both_average_precisions_of_pascal_voc_hold_the_same_scores_once():
    rules = {"matching": "voc", "iou_thresholds": [0.5], "iou_thresholds_to_return": []}
    older = DetectionAveragePrecisionEvaluator(**rules, integration="11", name="voc2007")
    newer = DetectionAveragePrecisionEvaluator(**rules, integration="area", name="voc2010")
    results = [each.run(matches=MATCHES)["result"] for each in (older, newer)]
    both = EvaluationResults({"id": run().inputs["id"]}, choose_primary(results, ["voc2010"]))
    expected = LabelThresholds(run(DetectionBestThresholdEvaluator(matching="voc"))).table()
    table = LabelThresholds(both).table()
    assert set(table["metric"]) == {"voc2010"}
    for name in ("threshold", "value", "precision", "recall", "truths"):
        assert table[name] == expected[name]
    assert len(LabelThresholds(both, ["voc2007", "voc2010"]).searches) == 2
    assert not label_searches(run(DetectionAveragePrecisionEvaluator(iou_thresholds=[0.5, 0.75])))


def test_roc_auc_holds_the_scores_of_labels():
    generator = np.random.default_rng(1)
    truth = generator.choice(["no", "yes"], 80).tolist()
    chances = [float(np.clip(generator.normal(0.7 if label == "yes" else 0.4, 0.2), 0, 1)) for label in truth]
    inputs = {"ground_truths": truth, "predictions": [{"yes": p, "no": 1 - p} for p in chances]}
    tables = []
    for evaluator in (ClassificationRocAucEvaluator(), ClassificationBestThresholdEvaluator()):
        results = EvaluationResults(inputs, [evaluator.run(**inputs)["result"]])
        report = LabelThresholds(results)
        assert report.export()["positive"] == "yes"
        yes = by_average(report)["yes"]
        assert [row["label"] for row in report.table()] == ["yes"]
        assert report.reading[0] == f"F1 of label yes: use {yes['threshold']:.4g}."
        assert report.reading[1].startswith(f"It gives F1 {yes['value']:.3f}")
        tables.append([{**row, "metric": ""} for row in report.table()])
    assert tables[0] == tables[1]


def classified(labels=("0", "1"), positive=None, items=80):
    """Scores of two or more labels; the first label has the lowest."""
    generator = np.random.default_rng(1)
    truth = generator.choice(labels, items).tolist()
    rows = [
        generator.random(len(labels)) + np.array([1.5 * (label == each) for each in labels])
        for label in truth
    ]
    inputs = {
        "ground_truths": truth,
        "predictions": [dict(zip(labels, (row / row.sum()).round(2).tolist(), strict=True)) for row in rows],
    }
    evaluators = ClassificationRocAucEvaluator(), ClassificationAveragePrecisionEvaluator(positive=positive)
    return EvaluationResults(inputs, [evaluator.run(**inputs)["result"] for evaluator in evaluators])


@pytest.mark.parametrize("objective", ["youden", "cost=1,5", "cost=5,1,-2,-1", "cost=1,0"])
@pytest.mark.parametrize("labels", [("0", "1"), ("a", "b", "c")])
def test_classifiers_have_thresholds_by_cost_and_youden(labels, objective):
    results = classified(labels)
    report = LabelThresholds(results, objective=objective)
    rows = by_average(report)
    assert list(rows) == (["1"] if labels == ("0", "1") else ["micro", "a", "b", "c"])
    for label in set(rows) - {"micro"}:
        scores = [entry[label] for entry in results.inputs["predictions"]]
        truth = [int(label == true) for true in results.inputs["ground_truths"]]
        expected = find_threshold(scores, truth, objective_of(objective), draws=0)
        row, quality = rows[label], expected.chosen
        if math.isinf(expected.threshold):
            assert (row["threshold"], row["note"]) == (None, "nothing should be called positive")
            assert report.export()["thresholds"].get(label, 0) is None
        else:
            assert row["threshold"] == expected.threshold
        if objective == "youden":
            value = quality.values["recall"] + quality.values["specificity"] - 1
        else:
            value = objective_of(objective).per_item(quality.tp, quality.fp, quality.fn, quality.tn)
        assert row["value_chosen"] == pytest.approx(value)
        if objective != "cost=1,0":
            assert row["value_low"] < row["value"] < row["value_high"]
            assert row["optimism"] > 0
    assert set(report.table()["quantity"]) == {"Youden's index" if objective == "youden" else "cost per item"}
    json.loads(report.render("json"), parse_constant=pytest.fail)


@pytest.mark.parametrize("objective", ["youden", "cost=1,5"])
def test_results_find_the_thresholds_of_a_classifier_without_a_column_of_labels(objective):
    results = classified(("ham", "spam"))
    expected = LabelThresholds(results, objective=objective, positive="spam", seed=1).table()
    for metrics in (None, ["classification_roc_auc"]):
        table = results.find_best_thresholds(None, metrics, objective=objective, positive="spam", seed=1)
        assert list(table) == list(expected)
    with pytest.raises(InputError, match="needs true negatives, which detections do not have"):
        run(DetectionCocoEvaluator()).find_best_thresholds(
            None, ["detection_coco_map_50"], objective="youden"
        )


def test_negatives_of_a_label_have_another_label_of_its_key():
    generator = np.random.default_rng(3)
    names = {"colour": ["red", "blue", "green"], "size": ["big", "small"]}
    truth = [{key: str(generator.choice(values)) for key, values in names.items()} for _ in range(60)]
    found = [
        {key: {each: float(generator.random() + (row[key] == each)) for each in names[key]} for key in names}
        for row in truth
    ]
    truth = [row if at % 4 else {"colour": row["colour"]} for at, row in enumerate(truth)]
    result = ClassificationRocAucEvaluator().run(ground_truths=truth, predictions=found)["result"]
    results = EvaluationResults({"id": [str(at) for at in range(60)]}, [result])
    for row in LabelThresholds(results, objective="youden").table()[1:]:
        key, label = row["key"], row["label"]
        labels = [float(each[key] == label) if key in each else np.nan for each in truth]
        expected = find_threshold(
            [each[key][label] for each in found], labels, objective_of("youden"), draws=0
        )
        assert row["threshold"] == expected.threshold


def test_the_positive_one_of_two_labels_is_named_or_asked_for():
    named = LabelThresholds(classified(("ham", "spam"), positive="spam"))
    assert named.reading[0].startswith("F1 of label spam: use ")
    asked = LabelThresholds(classified(("ham", "spam")))
    assert [row["label"] for row in asked.table()] == ["ham", "spam"]
    assert asked.reading[-1] == "Name the label to decide by with positive=."
    with pytest.raises(InputError, match="name the label of 'ham' and 'spam' to export with positive="):
        asked.export()
    ham = LabelThresholds(classified(("ham", "spam"), positive="spam"), positive="ham")
    assert ham.export()["thresholds"] == {"ham": ham.export()["default"]}
    for labels in (("ham", "spam"), ("a", "b", "c")):
        with pytest.raises(InputError, match="positive='eggs' is for two labels and names one of them; the"):
            LabelThresholds(classified(labels), positive="eggs")


def test_class_numbers_of_a_detector_are_no_yes_and_no():
    sides = [
        ([(str(at % 2), [0, 0, 9, 9])], [(str(at % 2), [0, 0, 9, 9 - at % 3], at / 8)]) for at in range(8)
    ]
    result = DetectionBestThresholdEvaluator().run(matches=matched_images(*sides))["result"]
    report = LabelThresholds(EvaluationResults({"id": list("abcdefgh")}, [result]))
    assert list(by_average(report)) == ["micro", "macro", "per_label", "0", "1"]


def test_costs_of_detections_need_no_true_negatives():
    report = LabelThresholds(run(), objective="cost=1,5,-2,0")
    row, statistics = by_average(report)["micro"], run().results[0].statistics
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"].entries
    costs = {}
    for threshold in {np.inf, *decisions["score"].tolist()}:
        kept = decisions["score"] >= threshold
        tp = int(decisions["hit"][kept].sum())
        costs[threshold] = (kept.sum() - tp) + 5 * (truths - tp) - 2 * tp
    assert costs[row["threshold"]] == min(costs.values())
    assert row["value_chosen"] == pytest.approx(min(costs.values()) / IMAGES)
    assert report.reading[0].startswith("Cost per item at IoU 0.5: use ")
    for kind in ("markdown", "csv", "json", "html"):
        assert "ost per item at IoU 0.5" in report.render(kind)


def test_a_floor_is_checked_on_other_items():
    report = LabelThresholds(run(), objective="recall-at-precision=0.9")
    row = by_average(report)["micro"]
    assert row["objective"] == "recall_at_precision_0.9"
    assert row["value"] == pytest.approx(row["recall"])
    missed = any("misses the floor of 0.9" in line for line in report.reading)
    assert missed == (row["precision"] < 0.9)
    none = LabelThresholds(run(), objective="precision-at-recall=0.99")
    (sentence,) = none.reading
    start = "Precision at IoU 0.5: no threshold reaches the floor: recall is at most "
    assert sentence.startswith(start)
    reached, _, threshold = sentence.removeprefix(start).removesuffix(".").partition(", at ")
    kept = LabelThresholds(run(), objective=f"precision-at-recall={float(reached) - 0.001}")
    assert f"{by_average(kept)['micro']['threshold']:.4g}" == threshold
    notes = {row["label"]: row["note"] for row in none.table()}
    assert notes["cat"].startswith("no threshold reaches the floor: recall is at most 0.")
    assert [row["recall"] for row in none.summary()] == ["-"] * 3
    assert none.export()["default"] is None
    assert none.export()["thresholds"] == {"cat": None, "dog": None}


def test_where_nothing_is_right_no_threshold_helps():
    sides = [([("cat", [0, 0, 9, 9])], [("cat", [50, 50, 60, 60], 0.5)])] * 4
    result = DetectionBestThresholdEvaluator().run(matches=matched_images(*sides))["result"]
    report = LabelThresholds(EvaluationResults({"id": list("abcd")}, [result]))
    assert report.reading == ["F1 at IoU 0.5: no threshold helps: no prediction is right."]
    assert (report.export()["default"], report.export()["thresholds"]) == (None, {})
    assert report.figures() == []
    assert "no threshold helps" in report.render("html")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"choose_on": "split"}, "give COLUMN=VALUE"),
        ({"choose_on": "split=dev"}, "no item has that value; split holds 'test', 'val'"),
        ({"choose_on": "part=val"}, "no input column 'part'"),
        ({"choose_on": "split=val", "folds": 3}, "exclude each other"),
        ({"folds": IMAGES + 1}, "cannot be divided into 121 parts"),
        ({"folds": 1}, "at least 2"),
        ({"split": 0}, "between 0 and 1"),
        ({"objective": "youden"}, "needs true negatives"),
        ({"objective": "best"}, "objective 'best' is unknown"),
        ({"metrics": ["detection_f1"]}, "no metric 'detection_f1'"),
    ],
)
def test_what_cannot_be_divided_or_searched_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        LabelThresholds(run(), **options)


def test_a_run_without_scored_labels_is_refused():
    results = EvaluationResults.from_dict(
        {"inputs": {"id": ["a"]}, "metrics": [{"name": "m", "scores": [1.0]}]}
    )
    with pytest.raises(InputError, match="add detection_best_threshold or classification_best_threshold"):
        LabelThresholds(results)


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_deployment_loads_what_was_exported(tmp_path, suffix):
    path = tmp_path / f"thresholds.{suffix}"
    write_thresholds(REPORT.export(), path)
    loaded, rows = load_thresholds(path), by_average(REPORT)
    assert loaded.default == rows["micro"]["threshold"]
    assert loaded.labels == {"cat": rows["cat"]["threshold"], "dog": rows["dog"]["threshold"]}
    assert loaded.apply("cat", rows["cat"]["threshold"])
    assert not loaded.apply("cat", math.nextafter(rows["cat"]["threshold"], 0))
    assert loaded.source["run"] == "detector"
    assert loaded.source["ranges"]["thresholds"]["cat"][0] <= loaded.labels["cat"]
    assert loaded.source["value"]["default"]["on_others"] == rows["micro"]["value"]


def test_one_label_has_one_threshold():
    sides = [([("cat", [0, 0, 9, 9])], [("cat", [0, 0, 9, 9 - at % 2], 0.5 + at / 20)]) for at in range(6)]
    result = DetectionBestThresholdEvaluator().run(matches=matched_images(*sides))["result"]
    report = LabelThresholds(EvaluationResults({"id": list("abcdef")}, [result]))
    assert [row["average"] for row in report.table()] == ["micro", "label"]
    assert len(report.reading) == 2
    assert report.export()["thresholds"] == {"cat": report.export()["default"]}


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"name it \.json or \.yaml"):
        write_thresholds({}, tmp_path / "thresholds.txt")


def test_figures_mark_the_threshold_and_its_band():
    figures = REPORT.figures()
    assert [figure.title for figure in figures] == ["all labels", "cat", "dog"]
    for figure in figures:
        band = next(mark for mark in figure.marks if isinstance(mark, Band))
        assert all(low <= high for _, low, high in band.points)
        rule, dot = (next(mark for mark in figure.marks if isinstance(mark, kind)) for kind in (Rule, Dot))
        assert rule.at == dot.x
        assert 'class="band run-0"' in str(svg.draw(figure))
        assert draw(figure).collections
    assert "Best thresholds" in REPORT.render("html")


def test_the_curves_of_a_run_mark_the_threshold_of_each_label():
    detail = REPORT.run.results[0].detail("curve")
    _, *labels = curves(detail)[0]
    rows = by_average(REPORT)
    assert [figure.title for figure in labels] == ["cat", "dog"]
    for figure in labels:
        (rule,) = (mark for mark in figure.marks if isinstance(mark, Rule))
        assert rule.at == rows[figure.title]["threshold"]


def test_only_a_mean_of_labels_has_values_per_label():
    result = REPORT.run.results[0]
    having = [measure.name for measure in result.measures if has_labels(Target(result, measure.name))]
    assert having == ["detection_best_threshold_per_label"]


def test_the_gate_compares_the_value_on_other_items():
    results = run()
    value = by_average(REPORT)["micro"]["value"]
    gate = results.gate(
        ["held_out(detection_best_threshold)>=0.5", "held_out(detection_best_threshold)>=0.99"]
    )
    passed, failed = gate.decisions
    assert passed.outcome.value == "passed"
    assert failed.outcome.value == "failed"
    assert passed.sentence.startswith(f"held-out detection_best_threshold is {value:.3f}")
    sliced = results.gate(["held_out(detection_best_threshold_per_label[split=val])>=0.1"])
    assert sliced.exit_code == 0
    with pytest.raises(InputError, match="chooses no threshold; use detection_best_threshold or"):
        run(DetectionCocoEvaluator()).gate(["held_out(detection_coco_map_50)>=0.1"])


@pytest.mark.parametrize("end", ["", "_macro", "_per_label"])
def test_the_gate_finds_the_scores_in_average_precision(end):
    requirement = f"held_out(detection_best_threshold{end})>=0.5"
    sentences = [
        results.gate([requirement, f"{requirement[:-5]}>=baseline-0.2"], baseline=results).decisions
        for results in (run(), run(DetectionCocoEvaluator()))
    ]
    for own, other in zip(*sentences, strict=True):
        assert own.sentence == other.sentence
    match = "no metric 'classification_best_threshold' in this run, and no classification_roc_auc"
    with pytest.raises(InputError, match=match):
        run(DetectionCocoEvaluator()).gate(["held_out(classification_best_threshold)>=0.1"])


@pytest.mark.parametrize("end", ["", "_macro", "_per_label"])
def test_the_gate_checks_thresholds_of_one_split_on_the_others(end):
    named = f"held_out(detection_best_threshold{end})"
    rows = by_average(LabelThresholds(run(), choose_on="split=val"))
    reported = rows[end.removeprefix("_") or "micro"]
    outcome = run().gate([f"{named}>=0.3", f"{named}>=baseline"], baseline=run(), choose_on="split=val")
    alone, compared = outcome.decisions
    assert alone.value == compared.value == compared.baseline == reported["value"]
    assert (alone.interval.low, alone.interval.high) == (reported["value_low"], reported["value_high"])
    assert alone.counted == compared.counted == 2 * IMAGES // 3
    assert "held_out: Chosen on the items where split is val, reported on the others." in outcome.notes


def test_a_slice_limits_the_checked_items_and_not_those_to_choose_on():
    columns = {"camera": [["left", "right"][at % 2] for at in range(IMAGES)]}
    named = "held_out(detection_best_threshold"
    gate = run(**columns).gate(
        [f"{named}[camera=left])>=0.1", f"{named}[split=val])>=0.1"], choose_on="split=val"
    )
    left, none = gate.decisions
    threshold = by_average(LabelThresholds(run(), choose_on="split=val"))["micro"]["threshold"]
    checked = np.array([at % 3 > 0 and at % 2 == 0 for at in range(IMAGES)])
    assert left.value == pytest.approx(f_at(run(), checked, threshold))
    assert "where split = val: choose_on='split=val' chooses thresholds on all of its 40" in none.sentence


def test_the_other_slices_are_decided_where_one_has_only_items_to_choose_on():
    gate = run().gate(["held_out(detection_best_threshold[by split])>=0.1"], choose_on="split=val")
    test, val = gate.decisions
    assert (test.subject[-12:], str(test.outcome)) == ("split = test", "passed")
    assert (val.subject[-11:], str(val.outcome)) == ("split = val", "could not be decided")
    assert "require the slices that have other items by name, or leave out choose_on" in val.sentence
    assert gate.exit_code == 3


def test_runs_with_items_in_another_order_choose_on_the_same_items():
    whole, order = run(), np.random.default_rng(1).permutation(IMAGES)[: IMAGES // 2]
    part = EvaluationResults(
        {name: [column[at] for at in order] for name, column in whole.inputs.items()},
        [result.take(order) for result in whole.results],
    )
    requirement = ["held_out(detection_best_threshold)>=baseline"]
    (decision,) = part.gate(requirement, baseline=whole, choose_on="split=val").decisions
    expected = by_average(LabelThresholds(part, choose_on="split=val"))["micro"]["value"]
    assert decision.value == decision.baseline == expected


@pytest.mark.parametrize(
    ("requirement", "choose_on", "message"),
    [
        ("held_out(detection_best_threshold)>=0.1", "split", "choose_on='split': give COLUMN=VALUE, for"),
        ("held_out(detection_best_threshold)>=0.1", "split=x", "no item has that value; split holds 'test'"),
        ("held_out(detection_best_threshold)>=0.1", "part=val", "no input column 'part'"),
        ("detection_best_threshold>=0.1", "split=val", "choose_on='split=val': no requirement is `held_out"),
    ],
)
def test_a_split_that_the_gate_cannot_use_is_named(requirement, choose_on, message):
    with pytest.raises(InputError, match=re.escape(message)):
        run().gate([requirement], choose_on=choose_on)
