"""Tables of labels and scores, through runs."""

import json
from pathlib import Path

import pytest

from thresher import open_run
from thresher.cli import main
from vision_files import cli

ROWS = [
    {"id": "a", "label": "cat", "predicted_label": "cat", "confidence": 0.9},
    {"id": "b", "label": "dog", "predicted_label": "cat", "confidence": 0.6},
    {"id": "c", "label": "dog", "predicted_label": "dog", "confidence": 0.8},
]


def csv(name, *columns):
    lines = [columns, *([row[column] for column in columns] for row in ROWS)]
    Path(name).write_text("\n".join(",".join(map(str, line)) for line in lines))


def classify(capsys, name, *words):
    cli(capsys, "run", "classification", "--data", name, "--quiet", *words)
    return open_run(Path("runs") / Path(name).stem).metrics


def test_labels_of_a_table(workplace, capsys):
    csv("labels.csv", "id", "label", "predicted_label")
    metrics = classify(capsys, "labels.csv")
    assert metrics["classification_accuracy"].value == pytest.approx(2 / 3)
    assert metrics["classification_f1_macro"].value == pytest.approx(2 / 3)
    assert (
        metrics["classification_roc_auc"].coverage,
        metrics["classification_calibration_error"].coverage,
    ) == ("0/3", "0/3")


def test_labels_with_a_confidence(workplace, capsys):
    csv("sure.csv", "id", "label", "predicted_label", "confidence")
    metrics = classify(capsys, "sure.csv")
    assert metrics["classification_accuracy"].value == pytest.approx(2 / 3)
    assert metrics["classification_calibration_error"].value == pytest.approx((0.1 + 0.6 + 0.2) / 3)


@pytest.mark.parametrize("prefix", ["score_", "p."])
def test_a_column_of_scores_per_label(workplace, capsys, prefix):
    lines = [f"id,y_true,{prefix}cat,{prefix}dog", "a,cat,0.9,0.1", "b,dog,0.6,0.4", "c,dog,0.2,0.8"]
    Path("scores.csv").write_text("\n".join(lines))
    metrics = classify(capsys, "scores.csv", *(["--scores", prefix] if prefix == "p." else []))
    assert metrics["classification_accuracy"].value == pytest.approx(2 / 3)
    assert metrics["classification_roc_auc"].value == 1.0


def test_objects_of_scores_and_parquet(workplace, capsys):
    import pandas as pd

    scores = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.6, "dog": 0.4}, {"cat": 0.2, "dog": 0.8}]
    rows = [
        {"id": row["id"], "label": row["label"], "scores": each}
        for row, each in zip(ROWS, scores, strict=True)
    ]
    Path("objects.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pd.DataFrame(rows).to_parquet("table.parquet")
    for name in ("objects.jsonl", "table.parquet"):
        metrics = classify(capsys, name)
        assert (metrics["classification_accuracy"].value, metrics["classification_roc_auc"].value) == (
            pytest.approx(2 / 3),
            1.0,
        )


def test_lists_of_scores_with_labels_from_a_file(workplace, capsys):
    """Rows of `predict_proba`, whose columns have the order of the labels."""
    scores = [[0.1, 0.9], [0.4, 0.6], [0.8, 0.2]]
    rows = [{"label": row["label"], "probabilities": entry} for row, entry in zip(ROWS, scores, strict=True)]
    Path("lists.jsonl").write_text("\n".join(map(json.dumps, rows)))
    error = cli(capsys, "run", "classification", "--data", "lists.jsonl", code=2)
    assert "lists of 2 scores with unknown labels; give the labels in order: --labels FILE" in error
    Path("names.txt").write_text("dog\ncat\n")
    metrics = classify(capsys, "lists.jsonl", "--labels", "names.txt")
    assert metrics["classification_accuracy"].value == pytest.approx(2 / 3)
    assert metrics["classification_roc_auc"].value == 1.0
    Path("names.json").write_text('{"1": "dog", "2": "cat"}')
    error = cli(capsys, "run", "classification", "--data", "lists.jsonl", "--labels", "names.json", code=2)
    assert "names.json: no label has the number 0; number the labels from 0" in error


def test_columns_of_other_names_and_numbers_as_labels(workplace, capsys):
    Path("odd.csv").write_text("species,guess\n0,0\n1,0\n1,1\n")
    metrics = classify(capsys, "odd.csv", "--map", "species=ground_truths", "--map", "guess=predictions")
    assert metrics["classification_accuracy"].value == pytest.approx(2 / 3)
    Path("flags.jsonl").write_text(
        '{"label": true, "prediction": true}\n{"label": false, "prediction": true}\n'
    )
    assert classify(capsys, "flags.jsonl")["classification_accuracy"].value == 0.5


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (
            "label,size\na,1",
            [],
            "t.csv has no column of predicted labels or scores: it has 'label', 'size'; name",
        ),
        (
            "guess,size\na,1",
            [],
            "t.csv has no column of true labels: it has 'guess', 'size'; name it",
        ),
        (
            "label,x\na,1",
            ["--scores", "p_"],
            "t.csv: no column begins with --scores 'p_'; it has 'label', 'x'",
        ),
        ("label,score_a\na,1.5", [], "scores a with 1.5; give a score from 0 to 1"),
        ("label,score_a\na,high", [], "t.csv, item 'row-1': score_a is 'high'; give the score as a number"),
        ("label,prediction,confidence\na,a,high", [], "t.csv, item 'row-1': confidence is 'high'; give the"),
    ],
)
def test_tables_without_labels_or_scores_are_named(workplace, capsys, text, words, message):
    Path("t.csv").write_text(text)
    assert message in cli(capsys, "run", "classification", "--data", "t.csv", "--quiet", *words, code=2)


