"""Tables of items with several labels, in every form."""

import json
from pathlib import Path

import pytest

from thresher import InputError, evaluate, load_recipe, open_run
from thresher.cli import main
from thresher.datasets import Dataset, read_label_sets
from thresher.errors import DataWarning

TRUE = [["cat", "dog"], ["dog"], []]
SCORES = [{"cat": 0.9, "dog": 0.2}, {"cat": 0.4, "dog": 0.8}, {"cat": 0.1, "dog": 0.3}]


def columns(source, **options):
    data = read_label_sets(source, **options)
    return list(data.column("ground_truths")), list(data.column("predictions"))


@pytest.mark.parametrize(
    "table",
    [
        {"labels": TRUE, "scores": SCORES},
        {"y_true": [json.dumps(each) for each in TRUE], "predictions": [json.dumps(each) for each in SCORES]},
        {"tags": TRUE, "score_cat": [0.9, 0.4, 0.1], "score_dog": [0.2, 0.8, 0.3]},
        {"ground_truths": TRUE, "predictions": SCORES},
    ],
)
def test_lists_and_objects(table):
    assert columns(table) == (TRUE, SCORES)


@pytest.mark.parametrize("prefixes", [("", "score_"), ("true_", "prob_"), ("y_true_", "y_score_")])
@pytest.mark.parametrize("cells", [(1, 0), ("1", "0"), (True, False), (1.0, 0.0)])
def test_a_column_per_label(prefixes, cells):
    one, zero = cells
    table = {
        "id": ["a", "b", "c"],
        f"{prefixes[0]}cat": [one, zero, zero],
        f"{prefixes[0]}dog": [one, one, zero],
        f"{prefixes[1]}cat": [0.9, 0.4, 0.1],
        f"{prefixes[1]}dog": [0.2, 0.8, 0.3],
    }
    truths, predictions = columns(table)
    assert truths == [{"cat": 1, "dog": 1}, {"cat": 0, "dog": 1}, {"cat": 0, "dog": 0}]
    assert predictions == SCORES
    assert set(read_label_sets(table).columns) == {"ground_truths", "predictions"}


@pytest.mark.parametrize("sign", ["|", ";", ","])
def test_texts_with_a_separator(tmp_path, sign):
    path = tmp_path / "t.csv"
    lines = ["id\tlabels\tpredicted_labels", f"a\tcat{sign} dog\tcat", "b\tdog\tdog", "c\t\tcat"]
    path = path.with_suffix(".tsv")
    path.write_text("\n".join(lines) + "\n")
    with pytest.warns(DataWarning, match="as the sign between labels|1 item has an empty cell of labels"):
        truths, predictions = columns(path)
    assert truths == [["cat", "dog"], ["dog"], None]
    assert predictions == [["cat"], ["dog"], ["cat"]]
    truths, _ = columns(path, separator=sign, empty_cells="text")
    assert truths == [["cat", "dog"], ["dog"], []]


def test_a_separator_that_no_text_contains_is_reported(recwarn):
    table = {"labels": ["cat;dog", '["a", "b"]'], "y_pred": ["cat", "dog"]}
    with pytest.warns(DataWarning, match="no cell of labels contains ',', so 'cat;dog' is read as one label"):
        assert columns(table, separator=",")[0] == [["cat;dog"], ["a", "b"]]
    recwarn.clear()
    assert columns(table, separator=";")[0] == [["cat", "dog"], ["a", "b"]]
    columns(table, separator="")
    columns({"labels": ["cat", '["a", "b"]'], "y_pred": ["cat", "dog"]}, separator=";")
    assert not recwarn


def test_lists_of_scores_need_labels():
    table = {"labels": TRUE, "scores": [list(each.values()) for each in SCORES]}
    assert columns(table, labels=["cat", "dog"]) == (TRUE, SCORES)
    with pytest.raises(InputError, match="2 scores for unknown labels; give the labels in order"):
        columns(table)
    with pytest.raises(InputError, match="2 scores for 1 label"):
        columns(table, labels=["cat"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": [1], "score_a": [0.5]}, "has no column of true labels: it has .*; name it with"),
        ({"labels": [["a"]]}, "has no column of predicted labels or scores"),
        (
            {"labels": ["a,b", "a;c"], "y_pred": ["a", "b"]},
            "labels contain ';' and ',', so where one ends is",
        ),
        ({"a": [2], "score_a": [0.5]}, "'a' is 2; give 1 for a label of the item, else 0"),
        (
            {"a": [1], "b": [None], "score_a": [0.5], "score_b": [0.1]},
            "the cell of 'b' is empty; give 0 or 1",
        ),
        ({"labels": [["a"]], "score_a": ["high"]}, "'a' is 'high'; give the score as a number"),
        ({"labels": [["a"]], "p_a": [0.5]}, "has no column of predicted labels or scores"),
    ],
)
def test_what_cannot_be_read_is_named(table, message):
    with pytest.raises(InputError, match=message):
        read_label_sets(table)


def test_a_prefix_that_no_column_has():
    with pytest.raises(InputError, match="no column begins with --scores 'q_'"):
        read_label_sets({"labels": [["a"]], "score_a": [0.5]}, scores="q_")
    truths, predictions = columns({"labels": [["a"]], "q_a": [0.5]}, scores="q_")
    assert (truths, predictions) == ([["a"]], [{"a": 0.5}])


def test_an_item_without_any_cell_is_missing():
    table = {"a": [1, None], "b": [0, None], "score_a": [0.5, 0.2], "score_b": [0.1, None]}
    assert columns(table) == ([{"a": 1, "b": 0}, None], [{"a": 0.5, "b": 0.1}, {"a": 0.2}])


def test_evaluate_and_the_recipe_read_tables_and_data_sets():
    table = {"labels": TRUE, "scores": SCORES}
    for source in (table, Dataset(["a", "b", "c"], {"ground_truths": TRUE, "predictions": SCORES})):
        results = evaluate(load_recipe("multilabel_classification"), source)
        assert results.metrics["multilabel_subset_accuracy"].value == pytest.approx(2 / 3)
    with pytest.raises(
        InputError, match="multilabel_f1 is for items with several labels and classification_f1"
    ):
        evaluate(["classification_f1", "multilabel_f1"], table)


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{'+'.join(true)},{'+'.join(label for label in each if each[label] > 0.5)}"
        for true, each in zip(TRUE, SCORES, strict=True)
    ]
    Path("t.csv").write_text("labels,y_pred\n" + "\n".join(rows) + "\n")
    Path("names.txt").write_text("cat\ndog\nape\nowl\n")
    words = ["run", "multilabel_classification", "--data", "t.csv", "--separator", "+", "--quiet"]
    assert main([*words, "--empty-cells", "text", "--labels", "names.txt"]) == 0
    metrics = open_run("runs/t").metrics
    assert metrics["multilabel_hamming_loss"].value == pytest.approx(1 / 12)
    assert metrics["multilabel_f1_samples"].value == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert main(["run", "classification", "--data", "t.csv", "--separator", "+"]) == 2
    assert "--separator is for metrics of items with several labels" in capsys.readouterr().err
    assert main([*words, "--positive", "cat"]) == 2
    assert "--positive is for metrics of items with one label" in capsys.readouterr().err
