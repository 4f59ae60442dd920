"""Open Images on the command line."""

import pytest

from vision_files import FOUND, cli, coco_results, coco_truths, open_images_files, values

FILES = ("--gt", "boxes.csv", "--data", "found.csv")
ALL = (*FILES, "--hierarchy", "hierarchy.json", "--image-labels", "image-labels.csv")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_images_files()


def test_a_run(capsys):
    cli(
        capsys, "run", "open_images_detection", *ALL, "--class-descriptions", "names.csv", "--out", "runs/all"
    )
    # The car is one of two vehicles, and the prediction of the other one is found by its own label only.
    assert values("runs/all")["detection_open_images_map"] == pytest.approx((0.5 + 1 + 1) / 3)
    shown = cli(capsys, "report", "runs/all", "--by", "label")
    assert "Vehicle" in shown
    assert "detection_open_images_map (Open Images, area, IoU 0.5)" in shown
    cli(capsys, "run", "open_images_detection", *ALL, "--expand-predictions", "--out", "runs/expanded")
    # The predicted car of image b is a second vehicle there; only image c was checked for no vehicles.
    assert values("runs/expanded")["detection_open_images_map"] == pytest.approx(1.0)


def test_other_metrics_read_the_boxes(capsys):
    cli(capsys, "run", "object_detection", "--gt", "boxes.csv", "--data", "boxes.json", code=2)
    message = cli(capsys, "run", "object_detection", *FILES, code=2)
    assert (
        "found.csv:8: ImageID is 'c'; no box is of it; give images without boxes by --image-labels" in message
    )
    message = cli(capsys, "run", "object_detection", *ALL, code=2)
    assert "use the recipe open_images_detection or lvis_detection, or leave these labels out" in message
    message = cli(capsys, "run", "open_images_detection", *FILES, "--expand-predictions", code=2)
    assert "--expand-predictions needs --hierarchy; give both, or leave it out" in message


def test_options_of_other_formats(capsys):
    coco_truths("instances.json")
    coco_results("boxes.json", FOUND)
    coco = ("--gt", "instances.json", "--data", "boxes.json")
    cli(capsys, "run", "open_images_detection", *coco)
    assert values("runs/boxes")["detection_open_images_map"] > 0
    message = cli(capsys, "run", "object_detection", *coco, "--hierarchy", "hierarchy.json", code=2)
    assert "--hierarchy is for objects of Open Images; use the recipe open_images_detection" in message
    message = cli(capsys, "run", "open_images_detection", *coco, "--image-labels", "image-labels.csv", code=2)
    assert "--image-labels is an option of open-images, but instances.json is read as coco" in message
