"""The ways to write labels and scores, and what is refused."""

import numpy as np
import pytest

from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationBrierScoreEvaluator,
    ClassificationCalibrationErrorEvaluator,
    ClassificationConfusionMatrixEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationF1Evaluator,
    ClassificationLogLossEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRocAucEvaluator,
    LabelScores,
)
from thresher.errors import DataWarning, InputError
from thresher.results import FrozenColumn, Label

SCORES = [{"cat": 0.7, "dog": 0.3}, {"cat": 0.6, "dog": 0.4}, {"cat": 0.1, "dog": 0.9}]
TRUTHS = ["cat", "dog", "dog"]


PROBABILITY_METRICS = [
    ClassificationBrierScoreEvaluator,
    ClassificationCalibrationErrorEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationLogLossEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
]


@pytest.mark.parametrize("form", ["dicts", "matrix", "probabilities"])
def test_scores_that_rounding_put_outside_0_to_1_are_probabilities(form):
    truths = ["no", "yes", "yes", "no"]
    raw = np.array([-1e-9, 1.0000001192092896, 0.75, 0.25])

    def predictions(scores):
        both = np.stack([1 - scores, scores], axis=1)
        named = [{"no": no, "yes": yes} for no, yes in both.tolist()]
        return {"dicts": named, "matrix": LabelScores(both, ["no", "yes"]), "probabilities": scores}[form]

    for evaluator in PROBABILITY_METRICS:
        with pytest.warns(
            DataWarning, match="scores of labels are outside 0 to 1 by up to 1e-06, as rounding"
        ):
            rounded = evaluator().run(ground_truths=truths, predictions=predictions(raw))["result"]
        exact = evaluator().run(ground_truths=truths, predictions=predictions(raw.clip(0, 1)))["result"]
        for measure in exact.measures:
            assert rounded.value(measure.name) == exact.value(measure.name)
    ranked = ClassificationRocAucEvaluator().run(ground_truths=truths, predictions=predictions(raw))
    assert ranked["score"] == 1.0
    with pytest.raises(InputError, match="give a score from 0 to 1"):
        ClassificationLogLossEvaluator().run(ground_truths=truths, predictions=predictions(raw * 1.00001))


@pytest.mark.parametrize(
    ("truths", "predictions"),
    [
        (TRUTHS, SCORES),
        (TRUTHS, ["cat", "cat", "dog"]),
        ([["cat"], ["dog"], ["dog"]], [["cat"], ["cat"], "dog"]),
        ([1, 2, 2], [1, 1, 2]),
        (np.array([1, 2, 2]), np.array([1, 1, 2])),
        (np.array(TRUTHS), LabelScores([[0.7, 0.3], [0.6, 0.4], [0.1, 0.9]], ["cat", "dog"])),
        ([{"animal": "cat"}, {"animal": "dog"}, {"animal": "dog"}], [{"animal": each} for each in SCORES]),
        ([Label("animal", each) for each in TRUTHS], [{"animal": each} for each in ("cat", "cat", "dog")]),
        (FrozenColumn(TRUTHS), FrozenColumn(SCORES)),
    ],
)
def test_labels_and_scores_may_be_written_in_many_ways(truths, predictions):
    out = ClassificationAccuracyEvaluator().run(ground_truths=truths, predictions=predictions)
    assert out["score"] == 2 / 3
    assert out["individual_scores"] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("values", [(3, 0, 3, 1), (100, 7, 100, 7), (0,)])
def test_arrays_of_numbers_are_labels_as_lists_are(values, dtype):
    signs = (1, -1) if dtype[0] == "i" else (1,)
    for sign in signs:
        numbers = [sign * value for value in values]
        array = np.array(numbers, dtype)
        results = [
            ClassificationF1Evaluator().run(ground_truths=truths, predictions=numbers[::-1])["result"]
            for truths in (array, numbers)
        ]
        tables = [result.detail("by_label").columns for result in results]
        assert tables[0] == tables[1]


def test_a_matrix_says_the_same_as_dictionaries():
    generator = np.random.default_rng(3)
    matrix = generator.random((40, 5))
    names = list("edcba")
    truths = generator.choice(names, 40).tolist()
    column = LabelScores(matrix, names)
    for evaluator in (
        ClassificationAccuracyEvaluator(),
        ClassificationF1Evaluator(),
        ClassificationRocAucEvaluator(),
        ClassificationPrecisionRecallCurveEvaluator(),
        ClassificationCalibrationErrorEvaluator(),
    ):
        results = [evaluator.run(truths, each)["result"] for each in (column, list(column))]
        assert results[0].score == pytest.approx(results[1].score, abs=1e-15)
        first, second = (each.detail().to_dict() for each in results)
        assert first == second


