"""Recipes that follow the protocols of benchmarks, from the files of those benchmarks."""

from pathlib import Path

import pytest

from thresher import open_run
from vision_files import cli, coco_results, coco_truths, folder, values

CORNERS = "10 10 50 10 50 30 10 30"


def objects(*boxes):
    names = ("xmin", "ymin", "xmax", "ymax")
    rows = "".join(
        f"<object><name>cat</name><difficult>{int(hard)}</difficult><bndbox>"
        + "".join(f"<{name}>{edge}</{name}>" for name, edge in zip(names, box, strict=True))
        + "</bndbox></object>"
        for box, hard in boxes
    )
    return f"<annotation>{rows}</annotation>"


def test_pascal_voc(workplace, capsys):
    """Two hits among three predictions and three objects: one overlap is 0.5, which is not above 0.5."""
    folder(
        "Annotations",
        {
            "a.xml": objects(([1, 1, 10, 10], False), ([50, 50, 59, 59], False), ([80, 80, 89, 89], True)),
            "b.xml": objects(([1, 1, 10, 10], False)),
        },
    )
    found = "a 0.9 1 1 10 10\na 0.8 50 50 59 54\nb 0.7 1 1 10 9\na 0.6 80 80 89 89\n"
    folder("results", {"comp3_det_val_cat.txt": found})
    cli(capsys, "run", "voc_detection", "--gt", "Annotations", "--data", "results", "--quiet")
    scores = values("runs/results")
    assert scores["detection_voc2007_map"] == pytest.approx((4 * 1 + 3 * 2 / 3) / 11)
    assert scores["detection_voc2010_map"] == pytest.approx((1 + 2 / 3) / 3)
    assert scores["detection_f1_recall"] == pytest.approx(2 / 3)


def test_an_image_set_of_pascal_voc(workplace, capsys):
    """Files of one label have a second column."""
    one = objects(([1, 1, 10, 10], False))
    folder("Annotations", {"a.xml": one, "b.xml": one, "c.xml": one})
    folder("results", {"comp3_det_val_cat.txt": "a 0.9 1 1 10 10\n"})
    Path("val.txt").write_text("c -1\na  1\n")
    words = ["run", "voc_detection", "--gt", "Annotations", "--data", "results", "--quiet", "--image-set"]
    cli(capsys, *words, "val.txt")
    assert list(open_run("runs/results").ids) == ["c", "a"]
    assert values("runs/results")["detection_f1_recall"] == 0.5
    for text, message in (
        ("z\n", "val.txt: image 'z' has no annotation file"),
        ("\n", "val.txt names no image; give one per line"),
        ("b\n", "val_cat.txt:1: image 'a' has no annotation file, or is not in the image set"),
    ):
        Path("val.txt").write_text(text)
        assert message in cli(capsys, *words, "val.txt", code=2)


def test_dota(workplace, capsys):
    folder("labelTxt", {"P1.txt": f"imagesource:x\ngsd:0.1\n{CORNERS} plane 0\n{CORNERS} ship 1\n"})
    folder("results", {"Task1_plane.txt": f"P1 0.9 {CORNERS}\n", "Task1_ship.txt": f"P1 0.9 {CORNERS}\n"})
    cli(capsys, "run", "oriented_detection", "--gt", "labelTxt", "--data", "results", "--quiet")
    scores = values("runs/results")
    assert scores["detection_dota_map"] == scores["detection_coco_map"] == pytest.approx(1.0)
    assert open_run("runs/results").inputs["ground_truths"][0].difficult.tolist() == [False, True]


def test_dota_without_headers_is_no_yolo(workplace, capsys):
    folder("labelTxt", {"P1.txt": f"{CORNERS} plane 0\n"})
    folder("results", {"plane.txt": f"P1 0.9 {CORNERS}\n"})
    cli(capsys, "run", "oriented_detection", "--gt", "labelTxt", "--data", "results", "--quiet")
    assert values("runs/results")["detection_coco_map"] == pytest.approx(1.0)


def test_kitti(workplace, capsys):
    """Of two cars one is hard: at the moderate level neither it nor its prediction counts."""
    rest = "1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"
    places = ["0 0 100 100", "200 0 300 100", "400 0 500 100"]
    labels = [
        f"Car 0.00 {hidden} -1.58 {place} {rest}" for hidden, place in zip((0, 2), places, strict=False)
    ]
    found = [
        f"Car -1 -1 -10 {place} {rest} {score}" for place, score in zip(places, (0.5, 0.9, 0.7), strict=True)
    ]
    files = {f"{image:02}.txt": "\n".join(labels) for image in range(60)}
    folder("labels", files)
    folder("found", {name: "\n".join(found[: 2 + (at < 30)]) for at, name in enumerate(files)})
    cli(capsys, "run", "kitti_detection", "--gt", "labels", "--data", "found", "--quiet")
    message = cli(capsys, "thresholds", "runs/found", code=2)
    assert "no metric of this run has scores per item; for score thresholds of detections, run" in message
    scores = values("runs/found")
    assert scores["detection_kitti_map_moderate"] == pytest.approx(60 / 90)
    assert scores["detection_kitti_map_hard"] == pytest.approx(0.5 * 1 + 0.5 * 120 / 150)
    assert open_run("runs/found").inputs["difficulty_levels"][0] == ["easy", "hard"]


def test_boundaries(workplace, capsys):
    """A mask that lacks an eighth of the object's pixels lacks more of its boundary."""
    coco_truths()
    coco_results("masks.json", [(5, 1, [10, 10, 40, 35], 0.9)], masks=True)
    cli(capsys, "run", "boundary_segmentation", "--gt", "instances.json", "--data", "masks.json", "--quiet")
    scores = values("runs/masks")
    assert scores["detection_coco_map_75"] == pytest.approx(scores["detection_coco_map_50"])
    assert 0 < scores["detection_boundary_map"] < scores["detection_coco_map"]
