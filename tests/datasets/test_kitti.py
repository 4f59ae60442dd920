"""KITTI's labels and results: boxes, levels of difficulty and ignored regions."""

import json
from pathlib import Path

import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
from thresher.datasets import read_kitti
from thresher.errors import InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/vision2/src_08_kitti.json").read_text())
REST = "1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"
TRUTHS, RESULTS = GOLDEN["input"]["label"], GOLDEN["input"]["result"]


@pytest.fixture
def read(tmp_path):
    def read(truths=TRUTHS, results=RESULTS, name="000042", **options):
        for folder, files in (("truths", {"000042": truths, "empty": ""}), ("found", {name: results})):
            (tmp_path / folder).mkdir(exist_ok=True)
            for stem, text in files.items():
                (tmp_path / folder / f"{stem}.txt").write_text(text)
        return read_kitti(tmp_path / "truths", tmp_path / "found", **options)

    return read


def map_of(data):
    matches = DetectionMatcher().run(
        predictions=data.column("predictions"), ground_truths=data.column("ground_truths")
    )["matches"]
    return DetectionCocoEvaluator().run(matches=matches)["result"].value("detection_coco_map_50")


def test_boxes_labels_and_scores(read):
    data, expected = read(), GOLDEN["expected"]
    assert list(data.ids) == ["000042", "empty"]
    truths, found = data.column("ground_truths")[0], data.column("predictions")[0]
    objects = [at for at, is_crowd in enumerate(truths.crowd) if not is_crowd]
    for at, truth in zip(objects, expected["truth"][:2], strict=True):
        assert str(truths.labels[at]) == truth["label"]
        assert truths.boxes[at].tolist() == truth["xyxy"]
    assert found.boxes.tolist() == [expected["prediction"][0]["xyxy"]]
    assert found.scores.tolist() == [expected["prediction"][0]["score"]]
    assert [len(image) for image in data.column("predictions")] == [1, 0]


@pytest.mark.parametrize("level", ["all", "easy", "moderate", "hard"])
def test_objects_beyond_a_level_are_difficult(read, level):
    """`none` is beyond all levels, and each level includes the easier ones."""
    order = ["easy", "moderate", "hard", "none"]
    data = read(difficulty=level)
    assert ("true objects beyond the level" in "".join(data.notes)) == (level != "all")
    truths = data.column("ground_truths")[0]
    limit = 3 if level == "all" else order.index(level)
    expected = [order.index(truth["difficulty"]) > limit for truth in GOLDEN["expected"]["truth"][:2]]
    assert truths.difficult[: len(expected)].tolist() == expected
    assert not truths.difficult[len(expected) :].any()


@pytest.mark.parametrize(
    ("line", "levels"),
    [
        ("0.15 0 -10 0 0 9 40", ("easy", "moderate", "hard")),
        ("0.16 0 -10 0 0 9 40", ("moderate", "hard")),
        ("0.0 0 -10 0 0 9 39.9", ("moderate", "hard")),
        ("0.3 1 -10 0 0 9 25", ("moderate", "hard")),
        ("0.5 2 -10 0 0 9 25", ("hard",)),
        ("0.0 3 -10 0 0 9 90", ()),
        ("0.0 0 -10 0 0 9 24.9", ()),
    ],
)
def test_the_limits_of_each_level(read, line, levels):
    for level in ("easy", "moderate", "hard"):
        truths = read(f"Car {line} {REST}", "", difficulty=level).column("ground_truths")[0]
        assert truths.difficult.tolist() == [level not in levels]


def test_predictions_in_ignored_regions_do_not_count(read):
    region = f"DontCare -1 -1 -10 0 0 90 90 {REST}"
    car = f"Car 0 0 -10 200 0 290 90 {REST}"
    found = f"Car -1 -1 -10 10 10 60 60 {REST} 0.9\nCar -1 -1 -10 200 0 290 90 {REST} 0.8"
    assert map_of(read(f"{car}\n{region}", found)) == pytest.approx(1)
    assert map_of(read(car, found)) == pytest.approx(0.5)
    truths = read(f"{car}\n{region}\n{car.replace('Car', 'Van')}", found).column("ground_truths")[0]
    assert [str(label) for label in truths.labels] == ["Car", "Van", "Car", "Van"]
    assert truths.crowd.tolist() == [False, False, True, True]


def test_a_file_with_only_ignored_regions_has_no_objects(read):
    assert len(read(f"DontCare -1 -1 -10 0 0 90 90 {REST}", "").column("ground_truths")[0]) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"truths": "Car 0 0"}, r"000042.txt:1: 3 columns; a label of KITTI has 15"),
        ({"results": TRUTHS}, r"000042.txt:1: 15 columns; a result of KITTI has 16, the last one the score"),
        (
            {"truths": f"\nCar 0 x -10 0 0 9 9 {REST}"},
            r":2: could not convert string to float: 'x'; all columns",
        ),
        ({"truths": f"Car 0 0 -10 9 0 0 9 {REST}"}, r":1: the box is 9 0 0 9; give left <= right"),
        ({"truths": f"Car 0 0 -10 nan 0 0 9 {REST}"}, r":1: 0 0 -10 nan .* are not all finite numbers"),
        ({"results": RESULTS.replace("0.91", "nan")}, r":1: .* nan are not all finite numbers"),
        ({"name": "000043"}, r"000043.txt has no ground truth 000043.txt"),
        ({"difficulty": "simple"}, "difficulty"),
    ],
)
def test_malformed_files_are_refused(read, changes, message):
    with pytest.raises(InputError, match=message):
        read(**changes)
