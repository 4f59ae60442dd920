"""Mistakes that look like a bad detector: a warning, or a message that names the remedy."""

import json
import warnings

import pytest

from thresher.cli.recognised_formats import recognise
from thresher.components.detection import DetectionMatcher
from thresher.datasets import (
    read_coco,
    read_dota,
    read_kitti,
    read_label_maps,
    read_open_images,
    read_voc,
    read_yolo,
)
from thresher.datasets.masks import image_sizes
from thresher.errors import DataWarning, InputError

CELLS = [(x, y) for x in range(5) for y in range(5)]
TRUTH = "".join(f"0 0.{2 * x}5 0.{2 * y}5 0.08 0.08\n" for x, y in CELLS)
FOUND = TRUTH.replace("\n", " 0.04\n")


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path.parent


def voc(folder, label="potted plant", **results):
    """An image with an object of a label, and files of results."""
    sides = "".join(
        f"<{side}>{at}</{side}>"
        for side, at in zip(("xmin", "ymin", "xmax", "ymax"), (1, 1, 9, 9), strict=True)
    )
    text = f"<annotation><object><name>{label}</name><bndbox>{sides}</bndbox></object></annotation>"
    truths = write(folder / "truths" / "img 1.xml", text)
    for stem, line in results.items():
        write(folder / "found" / f"{stem}.txt", line)
    return truths, folder / "found"


def coco(folder, low, high):
    objects = [{"id": at, "image_id": 1, "category_id": 1, "bbox": [at, 0, 5, 5]} for at in (1, 2)]
    truths = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "cat"}], "annotations": objects}
    found = [row | {"score": score} for row, score in zip(objects, (low, high), strict=True)]
    write(folder / "truths.json", json.dumps(truths))
    write(folder / "found.json", json.dumps(found))
    return folder / "truths.json", folder / "found.json"


def text_files(folder, **files):
    for name, text in files.items():
        write(folder / name / "1.txt", text)
    return [folder / name for name in files]


def yolo(folder, low, high, points=""):
    line = f"0 .5 .5 .1 .1{points}"
    return text_files(folder, truths=line, found=f"{line} {low}\n{line} {high}")


def kitti(folder, low, high):
    line = "Car 0 0 0 1 1 9 9 1 1 1 0 0 9 0"
    return text_files(folder, truths=line, found=f"{line} {low}\n{line} {high}")


def dota(folder, low, high):
    corners = "0 0 9 0 9 9 0 9"
    truths, _ = text_files(folder, truths=f"{corners} cat 0", found="")
    (folder / "found" / "1.txt").unlink()
    write(folder / "found" / "Task1_cat.txt", f"1 {low} {corners}\n1 {high} {corners}")
    return truths, folder / "found"


def open_images(folder, low, high):
    head = "ImageID,LabelName,XMin,XMax,YMin,YMax"
    write(folder / "truths.csv", f"{head},IsGroupOf\n1,cat,0,1,0,1,0\n")
    rows = "".join(f"1,cat,0,1,0,1,{score}\n" for score in (low, high))
    write(folder / "found.csv", f"{head},Score\n{rows}")
    return folder / "truths.csv", folder / "found.csv"


def in_memory(found):
    box = [[0, 0, 9, 9]]
    for scores in found:
        predictions = {"labels": ["cat"] * 2, "boxes": box * 2, "scores": list(scores)}
        DetectionMatcher().run(predictions=[predictions], ground_truths=[{"labels": ["cat"], "boxes": box}])


READERS = {
    "coco": lambda folder, *scores: read_coco(*coco(folder, *scores)),
    "open-images protocol": lambda folder, *scores: read_coco(*coco(folder, *scores), protocol="open-images"),
    "yolo": lambda folder, *scores: read_yolo(*yolo(folder, *scores)),
    "poses": lambda folder, *scores: read_yolo(
        *yolo(folder, *scores, " .5 .5 2"), keypoints=1, sizes={"1": (9, 9)}
    ),
    "voc": lambda folder, low, high: read_voc(
        *voc(folder, "cat", cat=f"img 1 {low} 1 1 9 9\nimg 1 {high} 1 1 9 9")
    ),
    "kitti": lambda folder, *scores: read_kitti(*kitti(folder, *scores)),
    "dota": lambda folder, *scores: read_dota(*dota(folder, *scores)),
    "open images": lambda folder, *scores: read_open_images(*open_images(folder, *scores)),
    "memory": lambda folder, *scores: in_memory([scores]),  # noqa: ARG005
}


@pytest.mark.parametrize("name", READERS)
def test_scores_outside_0_to_1_are_read_with_one_warning(tmp_path, name):
    with warnings.catch_warnings(record=True, action="always") as caught:
        READERS[name](tmp_path / "usual", 0.25, 1.0)
    assert not any("outside 0 to 1" in str(entry.message) for entry in caught)
    for low, high in [(-3.0, 2.5), (0.5, 1.0000001192092896), (-1e-09, 0.5)]:
        count = int(not 0 <= low <= 1) + int(not 0 <= high <= 1)
        with warnings.catch_warnings(record=True, action="always") as caught:
            READERS[name](tmp_path / str(low), low, high)
        (text,) = (str(entry.message) for entry in caught if "outside 0 to 1" in str(entry.message))
        are = "are" if count > 1 else "is"
        scores = f"{count} of 2 scores of predictions {are} outside 0 to 1 (lowest {low}, highest {high})"
        assert scores in text
    with pytest.raises(InputError, match=r"nan"):
        READERS[name](tmp_path / "nan", 0.5, float("nan"))


