"""DOTA's labels and results: corners, difficult objects, and malformed files."""

import pytest

from thresher.datasets import read_dota
from thresher.errors import InputError

TRUTHS = """imagesource:GoogleEarth
gsd:0.146
10 10 50 10 50 30 10 30 plane 0
100 100 140 120 130 140 90 120 large-vehicle 1
200 200 210 200 210 210 200 210 plane
"""
RESULTS = {"Task1_plane": "P1 0.9 10 10 50 10 50 29 10 29\n", "Task1_large-vehicle": ""}


@pytest.fixture
def read(tmp_path):
    def read(truths=TRUTHS, results=RESULTS, **options):
        for folder, files in (
            ("labelTxt", {"P1": truths, "P2": "imagesource:x\ngsd:1\n"}),
            ("found", results),
        ):
            (tmp_path / folder).mkdir(exist_ok=True)
            for stem, text in files.items():
                (tmp_path / folder / f"{stem}.txt").write_text(text)
        return read_dota(tmp_path / "labelTxt", tmp_path / "found", **options)

    return read


def test_corners_labels_and_difficult_objects(read):
    data = read()
    assert list(data.ids) == ["P1", "P2"]
    truths, empty = data.column("ground_truths")
    assert [str(label) for label in truths.labels] == ["plane", "large-vehicle", "plane"]
    assert truths.geometries[1].parts[0][0].tolist() == [[100, 100], [140, 120], [130, 140], [90, 120]]
    assert truths.areas.tolist() == [800, 1000, 100]
    assert truths.difficult.tolist() == [False, True, False]
    assert len(empty) == 0
    predicted = data.column("predictions")[0]
    assert (str(predicted.labels[0]), predicted.scores.tolist()) == ("plane", [0.9])
    assert predicted.boxes.tolist() == [[10, 10, 50, 29]]
    assert [len(image) for image in data.column("predictions")] == [1, 0]


@pytest.mark.parametrize(("difficult", "flags"), [("keep", [False] * 3), ("drop", [False] * 2)])
def test_difficult_objects_are_kept_or_dropped(read, difficult, flags):
    data = read(difficult=difficult)
    assert data.column("ground_truths")[0].difficult.tolist() == flags
    assert data.notes[0].startswith("objects marked as difficult"), "runs store what was chosen"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"truths": "1 2 3 4 5 6 7 8"}, r"P1.txt:1: 8 columns; give x1 y1 x2 y2 x3 y3 x4 y4 label difficult"),
        ({"truths": "1 2 3 4 5 6 7 x plane 0"}, r"P1.txt:1: 'x' is not a number"),
        ({"truths": "1 2 3 4 5 6 7 8 plane hard"}, r"P1.txt:1: difficult is 'hard'; give 0 or 1"),
        ({"truths": "1 2 3 4 5 6 7 inf plane 0"}, r"P1.txt:1: the corners are .* give finite numbers"),
        ({"results": {"plane": "P1 0.9 1 2 3 4"}}, r"plane.txt:1: 6 fields; give image, score, x1, y1, x2"),
        ({"results": {"plane": "P7 0.9 1 2 3 4 5 6 7 8"}}, r"image 'P7' has no file of true objects"),
        ({"results": {"plane": "P1 nan 1 2 3 4 5 6 7 8"}}, r"score is nan; give a finite number"),
        ({"results": {"Task2_plane": "P1 0.9 1 2 3 4"}}, r"Task2_plane.txt has upright boxes \(Task 2\)"),
        ({"difficult": "simple"}, "difficult"),
    ],
)
def test_malformed_files_are_refused(read, changes, message):
    with pytest.raises(InputError, match=message):
        read(**changes)
