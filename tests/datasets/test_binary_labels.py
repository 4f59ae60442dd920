"""Two labels and one score: every layout of scikit-learn's users gives scikit-learn's numbers."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from thresher import evaluate
from thresher.components.classification import ClassificationAccuracyEvaluator
from thresher.datasets import Dataset, read_labels
from thresher.errors import DataWarning, InputError

GOLDEN = Path(__file__).parents[1] / "golden/vision2"
METRICS = ["classification_accuracy", "classification_roc_auc", "classification_calibration_error"]
MEASURES = ["classification_accuracy", "classification_roc_auc", "classification_calibration_error"]
NAMES = {
    "whole numbers": [0, 1],
    "minus one": [-1, 1],
    "truth values": [False, True],
    "yes and no": ["no", "yes"],
    "texts": ["ham", "spam"],
}


def expected_calibration_error(right, confidence, bins=15):
    places = np.ceil(confidence * bins).clip(1)
    shares = [(places == at, (places == at).mean()) for at in range(1, bins + 1) if (places == at).any()]
    return sum(share * abs(right[inside].mean() - confidence[inside].mean()) for inside, share in shares)


def sample(seed, items=120, ties=True):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2, items)
    probability = np.clip(0.3 + 0.35 * truth + generator.normal(0, 0.25, items), 0, 1)
    return truth, probability.round(2) if ties else probability


def wanted(truth, probability, decided=None):
    decided = probability >= 0.5 if decided is None else decided
    confidence = np.where(decided, probability, 1 - probability)
    return {
        "classification_accuracy": accuracy_score(truth, decided),
        "classification_roc_auc": roc_auc_score(truth, probability),
        "classification_calibration_error": expected_calibration_error(decided == truth, confidence),
    }


def numbers(data):
    metrics = evaluate(METRICS, data).metrics
    return {name: metrics[name].value for name in MEASURES}


def layout_of(layout, names, probability):
    """The columns of predictions of a layout."""
    decided = [names[int(score >= 0.5)] for score in probability]
    confidence = np.maximum(probability, 1 - probability)
    return {
        "y_score": {"y_score": probability},
        "y_prob": {"y_prob": probability},
        "proba": {"proba": probability},
        "score alone": {"score": probability},
        "y_pred that are probabilities": {"y_pred": probability},
        "predictions": {"predictions": probability},
        "one column of a label": {f"score_{names[1]}": probability},
        "one column of the other label": {f"prob_{names[0]}": 1 - probability},
        "a column per label": {f"proba_{names[1]}": probability, f"proba_{names[0]}": 1 - probability},
        "label and probability": {"y_pred": decided, "score": probability},
        "label and confidence": {"y_pred": decided, "confidence": confidence},
        "label and score of it": {"y_pred": decided, "score": confidence},
    }[layout]


LAYOUTS = (
    "y_score",
    "y_prob",
    "proba",
    "score alone",
    "y_pred that are probabilities",
    "predictions",
    "one column of a label",
    "one column of the other label",
    "a column per label",
    "label and probability",
    "label and confidence",
    "label and score of it",
)


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", [1])
def test_every_layout_gives_the_numbers_of_scikit_learn(tmp_path, kind, layout, seed):
    # The label with a column of its own wins where both are equal, unless the other is positive by its name.
    ties = (kind, layout) != ("texts", "one column of the other label")
    names, (truth, probability) = NAMES[kind], sample(seed, ties=ties)
    table = {"y_true": [names[label] for label in truth], **layout_of(layout, names, probability)}
    needed = kind == "texts" and "label" not in layout and "column" not in layout
    options = {"positive": names[1]} if needed else {}
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_json(tmp_path / "table.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "table.parquet")
    sources = [table, frame, *(tmp_path / f"table.{suffix}" for suffix in ("csv", "jsonl", "parquet"))]
    note, expected = noted(layout, options), pytest.approx(wanted(truth, probability), abs=1e-12)
    distinct = {}
    for source in sources:
        with note:
            labelled = read_labels(source, **options)
        distinct[labelled.fingerprint()] = labelled
    # Equal data give equal numbers; in some formats the last digits of a score differ.
    for labelled in distinct.values():
        assert numbers(labelled) == expected
    if not needed:
        with note:
            values = numbers(table)
        assert values == expected


def noted(layout, options):
    """Expect the note on decimals in a column named after predicted labels; no warning elsewhere."""
    named_after_labels = layout in ("y_pred that are probabilities", "predictions") and not options
    return pytest.warns(DataWarning, match="since it holds decimals") if named_after_labels else nullcontext()


def test_decimals_in_a_column_of_predicted_labels_are_noted_and_kept_with_the_data(tmp_path):
    table = {"y_true": [1, 0, 1, 0], "y_pred": [0.9, 0.2, 0.4, 0.1]}
    with pytest.warns(DataWarning) as warned:
        labelled = read_labels(table)
    note = (
        "read 'y_pred' as the probability of '1', since it holds decimals; --positive LABEL (positive= in "
        "Python) names another label, read_dataset(..., mapping={'COLUMN': 'predictions'}) another column"
    )
    assert [str(each.message) for each in warned] == [note]
    assert warned[0].filename == __file__
    assert labelled.notes == (note,)
    assert read_labels(table, positive=1).notes == ()


@pytest.mark.parametrize("layout", ["y_score", "one column of a label", "label and probability"])
def test_rows_without_a_score_are_missing_and_the_others_as_they_were(layout):
    truth, probability = sample(3)
    table = pd.DataFrame({"y_true": truth, **layout_of(layout, [0, 1], probability)})
    score = next(name for name in table if name not in ("y_true", "y_pred"))
    table.loc[::7, score] = np.nan
    known = table[score].notna().to_numpy()
    reported = evaluate(METRICS, table).metrics
    expected = wanted(truth[known], probability[known])
    assert reported["classification_roc_auc"].value == pytest.approx(expected["classification_roc_auc"])
    assert reported["classification_roc_auc"].coverage == f"{known.sum()}/{len(truth)}"
    assert reported["classification_calibration_error"].value == pytest.approx(
        expected["classification_calibration_error"]
    )
    if layout != "label and probability":  # where a label is there without its score, it counts
        assert reported["classification_accuracy"].value == pytest.approx(expected["classification_accuracy"])


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("only", [0, 1])
def test_one_class_has_an_accuracy_and_no_area(kind, only):
    names, probability = NAMES[kind], sample(4)[1]
    table = {"y_true": [names[only]] * len(probability), "y_score": probability}
    reported = evaluate(METRICS, read_labels(table, positive=names[1])).metrics
    decided = probability >= 0.5
    assert reported["classification_accuracy"].value == pytest.approx((decided == only).mean())
    assert np.isnan(reported["classification_roc_auc"].value)
    confidence = np.maximum(probability, 1 - probability)
    error = expected_calibration_error(decided == only, confidence)
    assert reported["classification_calibration_error"].value == pytest.approx(error)


@pytest.mark.parametrize("cut", [0.3, 0.7])
def test_labels_that_were_decided_at_another_cut_count_as_they_are(cut):
    """Accuracy is that of the labels given, the area that of the scores."""
    truth, probability = sample(5)
    decided = probability >= cut
    table = {"y_true": truth, "y_pred": decided.astype(int), "y_score": probability}
    assert numbers(table) == pytest.approx(wanted(truth, probability, decided))
    table["score"] = table.pop("y_score")
    assert numbers(table) == pytest.approx(wanted(truth, probability, decided))


def test_chunks_do_not_change_what_a_score_means(tmp_path):
    """A chunk of one label could not say what the other is."""
    order = np.argsort(sample(6)[0], kind="stable")
    truth, probability = (each[order] for each in sample(6))
    results = evaluate(
        METRICS, {"y_true": truth, "y_score": probability}, out=tmp_path / "run", chunk_size=10
    )
    found = {name: results.metrics[name].value for name in MEASURES}
    assert found == pytest.approx(wanted(truth, probability))


def test_golden_probabilities_without_labels():
    case = json.loads((GOLDEN / "src_06_binary_scores.json").read_text())
    expected = case["expected"]["sklearn_1.9.1 positive=1, cut 0.5"]
    reported = evaluate("classification", case["input"]).metrics
    assert reported["classification_accuracy"].value == expected["accuracy"]
    assert reported["classification_roc_auc"].value == pytest.approx(expected["roc_auc"])
    by_label = {
        row["label"]: row for row in reported["classification_accuracy"].result.detail("by_label").rows()
    }
    assert by_label["1"]["f1"] == pytest.approx(expected["f1"])
    assert (by_label["1"]["precision"], by_label["1"]["recall"]) == pytest.approx(
        (expected["precision"], expected["recall"])
    )


@pytest.mark.parametrize("words", [("no", "yes"), ("ham", "spam")])
def test_golden_labels_beside_the_probability_of_one(words):
    """Which label is positive is seen from the rows: it is predicted exactly where the score is high."""
    case = json.loads((GOLDEN / "src_07_binary_text_labels.json").read_text())
    expected = case["expected"]["sklearn_1.9.1 positive=yes"]
    names = dict(zip(("no", "yes"), words, strict=True))
    table = {
        name: [names[entry] for entry in column] if name != "score" else column
        for name, column in case["input"].items()
    }
    reported = numbers(table)
    assert reported["classification_accuracy"] == expected["accuracy"]
    assert reported["classification_roc_auc"] == pytest.approx(expected["roc_auc"])


AMBIGUOUS = {"y_true": [0, 1, 0, 1], "y_pred": [0, 1, 0, 1], "score": [0.6, 0.9, 0.7, 0.8]}


def test_a_score_that_fits_both_readings_is_refused_with_both_remedies():
    message = r"'score' is either the probability of one label .*--positive LABEL .*--map sco"
    with pytest.raises(InputError, match=message):
        read_labels(AMBIGUOUS)
    probability = read_labels(AMBIGUOUS, positive=1).column("predictions")
    assert probability[0] == ["0", {"1": 0.6, "0": 0.4}]
    confidence = read_labels(AMBIGUOUS, mapping={"score": "confidence"}).column("predictions")
    assert confidence[0] == {"0": 0.6, "1": 0.4}
    named = {**AMBIGUOUS, "y_score": AMBIGUOUS["score"]}
    del named["score"]
    assert read_labels(named).column("predictions")[0] == ["0", {"1": 0.6, "0": 0.4}]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            {"y_true": ["a", "b"], "y_score": [0.1, 0.9]},
            {},
            "probability of one of the labels 'a', 'b'; name it",
        ),
        (
            {"y_true": ["a", "b", "c"], "y_score": [0.1, 0.9, 0.5]},
            {},
            r"has 3 labels \('a', 'b', 'c'\), and the",
        ),
        (
            {"y_true": ["a", "b", "c"], "y_pred": ["a", "b", "c"]},
            {"positive": "a"},
            r"has 3 labels .*only two labels",
        ),
        (
            {"y_true": ["a", "b"], "y_score": [0.1, 0.9]},
            {"positive": "c"},
            "label 'c' is not one of the labels 'a'",
        ),
        (
            {"y_true": [0, 1], "y_score": [-2.5, 3.0]},
            {},
            r"item 'row-1': 'y_score' scores 1 with -2.5; .*margin",
        ),
        (
            {"y_true": [0, 1], "confidence": [0.6, 0.8]},
            {},
            "'confidence' is the confidence of a predicted label",
        ),
        (
            {"y_true": [0, 1, 0], "y_pred": [0, 1, 0], "score": [0.9, 0.6, 0.5]},
            {"positive": 1},
            "and the rows contradict --positive: ",
        ),
        ({"y_true": [0, 1], "y_pred": [0, 1], "confidence": [0.1, 0.9]}, {}, "these cannot be confidences"),
        (
            {"y_true": ["a", "b"], "score_c": [0.1, 0.9]},
            {},
            "'score_c' scores the label 'c', and the true lab",
        ),
        (
            {"y_true": [0, 1], "score_1": [0.1, 0.9]},
            {"positive": 0},
            "'score_1' is the probability of '1', not",
        ),
        (
            {"y_true": ["a", "b"], "y_pred": ["a", "b"], "score": [0.4, 0.3]},
            {},
            "the rows fit neither at a cut of 0.5; pass --positive",
        ),
        ({"y_true": [["a", "b"], ["b"]], "y_score": [0.1, 0.9]}, {"positive": "a"}, "several true labels"),
    ],
)
def test_what_cannot_be_read_is_refused(table, options, message):
    with pytest.raises(InputError, match=message):
        read_labels(table, **options)


@pytest.mark.parametrize("positive", [1, "1", True, "True", "true"])
def test_the_positive_label_may_be_spelt_in_any_way(positive):
    for names in ([0, 1], [False, True], ["False", "True"]):
        table = {"y_true": names, "y_score": [0.25, 0.75]}
        first = read_labels(table, positive=positive).column("predictions")[0]
        assert list(first.values()) == [0.25, 0.75]


def test_the_other_label_may_be_named_positive():
    table = {"y_true": [0, 1, 1], "y_score": [0.9, 0.2, 0.6]}
    assert read_labels(table, positive=0).column("predictions")[0] == {"0": 0.9, "1": pytest.approx(0.1)}


@pytest.mark.parametrize(
    ("truths", "predicted"),
    [([0, 1], [False, True]), (["False", "True"], ["0", "1"]), ([0.0, 1.0], ["no", "yes"])],
)
def test_labels_that_mean_the_same_meet(truths, predicted):
    assert (
        evaluate(["classification_accuracy"], {"y_true": truths, "y_pred": predicted})
        .metrics["classification_accuracy"]
        .value
        == 1.0
    )


def test_lists_of_scores_have_the_labels_of_their_places():
    matrix = [[0.8, 0.2], [0.3, 0.7]]
    usual = read_labels({"y_true": [0, 1], "probabilities": matrix})
    assert usual.column("predictions")[0] == {"0": 0.8, "1": 0.2}
    array = read_labels({"y_true": ["no", "yes"], "y_pred": np.array(matrix)})
    assert array.column("predictions")[1] == {"no": 0.3, "yes": 0.7}
    given = read_labels({"y_true": ["a", "b"], "probabilities": matrix}, labels=["b", "a"])
    assert given.column("predictions")[0] == {"b": 0.8, "a": 0.2}
    with pytest.raises(InputError, match=r"lists of 2 scores with unknown labels"):
        read_labels({"y_true": ["a", "b"], "probabilities": matrix})
    with pytest.raises(InputError, match=r"item 'row-1': 2 scores for 3 labels"):
        read_labels({"y_true": ["a", "b"], "probabilities": matrix}, labels=["a", "b", "c"])


@pytest.mark.parametrize("name", ["y_score", "y_proba", "proba", "score", "y_prob"])
def test_a_matrix_may_have_the_name_of_a_score(name):
    matrix = np.array([[0.8, 0.2], [0.3, 0.7]])
    assert read_labels({"y_true": [0, 1], name: matrix}).column("predictions")[0] == {"0": 0.8, "1": 0.2}


def test_the_positive_label_does_not_turn_confidences_into_probabilities():
    truth, probability = sample(9)
    table = {"y_true": truth, **layout_of("label and confidence", [0, 1], probability)}
    assert numbers(read_labels(table, positive=1)) == pytest.approx(wanted(truth, probability))


def test_a_column_of_one_score_each_is_a_list_of_probabilities():
    found = read_labels({"y_true": [0, 1], "y_pred": np.array([[0.2], [0.7]])}).column("predictions")
    assert list(found) == [{"1": 0.2, "0": 0.8}, {"1": 0.7, "0": pytest.approx(0.3)}]


def test_a_true_label_that_never_has_a_score_is_named():
    table = {"y_true": ["a", "b", "c", "c"], "y_pred": ["a", "b", "b", "a"], "score": [0.9, 0.8, 0.4, 0.4]}
    with pytest.warns(DataWarning, match=r"no prediction has a score for the true labels 'c' \(2 items\)"):
        read_labels(table)
    with pytest.warns(DataWarning, match=r"'c' \(2 items\)"):
        evaluate(["classification_roc_auc"], table)


def test_positions_counted_from_1_are_suspected():
    scores = np.eye(3)[[0, 1, 2]]
    for labels in (list("abc"), [0, 1, 2]):
        with pytest.warns(DataWarning, match="if true labels are positions from 1 to 3, subtract 1"):
            read_labels({"y_true": [1, 2, 3], "y_prob": scores}, labels=labels)
    with pytest.warns(DataWarning, match="take the score to be 0$"):
        read_labels({"y_true": [0, 2, 3], "y_prob": scores}, labels=[0, 1, 2])


def test_one_hot_truths_are_refused_with_the_remedy():
    table = {"y_true": np.eye(2, dtype=int), "y_prob": np.eye(2)}
    with pytest.raises(
        InputError, match=r"several true labels .* of one-hot rows, give the position of the 1"
    ):
        read_labels(table)
    with pytest.raises(InputError, match=r"ground_truths has the shape \(2, 2\); .*of one-hot rows, argmax"):
        ClassificationAccuracyEvaluator(labels=[0, 1]).run(table["y_true"], table["y_prob"])


def test_a_column_that_scores_no_label_of_the_data_is_left_alone():
    table = {"y_true": ["a", "b"], "y_pred": ["a", "b"], "score_of_judge": [3, 4]}
    found = read_labels(table)
    assert list(found.column("predictions")) == ["a", "b"]
    assert list(found.column("score_of_judge")) == [3, 4]


def test_labels_without_any_score_need_no_warning():
    assert len(read_labels({"y_true": ["a", "c"], "y_pred": ["a", "b"]})) == 2


def test_a_data_set_in_memory_is_read_like_a_file():
    truth, probability = sample(7)
    whole = Dataset(tuple(map(str, range(120))), {"y_true": truth.tolist(), "y_score": probability.tolist()})
    assert numbers(whole) == pytest.approx(wanted(truth, probability))
    ready = read_labels(whole)
    assert (
        evaluate(METRICS, ready).metrics["classification_accuracy"].value
        == numbers(whole)["classification_accuracy"]
    )


def test_decimals_are_labels_where_the_true_labels_are_decimals():
    table = {"y_true": ["0.5", "1.5"], "y_pred": ["0.5", "0.5"]}
    assert evaluate(["classification_accuracy"], table).metrics["classification_accuracy"].value == 0.5


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_probabilities_next_to_zero_do_not_tie_for_the_other_label(weighted, gaps):
    """1 - 1e-20 is 1: judged by it, a model whose probabilities are extreme would lose its order."""
    generator = np.random.default_rng(8)
    logits = generator.normal(-60, 15, 150)
    truth = (logits + generator.normal(0, 12, 150) > -60).astype(int)
    table = pd.DataFrame({"y_true": truth, "y_pred": 0, "y_score": np.exp(logits)})
    if gaps:
        table.loc[::9, "y_score"] = np.nan
    known = table["y_score"].notna().to_numpy()
    weights = generator.integers(1, 4, 150).astype(float) if weighted else np.ones(150)
    result = evaluate(["classification_roc_auc"], table).metrics["classification_roc_auc"].result
    expected = roc_auc_score(truth[known], np.exp(logits)[known], sample_weight=weights[known])
    assert 0.6 < expected < 0.95
    assert result.value(weights=weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("form", ["object", "list of one", "list of all", "one key", "texts"])
def test_objects_of_labels_and_scores_are_read_as_columns_are(form):
    """transformers' pipelines give `{"label": ..., "score": ...}`: the other of two labels has 1 - p."""
    truth, probability = sample(11, ties=False)
    names = np.array(["no", "yes"])
    own = [{"label": names[int(p >= 0.5)].item(), "score": max(p, 1 - p)} for p in map(float, probability)]
    forms = {
        "object": own,
        "list of one": [[entry] for entry in own],
        "list of all": [
            [entry, {"label": "no" if entry["label"] == "yes" else "yes", "score": 1 - entry["score"]}]
            for entry in own
        ],
        "one key": [{"yes": float(p)} for p in probability],
        "texts": [{"yes": str(p), "no": str(1 - p)} for p in probability],
    }
    table = {"y_true": names[truth].tolist(), "y_pred": forms[form]}
    assert numbers(read_labels(table)) == pytest.approx(wanted(truth, probability))


