"""COCO, YOLO and VOC files: what is read, and how bad ones are named."""

import json

import pytest

from thresher.components.detection import AveragePrecisionEvaluator, DetectionMatcher
from thresher.datasets.coco import read_coco
from thresher.datasets.voc import read_voc
from thresher.datasets.yolo import read_yolo
from thresher.errors import InputError

IMAGES = [{"id": 9, "height": 20, "width": 30}, {"id": 4, "height": 20, "width": 30}]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]
ANNOTATION = {"id": 1, "image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 10.5}
RESULT = {"image_id": 4, "category_id": 3, "bbox": [0, 0, 5, 5], "score": 0.5}
SQUARE = [1.0, 1.0, 5.0, 1.0, 5.0, 4.0, 1.0, 4.0]


def coco_files(folder, annotations=(ANNOTATION,), results=(RESULT,), **changes):
    told = {"images": IMAGES, "annotations": list(annotations), "categories": CATEGORIES} | changes
    (folder / "truth.json").write_text(json.dumps(told))
    (folder / "found.json").write_text(json.dumps(list(results) if isinstance(results, tuple) else results))
    return folder / "truth.json", folder / "found.json"


def test_coco_images_stand_in_the_order_of_their_ids(tmp_path):
    data = read_coco(*coco_files(tmp_path))
    assert list(data.ids) == ["4", "9"]
    empty, truth = data.column("ground_truths")
    assert len(empty) == 0
    assert (str(truth.labels[0]), truth.boxes.tolist(), truth.areas.tolist()) == (
        "dog",
        [[1, 2, 4, 6]],
        [10.5],
    )
    found, _ = data.column("predictions")
    assert (str(found.labels[0]), found.scores.tolist()) == ("cat", [0.5])
    assert "predictions" not in read_coco(tmp_path / "truth.json").columns


def test_coco_shapes_as_pixels_or_as_they_are(tmp_path):
    runs = {"size": [20, 30], "counts": [0, 3, 597]}
    rows = [ANNOTATION | {"segmentation": [SQUARE]}, ANNOTATION | {"id": 2, "segmentation": runs}]
    files = coco_files(tmp_path, rows, (RESULT | {"segmentation": [SQUARE]},))
    pixels = read_coco(*files, geometries="masks").column("ground_truths")[1]
    assert [shape.area for shape in pixels.geometries] == [12, 3]
    assert pixels.boxes.tolist() == [[1, 1, 5, 4], [0, 0, 1, 3]]
    shapes = read_coco(*files, geometries="polygons").column("ground_truths")[1].geometries
    assert shapes[0].box == (1, 1, 5, 4)
    assert shapes[1].area == 3


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("annotations", {"bbox": [1, 2, 3]}, r"annotations\[0\] \(id 1\): bbox is \[1, 2, 3\]; give \[x, y"),
        ("annotations", {"bbox": [1, 2, -3, 4]}, r"annotations\[0\] \(id 1\): bbox is .*at least 0"),
        ("annotations", {"bbox": [1, 2, float("nan"), 4]}, r"annotations\[0\] \(id 1\): bbox is .*finite"),
        ("annotations", {"bbox": None}, r"annotations\[0\] \(id 1\): bbox is None"),
        ("annotations", {"image_id": 5}, r"annotations\[0\] \(id 1\): image_id 5 is none of the images"),
        (
            "annotations",
            {"category_id": "x"},
            r"annotations\[0\] \(id 1\): category_id 'x' is none of the cat",
        ),
        ("results", {"score": 1.5}, r"results\[0\]: score is 1.5; give a number from 0 to 1"),
        ("results", {"score": None}, r"results\[0\]: score is None"),
        ("results", {"image_id": 77}, r"found.json: results\[0\]: image_id 77 is none of the images"),
    ],
)
def test_bad_coco_entries_are_named(tmp_path, part, change, message):
    rows = (
        {"annotations": (ANNOTATION | change,)} if part == "annotations" else {"results": (RESULT | change,)}
    )
    with pytest.raises(InputError, match=message):
        read_coco(*coco_files(tmp_path, **rows))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"images": None}, "truth.json has no list 'images'; an instances file has"),
        ({"images": [*IMAGES, IMAGES[0]]}, r"images\[2\] \(id 9\) has an id that images\[0\] has too"),
        (
            {"annotations": [ANNOTATION, ANNOTATION]},
            r"annotations\[1\] \(id 1\) has an id that annotations\[0\]",
        ),
        ({"categories": [*CATEGORIES, {"id": 8, "name": "cat"}]}, "two categories are called 'cat'"),
        ({"annotations": [{"id": 1, "category_id": 3, "bbox": [0, 0, 1, 1]}]}, "has no 'image_id'"),
        ({"annotations": ["text"]}, r"annotations\[0\] has no 'id'"),
        ({"results": {"a": 1}}, "found.json is no list of results"),
        ({"results": ({"image_id": 4, "category_id": 3, "score": 0.5},)}, r"results\[0\] has no 'bbox'"),
    ],
)
def test_bad_coco_files_are_named(tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        read_coco(*coco_files(tmp_path, **changes))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"size": [20, 30], "counts": [5]}, "segmentation: run lengths add up to 5, but a mask of 20 x 30"),
        ({"size": [2, 3], "counts": [6]}, r"segmentation: the mask is \(2, 3\), its image \(20, 30\)"),
        ({"size": [20, 30], "counts": "~~"}, "segmentation: a text of run lengths is damaged"),
        ([[1.0, 2.0, 3.0]], "segmentation: a polygon is a list of x, y"),
        ([], "segmentation: a polygon becomes a mask if it has points"),
        (None, "segmentation: "),
    ],
)
def test_bad_coco_shapes_are_named(tmp_path, shape, message):
    files = coco_files(tmp_path, (ANNOTATION | {"segmentation": shape},), ())
    with pytest.raises(InputError, match=r"annotations\[0\] \(id 1\): " + message):
        read_coco(*files, geometries="masks")


