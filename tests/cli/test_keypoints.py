"""Keypoints on the command line."""

import json
from pathlib import Path

import pytest
from PIL import Image

from thresher import open_run
from thresher.cli import main
from vision_files import animal_poses, as_data_set, cli, coco_poses, coco_results, coco_truths, values


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    coco_poses()


def test_a_run_of_keypoints_is_stored_reported_and_compared(capsys):
    words = ("run", "keypoint_detection", "--gt", "person_keypoints.json", "--data", "poses.json")
    cli(capsys, *words)
    known = values("runs/poses")
    assert 0 < known["detection_keypoints_map"] < known["detection_keypoints_map_50"] == 1.0
    keypoint = next(row for row in details("runs/poses") if row["keypoint"] == "left_wrist")
    assert keypoint["objects"] == 4
    cli(capsys, *words, "--out", "runs/again", "--chunk-size", 1)
    assert values("runs/again") == pytest.approx(known, nan_ok=True, abs=0)
    compared = cli(capsys, "compare", "runs/poses", "runs/again", "--format", "json")
    assert '"detection_keypoints_map"' in compared
    gate = "gate", "runs/poses", "--require", "detection_keypoints_map>=0.99", "--decide", "value"
    cli(capsys, *gate[:3], "detection_keypoints_map_50>=0.99", *gate[4:])
    assert main([*gate]) == 1


def test_predictions_may_be_the_annotations_of_a_data_set(capsys):
    as_data_set("poses.json", "person_keypoints.json", "set.json")
    for name in ("poses", "set"):
        words = ("--gt", "person_keypoints.json", "--data", f"{name}.json")
        cli(capsys, "run", "keypoint_detection", *words)
    assert values("runs/set") == pytest.approx(values("runs/poses"), nan_ok=True, abs=0)


def details(folder):
    return open_run(folder).metrics["detection_keypoints_map"].result.detail("by_keypoint").rows()


def test_boxes_of_files_with_keypoints_and_keypoints_of_files_without(capsys):
    words = ("--gt", "person_keypoints.json", "--data", "poses.json")
    assert "use the recipe keypoint_detection" in cli(capsys, "run", "object_detection", *words, code=2)
    coco_truths("instances.json")
    coco_results("boxes.json", [(3, 1, [0, 0, 5, 5], 0.5)])
    words = ("run", "keypoint_detection", "--gt", "instances.json", "--data", "boxes.json")
    assert "annotations[0] (id 1) has no 'keypoints'; the recipe of boxes is object_detection" in cli(
        capsys, *words, code=2
    )


def test_other_skeletons(capsys, tmp_path):
    words = ("run", "keypoint_detection", "--gt", "person_keypoints.json", "--data", "poses.json")
    assert "17 keypoints per object, and sigmas has 2" in cli(capsys, *words, "--sigmas", "0.1,0.2", code=2)
    assert "--sigmas a: 'a' is not a number above 0" in cli(capsys, *words, "--sigmas", "a", code=2)
    assert "--sigmas 1,-1: '-1' is not a number" in cli(capsys, *words, "--sigmas", "1,-1", code=2)
    assert "--sigmas is an option of --gt" in cli(capsys, "run", "qa", "--data", "d", "--sigmas", "1", code=2)
    boxes = ("run", "object_detection", *words[2:], "--sigmas", "0.1")
    assert "--sigmas is an option of metrics of keypoints" in cli(capsys, *boxes, code=2)
    cli(capsys, *words, "--sigmas", ",".join(["1"] * 17), "--out", "runs/wide")
    cli(capsys, *words, "--out", "runs/narrow")
    wide, narrow = (values(f"runs/{name}")["detection_keypoints_map"] for name in ("wide", "narrow"))
    assert wide > narrow


def test_labels_with_different_skeletons(capsys):
    animal_poses()
    words = ("run", "keypoint_detection", "--gt", "animals.json", "--data", "animal_poses.json")
    message = cli(capsys, *words, "--sigmas", "0.1,0.1", code=2)
    assert "of 'pole' have 1 keypoint per object, and sigmas has 2; pass" in message
    assert "or a JSON file of label: [numbers] if labels differ in it" in message
    cli(capsys, *words, "--sigmas", "sigmas.json")
    assert {(row["label"], row["keypoint"]) for row in details("runs/animal_poses")} == {
        ("dog", "nose"),
        ("dog", "tail"),
        ("pole", "top"),
    }
    assert "pole:top" in cli(capsys, "report", "runs/animal_poses", "--by", "keypoint")
    cli(capsys, "report", "runs/animal_poses", "-o", "page.html")
    assert "dog:nose" in Path("page.html").read_text()
    for content, text in (
        ("[1]", 'give {"label":'),
        ('{"dog": 3}', "sigmas.json: sigmas={'dog': 3} must be"),
    ):
        Path("sigmas.json").write_text(content)
        assert text in cli(capsys, *words, "--sigmas", "sigmas.json", code=2)


def test_names_of_keypoints_are_those_of_the_categories(capsys):
    content = json.loads(Path("person_keypoints.json").read_text())
    content["categories"][0]["keypoints"] = [f"place {at}" for at in range(17)]
    Path("person_keypoints.json").write_text(json.dumps(content))
    cli(capsys, "run", "keypoint_detection", "--gt", "person_keypoints.json", "--data", "poses.json")
    assert [row["keypoint"] for row in details("runs/poses")][:2] == ["place 0", "place 1"]


def test_poses_of_yolo(capsys, tmp_path):
    Image.new("L", (200, 100)).save(tmp_path / "a.png")
    for name, line in (
        ("labels", "0 .5 .5 .4 .4 .5 .5 2 .6 .6 2"),
        ("found", "0 .5 .5 .4 .4 .5 .5 1 .6 .6 1 0.9"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(line)
    words = ("run", "keypoint_detection", "--gt", "labels", "--data", "found")
    message = cli(capsys, *words, "--sigmas", "0.1,0.1", code=2)
    assert "to read them as poses, pass --keypoints 2 and --images DIR" in message
    options = ("--keypoints", 2, "--images", ".", "--sigmas", "0.1,0.1")
    cli(capsys, *words, *options)
    assert values("runs/found")["detection_keypoints_map"] == 1.0
    assert any(
        "0.53 of their boxes" in note for note in open_run("runs/found").provenance["reading"]["notes"]
    )
    cli(capsys, "run", "object_detection", *words[2:], *options[:4], "--out", "runs/boxes")
    assert values("runs/boxes")["detection_coco_map"] == 1.0
