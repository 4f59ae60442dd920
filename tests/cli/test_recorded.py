"""`--recorded`, and messages whose remedy is on the command line."""

import json

from answer_files import cli, write

DATA = ("--data", "answers.jsonl")


def measured(capsys, *words):
    cli(capsys, "run", *words, *DATA, "--out", "run")
    data = json.loads(cli(capsys, "report", "run", "--format", "json"))
    return {name: metric["value"] for name, metric in data["metrics"].items()}


def test_recorded_scores_alone(answers, capsys):
    values = measured(capsys, "recorded_scores", "--recorded", "rating", "--recorded", "cost:lower:0..9")
    assert set(values) == {"rating", "cost"}


def test_recorded_scores_among_metrics(answers, capsys):
    assert set(measured(capsys, "exact_match, recorded_scores", "--recorded", "rating")) == {
        "exact_match",
        "rating",
    }


def test_messages_name_the_remedy_of_the_command_line(answers, capsys):
    write(
        "documents.jsonl",
        [{"retrieved_documents": ["d1"], "ground_truth_documents": [{"id": "d1", "content": "x"}]}],
    )
    boxes = [{"label": "cat", "score": 1, "x1": 0, "y1": 0, "x2": 2, "y2": 2}]
    write("objects.jsonl", [{"ground_truths": boxes, "predictions": boxes}])
    write("other.json", [{"a": 1}])
    qa = ["run", "qa", *DATA]
    cases = [
        ([*qa, "--recorded", "a b:1..0"], "a b:1..0: '1..0' is neither `lower` nor a range of scores; write"),
        ([*qa, "--recorded", "a b:0..1"], "rename it with --map 'a b=a_b', and give --recorded a_b"),
        ([*qa, "--recorded", "rating", "--recorded", "rating:lower"], "the column rating is given twice"),
        ([*qa, "--recorded", "rouge"], "rename the column with --map rouge=rouge_recorded, and give --reco"),
        ([*qa, "--recorded", "response"], "read as 'predicted_answers': give the input of the metric that"),
        (
            ["run", "recorded_scores", *DATA],
            "needs a column of scores: give --recorded COLUMN",
        ),
        ([*qa, "--address", "auto"], "--address auto is for the cluster of an engine: give --engine ray too"),
        (["run", "own:Metric", *DATA], "'own:Metric'; `thresher list` names all"),
        (["report", "other.json"], "holds no results: `thresher run --out` writes a folder"),
        (
            ["run", "retrieval_recall", "--data", "documents.jsonl"],
            "set document_comparison_field: id in a pipeline file, or give ids on both sides",
        ),
        (
            ["run", "detection_coco", "--data", "objects.jsonl"],
            "is not one image; give objects with label and box (x1, y1, x2, y2 by name)",
        ),
    ]
    for words, message in cases:
        line = cli(capsys, *words, code=2)
        assert message in line, words
        assert line.count("\n") == 1
