"""LVIS on the command line."""

import pytest

from thresher import open_run
from vision_files import FOUND, as_data_set, cli, coco_results, coco_truths, lvis_truths, values


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lvis_truths()
    coco_results("boxes.json", FOUND)
    coco_results("masks.json", FOUND, masks=True)


def test_runs_of_boxes_and_masks(capsys):
    boxes = ("--gt", "lvis.json", "--data", "boxes.json")
    cli(capsys, "run", "lvis_detection", *boxes)
    known = values("runs/boxes")
    cli(capsys, "run", "lvis_detection", *boxes, "--chunk-size", 1, "--out", "runs/chunks")
    assert values("runs/chunks") == pytest.approx(known, nan_ok=True, abs=0)
    cli(capsys, "run", "lvis_segmentation", "--gt", "lvis.json", "--data", "masks.json")
    assert values("runs/masks")["detection_lvis_map_50"] == known["detection_lvis_map_50"] == 0.5
    cli(capsys, "run", "object_detection", *boxes, "--protocol", "coco", "--out", "runs/coco")
    assert values("runs/coco")["detection_coco_map_50"] == known["detection_lvis_map_50"]
    (note,) = open_run("runs/boxes").provenance["reading"]["notes"]
    assert note.startswith("an LVIS file: predictions of categories")


def test_predictions_may_be_the_annotations_of_a_data_set(capsys):
    for name, recipe in (("boxes", "lvis_detection"), ("masks", "lvis_segmentation")):
        cli(capsys, "run", recipe, "--gt", "lvis.json", "--data", f"{name}.json")
        as_data_set(f"{name}.json", "lvis.json", "set.json")
        cli(capsys, "run", recipe, "--gt", "lvis.json", "--data", "set.json", "--out", f"runs/{name}-set")
        assert values(f"runs/{name}-set") == pytest.approx(values(f"runs/{name}"), nan_ok=True, abs=0)


def test_lvis_is_not_evaluated_by_other_rules(capsys, tmp_path):
    boxes = ("--gt", "lvis.json", "--data", "boxes.json")
    for name in ("object_detection", "instance_segmentation"):
        data = ("--gt", "lvis.json", "--data", "masks.json") if name == "instance_segmentation" else boxes
        message = cli(capsys, "run", name, *data, code=2)
        assert message.startswith("thresher: lvis.json is of LVIS, whose images are checked for some labels")
        assert "recipe lvis_detection" in message
        assert "--protocol coco" in message
    assert not (tmp_path / "runs").exists()
    coco_truths("coco.json")
    words = ("--gt", "coco.json", "--data", "boxes.json")
    assert "coco.json is not an LVIS file" in cli(capsys, "run", "lvis_detection", *words, code=2)
