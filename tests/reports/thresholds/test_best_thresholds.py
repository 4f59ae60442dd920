import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.components.detection import DetectionAveragePrecisionEvaluator, DetectionMatcher
from thresher.kernels.inference import BestF, LeastCost, PrecisionAtRecall, RecallAtPrecision, Youden
from thresher.reports.thresholds.objectives import objective_of

ITEMS = 600


def run(**columns):
    rng = np.random.default_rng(5)
    good = rng.random(ITEMS) < 0.4
    score = rng.normal(np.where(good, 0.7, 0.4), 0.15).tolist()
    truths = np.where(good, "spam", "ham").tolist()
    inputs = {
        "id": [str(item) for item in range(ITEMS)],
        "human": good.astype(int).tolist(),
        "rating": np.where(good, 5, 2).tolist(),
        "ground_truths": truths,
        "predictions": [{"spam": each, "ham": 1 - each} for each in score],
        **columns,
    }
    metrics = [
        {"name": "judge", "scores": score},
        {"name": "badness", "scores": [1 - each for each in score], "direction": "lower"},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="a")


def test_the_threshold_is_chosen_on_one_part_and_reported_on_the_other():
    table = run().find_best_thresholds("human")
    assert table["metric"] == ["judge", "badness"]
    row = table[0]
    assert 0.45 < row["threshold"] < 0.65
    assert row["threshold_low"] <= row["threshold"] <= row["threshold_high"]
    assert (row["chosen_on"], row["held_out"]) == (300, 300)
    assert row["tp"] + row["fp"] + row["fn"] + row["tn"] == 300
    assert row["precision"] == row["tp"] / (row["tp"] + row["fp"])
    assert row["precision_low"] < row["precision"] < row["precision_high"]
    assert table.notes == ("Chosen on 50% of the items (seed 20240403), reported on the others.",)


def test_a_column_may_name_the_items_to_choose_on():
    part = ["val" if item < 200 else "test" for item in range(ITEMS)]
    table = run(part=part).find_best_thresholds("human", ["judge"], choose_on="part=val")
    assert table.notes == ("Chosen on the items where part is val, reported on the others.",)
    assert (table[0]["chosen_on"], table[0]["held_out"]) == (200, 400)
    with pytest.raises(InputError, match="no item has that value; part holds 'test', 'val'"):
        run(part=part).find_best_thresholds("human", ["judge"], choose_on="part=dev")
    unlabelled = run(part=part, human=[None] * 200 + [1, 0] * 200)
    with pytest.raises(InputError, match="choose_on='part=val' leaves no labelled entry to choose on"):
        unlabelled.find_best_thresholds("human", ["judge"], choose_on="part=val")


def test_a_score_whose_low_values_are_good_has_its_threshold_turned_around():
    up, down = run().find_best_thresholds("human")
    assert (up["direction"], down["direction"]) == ("higher", "lower")
    assert down["threshold"] == pytest.approx(1 - up["threshold"])
    assert down["f"] == pytest.approx(up["f"])


def test_judges_classes_and_ratings_find_the_same_threshold():
    results = run()
    (judge,) = results.find_best_thresholds("human", ["judge"])
    (spam,) = results.find_best_thresholds("ground_truths", ["predictions"], positive="spam")
    (rated,) = results.find_best_thresholds("rating >= 4", ["judge"])
    assert spam["threshold"] == rated["threshold"] == judge["threshold"]


def test_a_floor_holds_where_the_threshold_was_chosen():
    thresholds = json.loads(
        run().find_best_thresholds("human", ["judge"], "json", objective="precision-at-recall=0.9")
    )
    (report,) = thresholds["thresholds"]
    assert report["chosen"]["recall"]["value"] >= 0.9
    assert report["objective"] == "precision_at_recall_0.9"
    assert report["reported"]["recall"]["interval"]["method"] == "one-more"


def test_unknown_labels_are_left_out():
    labels = [1, 0, None, float("nan")] * 150
    (row,) = run(human=labels).find_best_thresholds("human", ["judge"])
    assert row["chosen_on"] + row["held_out"] == 300