def test_objects_that_score_one_of_several_labels_stay():
    entries = [{"label": "a", "score": 0.9}, {"label": "b", "score": 0.8}]
    table = {"y_true": ["a", "c"], "prediction": entries}
    with pytest.warns(DataWarning, match="'c'"):
        assert list(read_labels(table).column("predictions")) == [{"a": 0.9}, {"b": 0.8}]
    assert ClassificationAccuracyEvaluator().run(["a", "c"], entries)["score"] == 0.5
    with pytest.raises(InputError, match=r"'yes' with 2\.5, and not the other label"):
        read_labels({"y_true": ["no", "yes"], "scores": [{"yes": 2.5}, {"yes": 0.1}]})


def test_the_column_label_is_predicted_next_to_a_column_of_true_labels():
    table = {"label": ["a", "b", "a"], "score": [0.9, 0.8, 0.7], "y_true": ["a", "a", "c"]}
    with pytest.warns(DataWarning) as warned:
        dataset = read_labels(table)
    assert any(
        "'label' as the predicted labels, since 'y_true'" in str(warning.message) for warning in warned
    )
    assert list(dataset.column("ground_truths")) == ["a", "a", "c"]
    named = read_labels({**table, "y_pred": ["a", "b", "a"]})
    assert list(named.column("ground_truths")) == table["label"]