def test_label_maps_and_labels_do_not_come_from_one_file(workplace, capsys):
    csv("labels.csv", "id", "label", "predicted_label")
    needs_pixels = "labels.csv is a single file; --gt is a folder of PNG label maps here"
    needs_columns = "which {} does not compare: leave it out and give labels and all other inputs as columns"
    for recipe, message in (
        ("semantic_segmentation", needs_pixels),
        ("classification", needs_columns.format("classification")),
        ("exact_match", needs_columns.format("exact_match")),
    ):
        words = ["run", recipe, "--gt", "labels.csv", "--data", "labels.csv"]
        assert message in cli(capsys, *words, code=2)


def test_the_probability_of_one_label_of_two(workplace, capsys):
    Path("p.csv").write_text("y_true,y_score\nham,0.2\nspam,0.4\nham,0.3\nspam,0.9\n")
    words = ["run", "classification", "--data", "p.csv", "--quiet"]
    assert "name it with --positive LABEL" in cli(capsys, *words, code=2)
    metrics = classify(capsys, "p.csv", "--positive", "spam")
    Path("ham.csv").write_text(Path("p.csv").read_text())
    other = classify(capsys, "ham.csv", "--positive", "ham")
    precisions = [each["classification_average_precision"].value for each in (metrics, other)]
    assert precisions[0] != precisions[1]
    assert (metrics["classification_accuracy"].value, metrics["classification_roc_auc"].value) == (0.75, 1.0)
    refused = cli(capsys, "run", "classification", "--data", "p.csv", "--positive", "eggs", code=2)
    assert "the positive label 'eggs' is not one of the labels 'ham', 'spam'" in refused


def test_positive_has_no_meaning_where_no_label_is_read(workplace, capsys):
    Path("q.csv").write_text("answer,reference\na,a\n")
    words = ["run", "qa", "--data", "q.csv", "--positive", "a"]
    assert "--positive is for metrics of labels, and the pipeline has none" in cli(capsys, *words, code=2)


def test_a_true_label_without_scores_is_named_on_standard_error(workplace, capsys):
    Path("three.csv").write_text("label,prediction,score\na,a,0.9\nb,b,0.6\nc,b,0.5\n")
    assert main(["run", "classification", "--data", "three.csv", "--out", "again", "--quiet"]) == 0
    said = capsys.readouterr().err
    assert said.count("thresher: warning: three.csv: no prediction has a score for the true labels 'c'") == 1