def test_label_keys_are_decided_apart():
    truths = [[Label("animal", "cat"), Label("colour", "red")], [Label("animal", "dog")]]
    predictions = [
        {Label("animal", "cat"): 0.4, Label("animal", "dog"): 0.6, Label("colour", "red"): 0.1},
        {Label("animal", "dog"): 0.9, Label("colour", "red"): 1.0},
    ]
    result = ClassificationAccuracyEvaluator().run(truths, predictions)["result"]
    assert result.item_scores().tolist() == [0.5, 1.0]
    assert result.score == 2 / 3
    assert result.detail("by_key").columns == {
        "key": ["animal", "colour"],
        "accuracy": [0.5, 1.0],
        "decisions": [2.0, 1.0],
    }


def test_none_is_missing_and_an_empty_truth_undefined_and_an_empty_prediction_wrong():
    result = ClassificationAccuracyEvaluator().run(["cat", None, [], "dog"], ["cat", "cat", "cat", {}])[
        "result"
    ]
    assert list(result.status) == [0, 4, 1, 0]
    assert result.reasons == {1: "no entry in ground_truths", 2: "no true label in ground_truths"}
    assert result.score == 0.5
    matrix = ClassificationConfusionMatrixEvaluator().run(["cat", "dog"], ["cat", {}])["result"].detail()
    assert [(row["truth"], row["predicted"]) for row in matrix.rows()] == [("cat", "cat"), ("dog", None)]


@pytest.mark.parametrize(
    ("truths", "predictions", "message"),
    [
        ([0.5], ["cat"], r"ground_truths\[0\] is 0.5, which is not a label; give a text or a whole number"),
        (["cat"], [[["cat", "cat"]]], r"predictions\[0\] names a label twice"),
        ([["cat", "dog"]], ["cat"], r"ground_truths\[0\] has several labels of one key: cat, dog"),
        (["cat"], [{"cat": None}], r"predictions\[0\] gives None for 'cat'; give a score"),
        (["cat", "dog"], ["cat"], "inputs have unequal lengths"),
    ],
)
def test_what_cannot_be_read_is_named(truths, predictions, message):
    with pytest.raises(InputError, match=message):
        ClassificationAccuracyEvaluator().run(truths, predictions)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (1.5, r"predictions\[1\] scores cat with 1.5; give a score from 0 to 1"),
        (-0.1, r"predictions\[1\] scores cat with -0.1; give a score from 0 to 1"),
        (float("nan"), r"predictions\[1\] scores 'cat' with NaN; give a number"),
    ],
)
def test_scores_outside_their_range_are_named(score, message):
    with pytest.raises(InputError, match=message):
        ClassificationPrecisionRecallCurveEvaluator().run(
            ["cat", "dog"], [{"cat": 1.0}, {"dog": 0.5, "cat": score}]
        )


def test_roc_auc_ranks_scores_of_any_scale_but_wants_numbers():
    predictions = [{"cat": 3.0, "dog": -3.0}, {"cat": -2.0, "dog": 2.0}]
    assert ClassificationRocAucEvaluator().run(["cat", "dog"], predictions)["score"] == 1.0
    with pytest.raises(InputError, match=r"predictions\[0\] scores 'cat' with NaN; give a number"):
        ClassificationRocAucEvaluator().run(["cat"], [{"cat": float("nan")}])
    with pytest.raises(InputError, match="give a finite score"):
        ClassificationRocAucEvaluator().run(["cat"], [{"cat": float("inf")}])


@pytest.mark.parametrize(
    "evaluator",
    [
        ClassificationCalibrationErrorEvaluator(),
        ClassificationDetailedPrecisionRecallCurveEvaluator(),
        ClassificationPrecisionRecallCurveEvaluator(),
        ClassificationRocAucEvaluator(),
    ],
    ids=lambda evaluator: evaluator.name,
)
def test_a_metric_of_scores_leaves_out_labels_without_scores_and_says_so(evaluator):
    with_gap = evaluator.run([*TRUTHS, "cat"], [*SCORES, "cat"])["result"]
    assert with_gap.reasons == {3: "a label without scores in predictions"}
    assert with_gap.score == evaluator.run(TRUTHS, SCORES)["result"].score
    assert str(with_gap.detail().columns) == str(evaluator.run(TRUTHS, SCORES)["result"].detail().columns)
    alone = evaluator.run(TRUTHS, TRUTHS)["result"]
    assert np.isnan(alone.score)
    assert (alone.n_scored, len(alone)) == (0, 3)


