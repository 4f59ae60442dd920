"""`thresher thresholds` for detectors and classifiers: what it prints, writes and refuses."""

import json

import pytest

from thresher import load_thresholds, open_run
from thresher.cli import main
from vision_files import BETTER, FOUND, IMAGES, cli, coco_results, coco_truths


@pytest.fixture
def runs(workplace, capsys):
    coco_truths(images=[{**image, "part": ("val", "test")[at % 2]} for at, image in enumerate(IMAGES)])
    for name, found in (("base", FOUND), ("better", BETTER)):
        coco_results(f"{name}.json", found)
        cli(capsys, "run", "object_detection", "--gt", "instances.json", "--quiet", "--data", f"{name}.json")
    return workplace / "runs"


def test_a_run_of_the_recipe_has_thresholds(runs, capsys):
    table = cli(capsys, "thresholds", runs / "better")
    assert "threshold for" in table
    assert "F1 at IoU 0.5: use " in table
    assert "Chosen on the items where part is val" in cli(
        capsys, "thresholds", runs / "better", "--choose-on", "part=val"
    )
    data = json.loads(
        cli(capsys, "thresholds", runs / "better", "--format", "json"), parse_constant=pytest.fail
    )
    assert [row["average"] for row in data["thresholds"]][:3] == ["micro", "macro", "per_label"]


def test_other_metrics_keep_their_percentiles(runs, capsys):
    table = cli(capsys, "thresholds", runs / "better", "--metric", "detection_f1_per_image")
    assert "75th percentile" in table


def test_runs_without_thresholds_of_detections_name_the_recipe_that_has_them(runs, capsys):
    words = ["--gt", "instances.json", "--data", "base.json", "--quiet"]
    cli(capsys, "run", "voc_detection", *words, "--name", "voc")
    assert "F1 at IoU 0.5: use " in cli(capsys, "thresholds", runs / "voc")
    cli(capsys, "run", "detection_f1", "--geometries", "boxes", *words, "--name", "f1")
    hint = "or score thresholds of detections, run object_detection (of masks: instance_segmentation)"
    assert hint in cli(capsys, "thresholds", runs / "f1")
    cli(capsys, "run", "kitti_detection", *words, "--name", "kitti")
    assert hint in cli(capsys, "thresholds", runs / "kitti", code=2)


@pytest.mark.parametrize("objective", [(), ("--objective", "cost=1,5")])
def test_labels_without_scores_have_no_thresholds(workplace, capsys, objective):
    rows = ["label,prediction", "a,a", "b,a", "a,b", "b,b"]
    (workplace / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    cli(capsys, "run", "classification", "--data", "labels.csv", "--quiet")
    words = cli(capsys, "thresholds", "runs/labels", *objective, code=2)
    assert "the predictions have no scores, which thresholds are chosen from: give them in columns" in words


def test_a_gate_checks_the_thresholds_of_one_split_on_the_others(runs, capsys, tmp_path):
    required = "held_out(detection_best_threshold)>=0.001"
    words = ["gate", runs / "better", "--decide", "value"]
    printed = cli(capsys, *words, "--require", required, "--choose-on", "part=val")
    assert "held_out: Chosen on the items where part is val" in printed
    (tmp_path / "gate.yaml").write_text(f"require: ['{required}']\nchoose_on: part=val")
    assert cli(capsys, *words, "--requirements", tmp_path / "gate.yaml") == printed
    assert "give COLUMN=VALUE" in cli(
        capsys, *words, "--requirements", tmp_path / "gate.yaml", "--choose-on", "", code=2
    )
    (tmp_path / "other.yaml").write_text(f"require: ['{required}']\nchoose_on: part=train")
    printed = cli(capsys, *words, "--requirements", tmp_path / "other.yaml", code=2)
    assert f"choose_on: part=train ({tmp_path / 'other.yaml'}): no item has that value" in printed
    (tmp_path / "sliced.yaml").write_text(
        "require: ['held_out(detection_best_threshold[by part])>=0.001']\nchoose_on: part=val"
    )
    assert main([str(word) for word in (*words, "--requirements", tmp_path / "sliced.yaml")]) == 3
    printed = capsys.readouterr().out
    assert f"choose_on: part=val ({tmp_path / 'sliced.yaml'}) chooses thresholds on all of its" in printed
    assert "passed: held-out detection_best_threshold where part = test" in printed
    assert "--choose-on" not in printed
    message = "--choose-on part=val: no requirement is `held_out(METRIC)`"
    assert message in cli(capsys, *words, "--require", "f1>=0.1", "--choose-on", "part=val", code=2)


@pytest.mark.parametrize("name", ["t.json", "t.yaml"])
def test_the_exported_file_filters_detections(runs, capsys, name):
    cli(capsys, "thresholds", runs / "better", "--export", name)
    thresholds = load_thresholds(name)
    assert thresholds.metric == "detection_coco_map_50"
    inputs = open_run(runs / "better").inputs["predictions"]
    kept = [thresholds.keep(map(str, image.labels), image.scores) for image in inputs]
    assert 0 < sum(map(sum, kept)) < sum(map(len, kept)) + 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--export", "t.txt"], "name it .json or .yaml"),
        (
            ["--metric", "detection_f1_per_image", "--export", "t.json"],
            "run detection_best_threshold or classification_best_threshold; for other scores",
        ),
        (["--metric", "detection_f1_per_image", "--folds", "3"], "--folds is for thresholds of detections"),
        (["--metric", "detection_f1_per_image", "--choose-on", "part=val"], "--choose-on needs thresholds"),
        (["--folds", "9"], "4 items or clusters cannot be divided into 9 parts"),
        (
            ["--objective", "youden"],
            "true negatives, which detections do not have; choose f1, f2, f0.5,",
        ),
        (["--objective", "cost=1,5,0,1", "--metric", "detection_coco_map_50"], "needs true negatives"),
        (["--choose-on", "part=train"], "--choose-on part=train: no item has that value; part holds 'test'"),
        (["--folds", "1"], "--folds 1 must be at least 2"),
        (["--folds", "2", "--split", "0.3"], "--folds 2 and --split 0.3 exclude each other"),
        (["--choose-on", "part=val", "--split", "0.5"], "--choose-on part=val and --split 0.5 exclude"),
        (["--metric", "detection_f1_per_image", "--split", "0.3"], "--split needs thresholds to choose"),
        (["--export", "none/t.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(runs, capsys, words, message):
    assert message in cli(capsys, "thresholds", runs / "better", *words, code=2)
