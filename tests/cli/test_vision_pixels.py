"""Label maps, through runs."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from thresher import open_run
from vision_files import cli, folder, values


def test_label_maps(workplace, capsys):
    for name, maps in (
        ("maps", {"a": [[1, 1], [2, 2]], "b": [[1, 2], [2, 2]]}),
        ("found", {"a": [[1, 1], [2, 1]], "b": [[1, 2], [2, 2]]}),
    ):
        Path(name).mkdir()
        for stem, pixels in maps.items():
            Image.fromarray(np.array(pixels, np.uint8)).save(Path(name) / f"{stem}.png")
    words = ["run", "semantic_segmentation", "--gt", "maps", "--data", "found", "--quiet"]
    cli(capsys, *words, "--chunk-size", "1")
    assert values("runs/found")["segmentation_mean_iou"] == pytest.approx((3 / 4 + 4 / 5) / 2)
    assert values("runs/found")["segmentation_mean_iou_accuracy"] == pytest.approx(7 / 8)
    (Path("found") / "c.png").write_bytes((Path("found") / "a.png").read_bytes())
    assert "c.png has no ground truth" in cli(capsys, *words, "--name", "again", code=2)


def label_maps(name, **maps):
    Path(name).mkdir()
    for stem, pixels in maps.items():
        Image.fromarray(np.array(pixels, np.uint8)).save(Path(name) / f"{stem}.png")


def segment(capsys, *words, code=0):
    return cli(
        capsys,
        "run",
        "semantic_segmentation",
        "--gt",
        "maps",
        "--data",
        "found",
        "--quiet",
        *words,
        code=code,
    )


@pytest.fixture
def maps(workplace):
    label_maps("maps", a=[[1, 1, 255], [2, 2, 0]])
    label_maps("found", a=[[1, 1, 1], [2, 1, 0]])


def test_what_values_of_label_maps_mean_can_be_told(maps, capsys):
    Path("names.txt").write_text("nothing\nroad\nsky\n")
    segment(capsys, "--ignore", 255, "--background", 0, "--labels", "names.txt", "--name", "listed")
    table = open_run("runs/listed").metrics["segmentation_mean_iou"].result.detail("by_label").columns
    assert table["label"] == ["road", "sky"]
    assert table["iou"] == pytest.approx([2 / 3, 1 / 2])
    Path("names.json").write_text('{"1": "road", "2": "sky", "0": "nothing"}')
    segment(capsys, "--ignore", 255, "--labels", "names.json", "--name", "named")
    table = open_run("runs/named").metrics["segmentation_mean_iou"].result.detail("by_label").columns
    assert table["label"] == ["nothing", "road", "sky"]
    assert table["iou"] == pytest.approx([1, 2 / 3, 1 / 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nothing\nroad\nsky",
            "value 255 has no label; add it to labels, or pass it as ignore or background",
        ),
        ('{"1": 5}', "names: '1': 5 is not a whole number and its label"),
        ('{"one": "road"}', "names: 'one': 'road' is not a whole number and its label"),
        ('{"1": ', "names:1: not JSON"),
    ],
)
def test_labels_of_values_that_do_not_fit_are_named(maps, capsys, text, message):
    Path("names").write_text(text)
    assert message in segment(capsys, "--labels", "names", code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ignore", 3], "--ignore is an option of masks, but labels is read as yolo; remove the option"),
        (["--background", 3], "--background is an option of masks, but labels is read as yolo"),
    ],
)
def test_values_are_those_of_label_maps(workplace, capsys, words, message):
    folder("labels", {"a.txt": "0 0.5 0.5 1 1"})
    start = ["run", "object_detection", "--gt", "labels", "--data", "labels"]
    assert message in cli(capsys, *start, *words, code=2)


def test_an_image_that_cannot_be_compared_is_named_by_its_file(workplace, capsys):
    """Images are looked at in chunks, but messages count from the beginning."""
    label_maps("maps", first=[[1]], second=[[1, 2]])
    label_maps("found", first=[[1]], second=[[1]])
    message = segment(capsys, "--chunk-size", "1", code=2)
    assert (
        "ground_truths of item 'second' (entry 2 of the data) against its prediction: the true map is"
        in message
    )