@pytest.mark.parametrize(
    ("matrix", "labels", "message"),
    [
        ([[0.5]], ["cat", "dog"], r"scores of shape \(1, 1\) are not items x 2 labels"),
        ([[0.5, 0.5]], ["cat", "cat"], "two columns of scores have the same label"),
        ([["a", "b"]], ["cat", "dog"], "expected numbers, not <U1"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(matrix, labels, message):
    with pytest.raises(InputError, match=message):
        LabelScores(matrix, labels)


def test_a_label_without_positives_has_no_area_and_says_why():
    result = ClassificationRocAucEvaluator().run(
        ["cat", "dog"], [{"cat": 0.9, "ape": 0.1}, {"dog": 0.8, "cat": 0.2}]
    )["result"]
    told = {row["label"]: row["undefined"] for row in result.detail().rows()}
    assert told == {"ape": "no item has the label", "cat": None, "dog": None}
    assert result.score == 1.0
    alone = ClassificationRocAucEvaluator().run(["cat"], [{"cat": 0.9}])["result"]
    assert np.isnan(alone.score)
    assert alone.detail().columns["undefined"] == ["every item has the label"]


def test_the_score_of_what_is_not_listed_is_an_option():
    truths, predictions = ["cat", "dog"], [{}, {"cat": 0.0}]
    areas = {
        missing: ClassificationRocAucEvaluator(missing_score=missing)
        .run(truths, predictions)["result"]
        .detail()
        .columns["roc_auc"][0]
        for missing in (0.0, -1.0, 1.0)
    }
    assert areas == {0.0: 0.5, -1.0: 0.0, 1.0: 1.0}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ClassificationF1Evaluator(average="median"), "average='median' is unknown"),
        (lambda: ClassificationF1Evaluator(undefined="half"), "undefined='half' is unknown"),
        (
            lambda: ClassificationCalibrationErrorEvaluator(bins=0),
            "bins=0 must be a whole number of at least 1",
        ),
        (
            lambda: ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5, 0.5]),
            "numbers from 0 to 1, rising, 1 to 255 of them",
        ),
        (
            lambda: ClassificationPrecisionRecallCurveEvaluator(thresholds=[1.5]),
            "thresholds=1.5 must be a number from 0 to 1",
        ),
        (
            lambda: ClassificationPrecisionRecallCurveEvaluator(unlabelled="drop"),
            "unlabelled='drop' is unknown",
        ),
        (lambda: ClassificationRocAucEvaluator(missing_score="low"), "missing_score='low' must be a number"),
        (
            lambda: ClassificationConfusionMatrixEvaluator(max_examples=-1),
            "max_examples=-1 must be a whole number",
        ),
    ],
)
def test_options_out_of_range_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_nan_is_no_score_to_choose_a_label_by():
    with pytest.raises(InputError, match=r"predictions\[0\] scores 'cat' with NaN"):
        ClassificationAccuracyEvaluator().run(["cat"], [{"cat": float("nan"), "dog": 0.5}])
    scores = LabelScores([[0.5, 0.5], [0.1, float("nan")]], ["cat", "dog"])
    with pytest.raises(InputError, match=r"predictions\[1\] scores dog with NaN"):
        ClassificationAccuracyEvaluator().run(["cat", "dog"], scores)


def test_a_row_of_numbers_is_told_how_to_be_a_matrix_of_scores():
    with pytest.raises(
        InputError, match=r"a matrix with 2 columns of scores, whose labels .*LabelScores\(matrix, labels\)"
    ):
        ClassificationAccuracyEvaluator().run(["cat"], [[0.9, 0.1]])


@pytest.mark.parametrize(
    "evaluator",
    [ClassificationPrecisionRecallCurveEvaluator, ClassificationDetailedPrecisionRecallCurveEvaluator],
)
def test_keys_are_curves_of_their_own_where_an_item_has_a_true_label_of_only_one(evaluator):
    """The second item has no true colour: what is said of its colour counts nowhere."""
    animals = {"ground_truths": ["cat", "dog"], "predictions": [{"cat": 0.9}, {"cat": 0.6, "dog": 0.3}]}
    colours = {
        "ground_truths": ["red", []],
        "predictions": [{"red": 0.8, "blue": 0.1}, {"red": 0.7, "blue": 0.2}],
    }
    both = {
        "ground_truths": [{"animal": "cat", "colour": "red"}, {"animal": "dog"}],
        "predictions": [
            {"animal": one, "colour": two}
            for one, two in zip(animals["predictions"], colours["predictions"], strict=True)
        ],
    }
    found, alone, other = (evaluator().run(**each)["result"] for each in (both, animals, colours))
    name = found.breakdowns[0].name
    wanted = [
        {**row, "key": key}
        for key, result in (("animal", alone), ("colour", other))
        for row in result.detail(name).rows()
    ]
    assert list(map(str, found.detail(name).rows())) == list(map(str, wanted))
    assert min(found.detail(name).columns["tn"]) >= 0