def test_what_is_no_json_is_named_with_its_line(tmp_path):
    (tmp_path / "bad.json").write_text("{\n,}")
    with pytest.raises(InputError, match=r"bad.json:2: no JSON"):
        read_coco(tmp_path / "bad.json")
    with pytest.raises(InputError, match="geometries='circles' is unknown"):
        read_coco(tmp_path / "bad.json", geometries="circles")


def yolo_folders(folder, truths, found):
    for name, files in (("truths", truths), ("found", found)):
        (folder / name).mkdir()
        for stem, text in files.items():
            (folder / name / f"{stem}.txt").write_text(text)
    return folder / "truths", folder / "found"


def test_yolo_boxes_and_polygons(tmp_path):
    folders = yolo_folders(
        tmp_path,
        {"a": "0 0.5 0.5 0.2 0.4\n\n1 0.1 0.1 0.3 0.1 0.3 0.3 0.1 0.3\n", "b": "0 0.5 0.5 1 1"},
        {"a": "0 0.5 0.5 0.2 0.4 0.9\n", "c": "1 0.5 0.5 1 1 0.25"},
    )
    data = read_yolo(*folders, labels=["cat", "dog"], sizes={each: [100, 50] for each in "abc"})
    assert list(data.ids) == ["a", "b", "c"]
    first, _, none = data.column("ground_truths")
    assert first.boxes.tolist() == [[40, 15, 60, 35], [10, 5, 30, 15]]
    assert [str(label) for label in first.labels] == ["cat", "dog"]
    assert len(none) == 0
    assert data.column("predictions")[2].scores.tolist() == [0.25]
    matches = DetectionMatcher().run(
        predictions=data.column("predictions"), ground_truths=data.column("ground_truths")
    )["matches"]
    table = AveragePrecisionEvaluator("coco").run(matches=matches)["result"].detail("by_label").columns
    assert dict(zip(table["label"], table["ap_50"], strict=True)) == pytest.approx(
        {"cat": 51 / 101, "dog": 0.0}
    )


