"""YOLO and VOC files: what is read, and how bad ones are named."""

import pytest

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionColumns,
    DetectionF1Evaluator,
    DetectionMatcher,
    Detections,
)
from thresher.datasets.voc import read_voc
from thresher.datasets.yolo import read_yolo
from thresher.errors import InputError


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
    table = (
        DetectionAveragePrecisionEvaluator(matching="coco")
        .run(matches=matches)["result"]
        .detail("by_label")
        .columns
    )
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
        ("cat 0.5 0.5 1 1", r"a.txt:1: 'cat' is not a number; a line is a class number"),
        ("-1 0.5 0.5 1 1", r"a.txt:1: class -1 is not a whole number of at least 0"),
        ("0.5 0.5 0.5 1 1", r"a.txt:1: class 0.5 is not a whole number"),
        ("0 nan 0.5 1 1", r"a.txt:1: nan 0.5 1 1 are not all finite numbers"),
        ("0,0.5,x,1,1", r"a.txt:1: '0,0.5,x,1,1' is not a number; .* separated by blanks"),
        ("0 0.5 0.5 1", r"a.txt:1: 3 coordinates; a box has 4"),
        ("0 0.5 0.5 1 1 0.5", r"a.txt:1: 5 coordinates; a box has 4.* ends? with a score: .*other way round"),
        ("0 0.5 0.5 -1 1", r"a.txt:1: the box is .*; give width and height of at least 0"),
        ("5 0.5 0.5 1 1", r"a.txt:1: class 5 has no label; labels are given for from 0 to 1"),
        ("0 0.1 0.1 0.1 0.1 0.1 0.1", r"a.txt:1: a ring has 1 distinct|a.txt:1: a ring"),
    ],
)
def test_bad_yolo_lines_are_named(tmp_path, line, message):
    truths, _ = yolo_folders(tmp_path, {"a": line}, {})
    with pytest.raises(InputError, match=message):
        read_yolo(truths, labels=["cat", "dog"])


def test_yolo_folders_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="nowhere is not a folder"):
        read_yolo(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no \*.txt file"):
        read_yolo(tmp_path)
    truths, _ = yolo_folders(tmp_path, {"a": "0 0.5 0.5 1 1"}, {})
    with pytest.raises(InputError, match="no size known for image a; add it to sizes"):
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
        ("<object>", None, "img1.xml: not XML: mismatched tag"),
        ("<object><name> </name></object>", None, "img1.xml: object 0 has no name"),
        (
            voc_object(),
            "img1 0.5 9 1 2 2",
            "comp4_det_test_cat.txt:1: the box is 9, 1, 2, 2; give finite xmin",
        ),
        (
            voc_object(),
            "img1 0.5 1 1 nan 2",
            "comp4_det_test_cat.txt:1: the box is 1, 1, nan, 2; give finite",
        ),
        ("<object></object>", None, "img1.xml: object 0 has no name"),
        ("<object><name>cat</name></object>", None, "img1.xml: object 0 has no xmin; a bndbox has"),
        (voc_object(box=(1, 1, "x", 2)), None, "img1.xml: object 0: 'x' is not a number"),
        (
            voc_object(box=(9, 1, 2, 2)),
            None,
            "img1.xml: object 0: the box is 9, 1, 2, 2; give finite xmin <= xmax",
        ),
        (voc_object(), "img1 0.5 1 1 10", "comp4_det_test_cat.txt:1: 5 fields; give image, score"),
        (voc_object(), "img2 0.5 1 1 10 10", "comp4_det_test_cat.txt:1: image 'img2' has no annotation file"),
        (voc_object(), "img1 high 1 1 10 10", "comp4_det_test_cat.txt:1: 'high' is not a number"),
        (
            voc_object(),
            "img1 inf 1 1 10 10",
            "comp4_det_test_cat.txt:1: score is inf; give a finite number",
        ),
    ],
)
def test_bad_voc_files_are_named(tmp_path, objects, results, message):
    folders = voc(tmp_path, objects, results)
    with pytest.raises(InputError, match=message):
        read_voc(folders[0], folders[1] if results is not None else None)


def difficult_precision(folders, rule, difficult):
    data = read_voc(*folders, **({} if difficult is None else {"difficult": difficult}))
    sockets = {name: data.column(name) for name in ("predictions", "ground_truths")}
    matches = DetectionMatcher().run(**sockets)["matches"]
    result = DetectionAveragePrecisionEvaluator(matching=rule, iou_thresholds=[0.5]).run(matches=matches)[
        "result"
    ]
    return result.score, result.detail("by_label").columns["truths"]


@pytest.mark.parametrize("rule", ["valor", "valor-code", "coco"])
def test_difficult_objects_are_ignored_with_what_finds_them(tmp_path, rule):
    """Two predictions find the difficult cat, both with higher scores than the one that finds the other."""
    objects = voc_object(difficult=1) + voc_object(box=(51, 51, 60, 60))
    found = "img1 0.9 1 1 10 10\nimg1 0.8 1 1 10 9\nimg1 0.7 51 51 60 60\n"
    folders = voc(tmp_path, objects, found)
    assert (
        difficult_precision(folders, rule, None) == difficult_precision(folders, rule, "ignore") == (1.0, [1])
    )
    assert difficult_precision(folders, rule, "drop") == (pytest.approx(1 / 3), [1])
    assert difficult_precision(folders, rule, "keep") == (pytest.approx((51 + 50 * 2 / 3) / 101), [2])


def test_what_finds_a_difficult_object_too_badly_is_wrong(tmp_path):
    folders = voc(tmp_path, voc_object(difficult=1) + voc_object(box=(51, 51, 60, 60)), "img1 0.9 1 1 10 4\n")
    for rule in ("valor", "valor-code", "coco"):
        data = read_voc(*folders)
        sockets = {name: data.column(name) for name in ("predictions", "ground_truths")}
        matches = DetectionMatcher().run(**sockets)["matches"]
        result = DetectionF1Evaluator(matching=rule).run(matches=matches)["result"]
        assert [result.value(f"detection_f1{each}") for each in ("", "_precision", "_recall")] == [0, 0, 0]


def test_what_is_difficult_is_kept_with_a_run(tmp_path):
    (image,) = read_voc(voc(tmp_path, voc_object(difficult=1) + voc_object())[0]).column("ground_truths")
    fields = image.to_dict()
    assert fields["difficult"] == [True, False]
    assert Detections.read(fields).difficult.tolist() == [True, False]
    columns = DetectionColumns.of([fields, None, image])
    assert DetectionColumns.concatenate([columns.take([2]), columns]).difficult.tolist() == [True, False] * 3
    with pytest.raises(InputError, match="difficult is \\['no'\\]; give 0 or 1 per object"):
        Detections.of(["cat"], [[0, 0, 1, 1]], difficult=["no"])


def test_difficult_is_ignored_kept_or_dropped(tmp_path):
    with pytest.raises(InputError, match="difficult='maybe' is unknown; choose one of ignore, keep, drop"):
        read_voc(tmp_path, difficult="maybe")
