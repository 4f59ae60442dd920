import csv
import io
import json

import pytest

import thresher.cli
from thresher.components import metric_names
from thresher.pipelines import recipe_names


def listed(capsys, *words):
    assert thresher.cli.main(["list", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80, 250])
def test_lines_fit_the_terminal_and_have_at_most_100_columns(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, listed(capsys).splitlines())) <= min(columns, 100)


def test_summaries_and_columns_are_complete(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    text = " ".join(listed(capsys).split())
    rows = list(csv.DictReader(io.StringIO(listed(capsys, "--format", "csv"))))
    assert all(row["summary"] in text for row in rows)
    assert "rag Answers, contexts and rankings; asks a judge. Needs predicted_answers, " in text
    assert "metrics: classification (need ground_truths, predictions) classification_accuracy Share" in text


def test_csv_and_json_hold_every_recipe_and_metric(capsys):
    rows = list(csv.DictReader(io.StringIO(listed(capsys, "--format", "csv"))))
    assert [row["name"] for row in rows if row["family"] == "recipe"] == sorted(recipe_names())
    assert {row["name"] for row in rows if row["family"] != "recipe"} == set(metric_names())
    assert {row["name"]: row["needs"] for row in rows}["retrieval"] == (
        "ground_truth_documents, retrieved_documents"
    )
    data = json.loads(listed(capsys, "--format", "json"))
    assert {metric["metric"] for metric in data["metrics"]} == set(metric_names())


@pytest.mark.parametrize(
    ("names", "listed_names"),
    [
        (["qa"], {"qa"}),
        (["rouge", "single_hit"], {"rouge", "retrieval_hit_rate"}),
        (["judged/geval", "recorded"], {"geval", "recorded_scores"}),
        (["segmentation"], {"segmentation_mean_iou", "segmentation_panoptic_quality"}),
    ],
)
def test_names_list_only_what_they_name(names, listed_names, capsys):
    rows = csv.DictReader(io.StringIO(listed(capsys, *names, "--format", "csv")))
    assert {row["name"] for row in rows} == listed_names


def test_an_unknown_name_is_refused_with_a_suggestion(capsys):
    assert thresher.cli.main(["list", "segmentations"]) == 2
    error = capsys.readouterr().err
    assert (
        "no recipe, metric, family or package is called 'segmentations' (did you mean 'segmentation'" in error
    )
