"""YOLO's lines by their count of numbers: boxes, corners, outlines and scores are read; pixels, poses not."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.datasets.yolo import read_yolo
from thresher.errors import DataWarning, InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/vision2/src_04_yolo_text.json").read_text())
SIZE = {"a": (GOLDEN["input"]["width"], GOLDEN["input"]["height"])}


def folders(folder, truths, predictions=None):
    for name, text in (("truths", truths), ("found", predictions)):
        if text is not None:
            (folder / name).mkdir()
            (folder / name / "a.txt").write_text(text)
    return [folder / "truths"] + ([] if predictions is None else [folder / "found"])


def test_boxes_with_and_without_score(tmp_path):
    written, expected = GOLDEN["input"], GOLDEN["expected"]["detect"]
    data = read_yolo(*folders(tmp_path, written["detect_without_score"], written["detect"]), sizes=SIZE)
    for socket in ("ground_truths", "predictions"):
        image = data.column(socket)[0]
        assert image.boxes == pytest.approx(np.array([box["xyxy"] for box in expected]), abs=0.01)
        assert [int(str(label)) for label in image.labels] == [box["class"] for box in expected]
    assert data.column("predictions")[0].scores.tolist() == [box["score"] for box in expected]


@pytest.mark.parametrize(("layout", "corners"), [("segment", "polygon"), ("obb", "corners_px")])
def test_outlines_with_scores(tmp_path, layout, corners):
    data = read_yolo(*folders(tmp_path, "", GOLDEN["input"][layout]), sizes=SIZE)
    image, expected = data.column("predictions")[0], GOLDEN["expected"][layout]
    assert image.geometries[0].parts[0][0] == pytest.approx(np.array(expected[corners]), abs=1e-2)
    assert image.scores[0] == expected["score"]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("end", [0, -1])
def test_a_pose_is_never_read_as_a_polygon(tmp_path, side, end):
    """As truths and as predictions, with the score and without it."""
    line = GOLDEN["input"]["pose"].split()[: end or None]
    with pytest.raises(InputError, match=r"a.txt:1: .*17 keypoints.*as poses, pass keypoints=17 and sizes"):
        read_yolo(*folders(tmp_path, *(["", " ".join(line)] if side else [" ".join(line)])))


def test_poses_are_read_if_their_number_is_given(tmp_path):
    line = GOLDEN["input"]["pose"]
    data = read_yolo(*folders(tmp_path, " ".join(line.split()[:-1]), line), sizes=SIZE, keypoints=17)
    truth, found = data.column("ground_truths")[0], data.column("predictions")[0]
    numbers = np.array(line.split()[5:-1], float).reshape(17, 3)
    width, height = SIZE["a"]
    assert found.keypoints.points[0] == pytest.approx(numbers * [width, height, 1])
    assert found.scores.tolist() == [float(line.split()[-1])]
    assert truth.areas == pytest.approx(truth.box_areas * 0.53)
    assert found.areas == pytest.approx(found.box_areas)
    assert data.notes == (
        "coordinates became pixels by the sizes of the images",
        "areas of true objects are 0.53 of their boxes, since YOLO's files have no segments",
    )
    two = "0 .5 .5 .2 .2 .25 .25 0 0\n"
    (tmp_path / "two").mkdir()
    data = read_yolo(*folders(tmp_path / "two", two), sizes=SIZE, keypoints=2)
    points = data.column("ground_truths")[0].keypoints
    assert points.points.tolist() == [[[width / 4, height / 4, 2], [0, 0, 0]]]
    assert points.counts.tolist() == [1]


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (
            "0 .5 .5 .2 .2 .1 .1 2",
            {"keypoints": 2},
            r"a.txt:1: 7 numbers after the class; a pose of 2",
        ),
        ("0 .5 .5 .2 .2 90 10 2", {"keypoints": 1}, r"a.txt:1: the coordinate 90 is not between 0 and 1"),
        ("0 .5 .5 1.2 .2 .9 .1 2", {"keypoints": 1}, r"a.txt:1: the coordinate 1.2 is not between 0 and 1"),
        ("0 .5 .5 .2 .2 .1 .1 2", {"keypoints": 0}, "keypoints=0 must be a whole number of at least 1"),
        (
            "0 .5 .5 .2 .2 .1 .1 2",
            {"keypoints": 1, "sizes": None},
            r"pass sizes of the images",
        ),
    ],
)
def test_poses_that_cannot_be_read(tmp_path, lines, options, message):
    with pytest.raises(InputError, match=message):
        read_yolo(*folders(tmp_path, lines), **({"sizes": SIZE} | options))


POSES = {
    "visibilities of annotation tools": "0 .5 .5 .2 .2 .45 .45 2 .55 .55 1\n0 .5 .5 .4 .4 .4 .6 2 0 0 0\n",
    "two numbers a keypoint": "0 .5 .5 .4 .4 .35 .35 .65 .65 .65 .35 .35 .65 .5 .5\n",
}


@pytest.mark.parametrize("name", POSES)
def test_poses_of_other_layouts(tmp_path, name):
    with pytest.raises(InputError, match=r"truths/a.txt:1: .* fit a pose .* not a polygon"):
        read_yolo(*folders(tmp_path, POSES[name]))


def test_what_fits_a_pose_and_a_polygon_is_read_with_a_warning(tmp_path):
    """A small outline in the middle of the image: its corners would be keypoints in a box of its corners."""
    outline = "0 .5 .5 .55 .5 .6 .55 .55 .6 .5 .6\n"
    with pytest.warns(DataWarning, match=r"a.txt:1: 10 numbers fit a pose .* as well as a polygon of 5 corn"):
        image = read_yolo(*folders(tmp_path, outline)).column("ground_truths")[0]
    assert len(image.geometries[0].parts[0][0]) == 5


def test_outlines_of_different_counts_are_polygons_without_a_warning(tmp_path):
    lines = "0 .5 .5 .55 .5 .6 .55 .55 .6 .5 .6\n0 .5 .5 .55 .5 .6 .6\n"
    assert len(read_yolo(*folders(tmp_path, lines)).column("ground_truths")[0]) == 2


def test_an_outline_that_is_no_pose_is_read_without_a_warning(tmp_path):
    """A box of its first corners would not hold the others."""
    assert len(read_yolo(*folders(tmp_path, "0 .1 .1 .5 .1 .5 .5 .3 .6 .1 .5\n")).column("ground_truths")[0])


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("0 100 100 50 60", "100"),
        ("0 0.5 0.5 1.2 0.5", "1.2"),
        ("0 -0.2 0.5 0.1 0.5", "-0.2"),
        ("0 0.1 0.1 0.5 0.1 1.5 0.5", "1.5"),
        ("0 100 100 150 100 150 160 100 160", "100"),
    ],
)
def test_pixels_are_refused(tmp_path, line, number):
    message = (
        rf"a.txt:2: the coordinate {number} is not between 0 and 1; .*divide pixels by its width and hei"
    )
    with pytest.raises(InputError, match=message):
        read_yolo(*folders(tmp_path, f"0 .5 .5 .2 .2\n{line}"))
    (tmp_path / "scored").mkdir()
    with pytest.raises(InputError, match=message):
        read_yolo(*folders(tmp_path / "scored", "", f"0 .5 .5 .2 .2 .5\n{line} 0.9"))


def test_rounding_and_rotated_boxes_may_leave_the_image(tmp_path):
    lines = "0 0.5 0.5 1.00005 1\n1 -0.1 0.2 0.3 -0.1 0.6 0.3 0.2 0.6\n"
    assert len(read_yolo(*folders(tmp_path, lines)).column("ground_truths")[0]) == 2


def test_classes_shifted_by_one_and_missing_low_scores_give_warnings(tmp_path):
    """Both readings are possible, and both make a good detector look bad."""
    cells = [(x, y) for x in range(10) for y in range(10)]
    boxes = [f"0.{x}5 0.{y}5 0.08 0.08" for x, y in cells]
    truths = "".join(f"{1 + at % 2} {box}\n" for at, box in enumerate(boxes))
    found = "".join(f"{at % 2} {box} 0.3\n" for at, box in enumerate(boxes))
    with pytest.warns(DataWarning) as caught:
        data = read_yolo(*folders(tmp_path, truths, found), labels=["cow", "cat", "dog"])
    names, shift, floor = data.notes
    assert names == "classes have the names of their numbers in the labels given"
    assert [str(warning.message) for warning in caught] == [shift, floor]
    assert "100 of 100 predictions that overlap a true object have the class number before its own" in shift
    assert shift.endswith("add 1 to the classes in the files of predictions")
    assert floor.startswith("the lowest score of 100 predictions is 0.3")
    assert floor.endswith("from 0.001 on (in Ultralytics: conf=0.001)")
