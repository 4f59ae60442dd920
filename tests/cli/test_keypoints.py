"""Keypoints on the command line."""

import pytest

from thresher import open_run
from thresher.cli import main
from vision_files import cli, coco_poses, coco_results, coco_truths, values


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


def details(folder):
    return open_run(folder).metrics["detection_keypoints_map"].result.detail("by_keypoint").rows()


def test_boxes_of_files_with_keypoints_and_keypoints_of_files_without(capsys):
    words = ("--gt", "person_keypoints.json", "--data", "poses.json")
    assert "use the recipe keypoint_detection" in cli(capsys, "run", "object_detection", *words, code=2)
    coco_truths("instances.json")
    coco_results("boxes.json", [(3, 1, [0, 0, 5, 5], 0.5)])
    words = ("run", "keypoint_detection", "--gt", "instances.json", "--data", "boxes.json")
    assert "annotations[0] (id 1) has no 'keypoints'" in cli(capsys, *words, code=2)