def test_yolo_without_names_and_sizes(tmp_path):
    truths, _ = yolo_folders(tmp_path, {"a": "3 0.5 0.5 0.5 1"}, {})
    image = read_yolo(truths).column("ground_truths")[0]
    assert (str(image.labels[0]), image.boxes.tolist()) == ("3", [[0.25, 0, 0.75, 1]])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cat 0.5 0.5 1 1", r"a.txt:1: invalid literal .*; a line is a class number"),
        ("0 0.5 x 1 1", r"a.txt:1: could not convert .*; a line is a class number"),
        ("0 0.5 0.5 1", r"a.txt:1: 3 coordinates; a box has 4"),
        ("0 0.5 0.5 1 1 0.5", r"a.txt:1: 5 coordinates; a box has 4"),
        ("0 0.5 0.5 -1 1", r"a.txt: box 0 is .*; give width and height of at least 0"),
        ("5 0.5 0.5 1 1", r"a.txt: class 5 has no label; there are 2"),
        ("0 0.1 0.1 0.1 0.1 0.1 0.1", r"a.txt:1: a ring has 1 distinct|a.txt:1: a ring"),
    ],
)
def test_bad_yolo_lines_are_named(tmp_path, line, message):
    truths, _ = yolo_folders(tmp_path, {"a": line}, {})
    with pytest.raises(InputError, match=message):
        read_yolo(truths, labels=["cat", "dog"])


def test_yolo_folders_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="nowhere is no folder"):
        read_yolo(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no \*.txt file"):
        read_yolo(tmp_path)
    truths, _ = yolo_folders(tmp_path, {"a": "0 0.5 0.5 1 1"}, {})
    with pytest.raises(InputError, match="sizes has no width and height of a"):
        read_yolo(truths, sizes={})


def voc(folder, objects, results=None):
    (folder / "truths").mkdir()
    (folder / "truths" / "img1.xml").write_text(f"<annotation>{objects}</annotation>")
    if results is not None:
        (folder / "found").mkdir()
        (folder / "found" / "comp4_det_test_cat.txt").write_text(results)
    return folder / "truths", folder / "found"


def voc_object(label="cat", difficult=0, box=(1, 1, 10, 10)):
    sides = "".join(
        f"<{side}>{value}</{side}>" for side, value in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    return f"<object><name>{label}</name><difficult>{difficult}</difficult><bndbox>{sides}</bndbox></object>"


def test_voc_counts_pixels_from_one_and_both_corners(tmp_path):
    folders = voc(tmp_path, voc_object() + voc_object("dog", 1), "img1 0.75 1 1 10 10\n")
    data = read_voc(*folders)
    truth, found = data.column("ground_truths")[0], data.column("predictions")[0]
    assert truth.boxes.tolist() == [[0, 0, 10, 10], [0, 0, 10, 10]]
    assert (str(found.labels[0]), found.boxes.tolist(), found.scores.tolist()) == (
        "cat",
        [[0, 0, 10, 10]],
        [0.75],
    )
    assert [
        str(label) for label in read_voc(folders[0], difficult="drop").column("ground_truths")[0].labels
    ] == ["cat"]


@pytest.mark.parametrize(
    ("objects", "results", "message"),
    [
        ("<object>", None, "img1.xml: no XML: mismatched tag"),
        ("<object></object>", None, "img1.xml: object 0 has no name"),
        ("<object><name>cat</name></object>", None, "img1.xml: object 0 has no xmin; a bndbox has"),
        (voc_object(box=(1, 1, "x", 2)), None, "img1.xml: object 0: 'x' is no number"),
        (voc_object(box=(9, 1, 2, 2)), None, "img1.xml: box 0 is .*; give xmin <= xmax"),
        (voc_object(), "img1 0.5 1 1 10", "comp4_det_test_cat.txt:1: 5 fields; give image, score"),
        (voc_object(), "img2 0.5 1 1 10 10", "comp4_det_test_cat.txt:1: image 'img2' has no annotation file"),
        (voc_object(), "img1 high 1 1 10 10", "comp4_det_test_cat.txt:1: 'high' is no number"),
        (voc_object(), "img1 1.5 1 1 10 10", "object 0 has the score 1.5"),
    ],
)
def test_bad_voc_files_are_named(tmp_path, objects, results, message):
    folders = voc(tmp_path, objects, results)
    with pytest.raises(InputError, match=message):
        read_voc(folders[0], folders[1] if results is not None else None)


def test_difficult_is_kept_or_dropped(tmp_path):
    with pytest.raises(InputError, match="difficult='maybe' is unknown"):
        read_voc(tmp_path, difficult="maybe")