def test_clusters_are_not_torn_apart():
    clusters = [item // 100 for item in range(ITEMS)]
    (row,) = run(cluster=clusters).find_best_thresholds("human", ["judge"])
    assert (row["chosen_on"], row["held_out"]) == (300, 300)
    (other,) = run(cluster=clusters).find_best_thresholds("human", ["judge"], split=0.34)
    assert other["chosen_on"] == 200


def test_without_a_split_it_says_that_it_flatters():
    table = run().find_best_thresholds("human", ["judge"], split=1)
    assert table.notes == (
        "Chosen and reported on the same items, which flatters; split them for an honest estimate.",
    )
    assert (table[0]["chosen_on"], table[0]["held_out"]) == (600, 0)


def detected(images=40):
    """Every image has a cat found with 0.9 and one that nobody found; every other a dog that is none."""
    cat, dog = [0, 0, 10, 10], [50, 50, 60, 60]
    truths = [{"labels": ["cat", "cat"], "boxes": [cat, [20, 20, 30, 30]]} for _ in range(images)]
    predictions = [
        {"labels": ["cat", "cat"], "boxes": [cat, dog], "scores": [0.9, 0.3 if at % 2 else 0.1]}
        for at in range(images)
    ]
    matches = DetectionMatcher().run(ground_truths=truths, predictions=predictions)["matches"]
    result = DetectionAveragePrecisionEvaluator(matching="coco").run(matches=matches)["result"]
    return EvaluationResults({"id": [str(at) for at in range(images)]}, [result], name="detector")


def test_detected_objects_have_a_best_confidence_and_missed_ones_count_in_recall():
    (row,) = detected().find_best_thresholds(metrics=["detection_average_precision_50"])
    assert row["threshold"] == pytest.approx(0.9)
    assert (row["precision"], row["recall"]) == (1.0, 0.5)
    assert (row["tp"], row["fp"], row["fn"], row["tn"]) == (20, 0, 20, 20)
    (row,) = detected().find_best_thresholds(metrics=["detection_average_precision_50"], positive="cat")
    assert row["recall"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("nobody",), {}, "no column or metric 'nobody' to take labels from; there are judge, badness, id"),
        (
            ("rating",),
            {},
            r"rating holds 2, 5; name the positive label, or give a condition: rating >= \.\.\.",
        ),
        (("human", ["mrr"]), {}, "no input column 'mrr'"),
        (("human", "judge"), {}, "give a list of names"),
        ((None, ["judge"]), {}, "judge: give the column that says which items are positive"),
        (("human", ["predictions"]), {}, "predictions scores several labels"),
        (("human", ["ground_truths"]), {}, "item 0 has 'ham', which is neither a score"),
        (("human",), {"objective": "best"}, "objective 'best' is unknown; choose one of f1"),
        (("human",), {"split": 0}, "split=0 must lie between 0 and 1"),
        (("human",), {"direction": "up"}, "direction='up' is unknown"),
        (("human",), {"objective": "recall-at-precision=1"}, None),
    ],
)
def test_what_cannot_be_searched_is_refused(arguments, options, message):
    if message is None:
        assert run().find_best_thresholds(*arguments, **options)[0]["precision"] > 0.9
        return
    with pytest.raises(InputError, match=message):
        run().find_best_thresholds(*arguments, **options)


def test_several_overlaps_and_unknown_objects_are_refused():
    with pytest.raises(
        InputError,
        match="detection_average_precision averages several IoU thresholds; choose a measure of one, "
        "for example detection_average_precision_50",
    ):
        detected().find_best_thresholds(metrics=["detection_average_precision"])
    with pytest.raises(InputError, match="no object is labelled 'bird'"):
        detected().find_best_thresholds(metrics=["detection_average_precision_50"], positive="bird")


def test_objectives_have_names():
    assert [objective_of(text) for text in ("f1", "F0.5", "youden", "cost=1,5")] == [
        BestF(),
        BestF(0.5),
        Youden(),
        LeastCost(1, 5),
    ]
    assert objective_of("precision-at-recall=0.9") == PrecisionAtRecall(0.9)
    assert objective_of(RecallAtPrecision(0.5)) == RecallAtPrecision(0.5)
    for wrong in (
        "f",
        "f0",
        "fast",
        "cost=1",
        "precision-at-recall",
        "cost=1,2,3",
        "cost=1,inf",
        "youden=1",
        "",
    ):
        with pytest.raises(InputError, match="is unknown; choose one of"):
            objective_of(wrong)
    for negative in ("cost=-1,5", "cost=1,-5,0,0", LeastCost(1, -5)):
        with pytest.raises(InputError, match=r"a false (posi|nega)tive costs -\d; give 0 or more"):
            objective_of(negative)
    assert objective_of("cost=1,5,-2,-1").true_negative == -1
    with pytest.raises(InputError, match="recall-at-precision=2: the floor is a share"):
        objective_of("recall-at-precision=2")


def test_a_whole_matrix_of_costs_is_told_as_the_cost_of_an_entry():
    table = run().find_best_thresholds("human", ["judge"], objective="cost=5,1,-2,0")
    (row,) = table
    assert row["objective"] == "cost_fp_5_fn_1_tp_-2"
    expected = (5 * row["fp"] + row["fn"] - 2 * row["tp"]) / row["held_out"]
    assert row["cost"] == pytest.approx(expected)
    assert f"cost {expected:.3g} per entry" in table.reading[0]
    assert "cost" not in run().find_best_thresholds("human").columns


def test_a_floor_that_the_other_items_do_not_keep_is_reported():
    report = run().find_best_thresholds("human", ["judge"], objective="precision-at-recall=0.95", seed=0)
    (row,) = report
    assert row["recall"] < 0.95
    assert "recall misses the floor of 0.95 that it meets where the threshold was chosen" in report.reading[0]
    report = run().find_best_thresholds("human", ["judge"], objective="precision-at-recall=0.95", seed=2)
    (row,) = report
    assert row["recall_low"] < 0.95 <= row["recall"]
    assert "The interval of recall reaches below the floor of 0.95" in report.reading[0]


def test_labels_of_one_kind_are_refused():
    rare = [1] + [0] * (ITEMS - 1)
    results = run(none=[0] * ITEMS, every=[1] * ITEMS, rare=rare)
    for label, options, message in (
        ("none", {}, "judge: no entry is labelled positive"),
        ("every", {}, "judge: every labelled item is positive, so any threshold would do"),
        ("rare", {}, "none of the 300 entries to choose on is positive"),
        ("human", {"split": 0.999}, "judge: split=0.999 leaves no labelled entry to report on"),
        ("human", {"split": 0.001}, "judge: split=0.001 leaves no labelled entry to choose on"),
        ("ground_truths", {"positive": "eggs"}, "ground_truths: no entry is 'eggs'; it holds 'ham', 'spam'"),
    ):
        with pytest.raises(InputError, match=message):
            results.find_best_thresholds(label, ["judge"], **options)


@pytest.mark.parametrize("form", ["df", "csv", "json", "markdown"])
def test_best_thresholds_come_in_every_form(form):
    report = run().find_best_thresholds("human", None, form)
    assert len(report) == 2 if form == "df" else "badness" in report