@pytest.mark.parametrize(
    ("stem", "line"),
    [("a", "0 0.5 0.{x}5 0.{y}5 0.08 0.08"), ("b", "0 0.{x}5 0.{y}5 0.08 0.08 0.04")],
    ids=["score second", "other images"],
)
def test_predictions_that_overlap_nothing_are_reported(tmp_path, stem, line):
    truths = write(tmp_path / "truths" / "a.txt", TRUTH)
    rows = "".join(f"{line}\n".format(x=2 * x, y=2 * y) for x, y in CELLS)
    found = write(tmp_path / "found" / f"{stem}.txt", rows)
    with pytest.warns(DataWarning, match="none of 25 predictions overlaps a true object of any label by 0.5"):
        read_yolo(truths, found)
    few = write(tmp_path / "few" / f"{stem}.txt", "".join(rows.splitlines(keepends=True)[:19]))
    with warnings.catch_warnings(action="error"):
        read_yolo(truths, few)  # so few may all be wrong


@pytest.mark.parametrize(
    ("stem", "notes"),
    [
        ("potted plant", []),
        ("comp3_det_val_potted plant", []),
        ("det_val_potted plant", []),
        (
            "Potted_Plant",
            ["no file of results for 'potted plant' (1 true object)", "the label 'Potted_Plant'"],
        ),
        (
            "cow",
            ["no file of results", "predictions have 'cow', true objects 'potted plant'; they never match"],
        ),
    ],
)
def test_labels_that_never_match_are_reported(tmp_path, stem, notes):
    folders = voc(tmp_path, **{stem: "img 1.jpg 0.01 1 1 9 9\n"})
    with warnings.catch_warnings(record=True, action="always") as caught:
        data = read_voc(*folders)
    assert len(data.column("predictions")[0]) == 1, "names may have blanks, and the suffix of the image"
    assert len(caught) == len(notes) == len(data.notes)
    assert all(part in note for part, note in zip(notes, data.notes, strict=True))


def test_choices_of_pascal_voc_are_notes(tmp_path):
    folders = voc(tmp_path, **{"potted plant": "img 0.01 1 1 9 9\n"})
    (folders[0] / "img 1.xml").rename(folders[0] / "img.xml")
    (tmp_path / "val.txt").write_text("img\n")
    notes = "the images are those of val.txt", "objects marked as difficult were left out"
    with warnings.catch_warnings(action="error"):
        assert read_voc(*folders, difficult="drop", image_set=tmp_path / "val.txt").notes == notes


def test_labels_without_predictions_are_no_mistake_in_kitti(tmp_path):
    """Its results have three of the labels."""
    line = "{} 0 0 0 1 1 9 99 1 1 1 1 1 1 1{}\n"
    truths = write(tmp_path / "truths" / "a.txt", line.format("Car", "") + line.format("Van", ""))
    found = write(tmp_path / "found" / "a.txt", line.format("Car", " 0.5"))
    with warnings.catch_warnings(action="error"):
        read_kitti(truths, found)
    write(tmp_path / "found" / "a.txt", line.format("car", " 0.5"))
    with pytest.warns(DataWarning, match="the label 'car' and none has 'Car'"):
        read_kitti(truths, found)
    with pytest.raises(InputError, match=r"16 columns; .* give the folders the other way round"):
        read_kitti(found, truths)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("", "0 .5 .5 .2 .2"), r"4 coordinates and no score; write .*save_conf=True"),
        (("", "0 .1 .1 .5 .1 .5 .5"), "6 coordinates and no score"),
        (("0 .5 .5 .2 .2 .9", ""), "seems to end with a score: give the folders the other way round"),
        (("", "0 .5 .5"), r"then the score$"),
        (("0 .5 .5", ""), r"6 or more in pairs$"),
    ],
)
def test_yolo_lines_of_the_other_side(tmp_path, lines, message):
    folders = [write(tmp_path / str(side) / "a.txt", line) for side, line in enumerate(lines)]
    with pytest.raises(InputError, match=message):
        read_yolo(*folders)


def test_the_folder_that_was_meant_is_named(tmp_path):
    write(tmp_path / "labels" / "val" / "a.txt", TRUTH)
    write(tmp_path / "labels" / "train" / "a.txt", TRUTH)
    write(tmp_path / "images" / "val" / "a.png")
    for folder in (tmp_path, tmp_path / "labels"):
        with pytest.raises(InputError, match=r"give the folder that does: \S*labels/train, \S*labels/val$"):
            read_yolo(folder)
    with pytest.raises(InputError, match=r"holds no \*.png file$"):
        read_label_maps(tmp_path / "labels")
    with pytest.raises(InputError, match=r"holds no image .*; give the folder that does: \S*images/val$"):
        image_sizes(tmp_path / "images")


def test_files_in_subfolders_are_reported(tmp_path):
    folder = write(tmp_path / "a.txt", TRUTH)
    write(tmp_path / "deeper" / "b.txt", TRUTH)
    with pytest.warns(DataWarning, match=r"\*.txt files in subfolders of \S+ are not read: \S+deeper$"):
        assert len(read_yolo(folder)) == 1


def test_files_about_a_folder_are_no_images(tmp_path):
    for stem in ("README.roboflow", "classes", "License", "a"):
        folder = write(tmp_path / "labels" / f"{stem}.txt", TRUTH if stem == "a" else "See cats.org 7")
    assert read_yolo(folder).ids == ("a",)
    assert recognise(folder, "objects").name == "yolo"
    about = write(tmp_path / "about" / "readme.txt", TRUTH)
    with pytest.raises(InputError, match=r"about holds no \*.txt file"):
        read_yolo(about)
