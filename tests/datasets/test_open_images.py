"""Files of Open Images: boxes, labels, predictions and hierarchies; and COCO's files with groups."""

import json
import warnings
from pathlib import Path

import pytest

from coco_files import files
from thresher.components.detection import (
    DetectionF1Evaluator,
    DetectionMatcher,
    DetectionOpenImagesEvaluator,
    LabelHierarchy,
)
from thresher.datasets import read_coco, read_open_images
from thresher.datasets.sources import opening
from thresher.datasets.sources.coco_source import open_coco
from thresher.errors import DataWarning, InputError

GOLDEN = Path(__file__).parents[1] / "golden" / "vision2" / "oid_01_group_and_hierarchy.json"
CASE = json.loads(GOLDEN.read_text(encoding="utf-8"))
BOXES = """ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsGroupOf
b,xclick,/m/person,1,0.1,0.2,0.1,0.4,0
b,xclick,/m/vehicle,1,0.5,0.8,0.3,0.6,-1
a,xclick,/m/car,1,0.1,0.5,0.1,0.5,0
a,xclick,/m/person,1,0.4,0.9,0.2,0.9,1
"""
LABELS = """ImageID,Source,LabelName,Confidence
a,verification,/m/car,1
b,verification,/m/vehicle,1
b,verification,/m/dog,1
c,verification,/m/vehicle,0
"""
FOUND = """ImageID,LabelName,Score,XMin,XMax,YMin,YMax
a,/m/car,0.9,0.1,0.5,0.1,0.48
a,/m/person,0.8,0.42,0.5,0.3,0.5
b,/m/dog,0.4,0.5,0.8,0.3,0.58
"""
CAR = {"LabelName": "/m/car", "Part": [{"LabelName": "/m/wheel"}]}
TREE = {
    "LabelName": "/m/entity",
    "Subcategory": [
        {
            "LabelName": "/m/vehicle",
            "Subcategory": [{"LabelName": "/m/car", "Part": [{"LabelName": "/m/wheel"}]}],
        },
        {"LabelName": "/m/person"},
        {"LabelName": "/m/service", "Subcategory": [CAR]},
    ],
}
NAMES = "LabelName,DisplayName\n/m/car,Car\n/m/person,Person\n/m/vehicle,Vehicle\n"
TEXTS = {
    "boxes.csv": BOXES,
    "labels.csv": LABELS,
    "found.csv": FOUND,
    "names.csv": NAMES,
    "tree.json": json.dumps(TREE),
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)


def labels(image):
    return list(map(str, image.labels))


def precision(data, **options):
    sides = {name: data.column(name) for name in ("predictions", "ground_truths")}
    matches = DetectionMatcher().run(**sides)["matches"]
    return DetectionOpenImagesEvaluator(**options).run(matches=matches)["result"]


def test_all_files_together():
    options = {"image_labels": "labels.csv", "hierarchy": "tree.json", "class_descriptions": "names.csv"}
    with pytest.warns(DataWarning, match="2 labels of the hierarchy with narrower labels that are predicted"):
        data = read_open_images("boxes.csv", "found.csv", **options)
    assert data.ids == ("a", "b", "c")
    (note,) = data.notes
    assert "no prediction of their own, count 0 (/m/service, Vehicle)" in note
    assert note.endswith("pass expand_predictions=True")
    first, second, third = data.column("ground_truths")
    assert labels(first) == ["Car", "/m/service", "Vehicle", "Person"]
    assert first.boxes[0].tolist() == [0.1, 0.1, 0.5, 0.5]
    assert first.crowd.tolist() == [False, False, False, True]
    assert labels(second) == ["Person", "Vehicle"]
    assert not second.crowd.any()
    verified = [image.federated.plain()["absent"] for image in (first, second, third)]
    assert verified == [[], ["/m/dog"], ["Car", "Vehicle"]]
    assert [labels(image) for image in data.column("predictions")] == [["Car", "Person"], ["/m/dog"], []]
    expanded = read_open_images("boxes.csv", "found.csv", **options, expand_predictions=True)
    assert expanded.notes == ()
    assert labels(expanded.column("predictions")[0]) == ["Car", "/m/service", "Vehicle", "Person"]


def test_pixels_and_defaults():
    data = read_open_images("boxes.csv", "found.csv", sizes={"a": (200, 100), "b": (10, 10)}, name="mine")
    assert data.name == "mine"
    assert data.column("ground_truths")[0].boxes[0].tolist() == [20.0, 10.0, 100.0, 50.0]
    assert data.column("ground_truths")[0].federated is None
    assert data.notes[0].startswith("no image-level labels: predictions of every label count")
    alone = read_open_images("boxes.csv", hierarchy={"/m/car": "/m/vehicle"})
    assert labels(alone.column("ground_truths")[0]) == ["/m/car", "/m/vehicle", "/m/person"]
    assert "predictions" not in alone.columns


@pytest.mark.parametrize("group", [True, False])
def test_true_boxes_given_as_predictions_are_reported(group):
    rows = BOXES if group else "\n".join(row.rpartition(",")[0] for row in BOXES.splitlines())
    Path("found.csv").write_text(rows)
    sign = "the column IsGroupOf" if group else "the Confidence 1 in each row"
    with pytest.warns(
        DataWarning, match=f"found.csv has no column Score, and {sign}, as a file of true boxes"
    ):
        read_open_images("boxes.csv", "found.csv")
    Path("found.csv").write_text(rows.replace(",1,", ",0.9,", 1))
    with warnings.catch_warnings(action="ignore" if group else "error"):
        read_open_images("boxes.csv", "found.csv")


def test_images_without_annotations_are_left_out():
    Path("found.csv").write_text(FOUND + "x,/m/car,0.5,0,1,0,1\nx,/m/dog,0.5,0,1,0,1\n")
    with pytest.warns(
        DataWarning, match="2 predictions are left out: nothing was annotated or verified in thei"
    ):
        data = read_open_images("boxes.csv", "found.csv", image_labels="labels.csv")
    assert sum(map(len, data.column("predictions"))) == 3
    with pytest.raises(
        InputError, match=r"found.csv:5: ImageID is 'x'; no box is of it; give images without boxes"
    ):
        read_open_images("boxes.csv", "found.csv")
    Path("boxes.csv").write_text("ImageID,LabelName,XMin,XMax,YMin,YMax\na,/m/car,0,1,0,1\n")
    with pytest.warns(DataWarning, match="boxes.csv has no column IsGroupOf, so no box is a group"):
        read_open_images("boxes.csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "boxes.csv",
            "ImageID,XMin\n",
            "boxes.csv has no column 'LabelName'; Open Images' files have ImageID, La",
        ),
        (
            "boxes.csv",
            BOXES.replace("0.8,0.3", "640,0.3"),
            "boxes.csv:3: XMax is '640'; give a share of the imag",
        ),
        ("boxes.csv", BOXES.replace("0.8,0.3", "0.4,0.3"), "boxes.csv:3: XMax is '0.4'; give at least XMin"),
        ("boxes.csv", BOXES.replace("0.8,0.3", "wide,0.3"), "boxes.csv:3: XMax is 'wide'; give a number"),
        (
            "boxes.csv",
            BOXES.replace("-1", "2"),
            "boxes.csv:3: IsGroupOf is '2'; give 1, 0, or -1 for unknown",
        ),
        ("boxes.csv", BOXES.replace("/m/vehicle", " "), "boxes.csv:3: LabelName is ' '; give a label"),
        (
            "found.csv",
            FOUND.replace("Score", "Rank"),
            "found.csv has no column 'Score'; give each prediction a num",
        ),
        ("found.csv", FOUND.replace("0.9", "inf"), "found.csv:2: Score is 'inf'; give a number"),
        (
            "labels.csv",
            LABELS.replace(",1", ",0.7"),
            r"labels.csv:2: Confidence is '0.7'; give 1 \(present\) or 0",
        ),
        (
            "names.csv",
            NAMES + "/m/car,Auto\n",
            "names.csv:5: /m/car or 'Auto' has another name or label before",
        ),
        ("names.csv", NAMES + "/m/dog\n", "names.csv:5: '/m/dog'; give a label and its name"),
        (
            "tree.json",
            "[]",
            "tree.json is not a hierarchy; give a tree of LabelName and Subcategory, or label: broad",
        ),
        (
            "tree.json",
            '{"LabelName": "x", "Subcategory": [1]}',
            r"tree.json: Subcategory is \[1\]; give a list of",
        ),
        (
            "tree.json",
            '{"Subcategory": [{}]}',
            "tree.json: a Subcategory has the LabelName None; give a text",
        ),
        ("tree.json", '{"a": "b", "b": "a"}', "tree.json: the label 'a' is broader than itself"),
        (
            "tree.json",
            '{"cat": "pet"}',
            "hierarchy has none of the labels of the objects: it has 'cat', they have",
        ),
    ],
)
def test_malformed_files(name, text, message):
    Path(name).write_text(text)
    files = {"image_labels": "labels.csv", "hierarchy": "tree.json", "class_descriptions": "names.csv"}
    with pytest.raises(InputError, match=message):
        read_open_images("boxes.csv", "found.csv", **files)


def test_options_that_do_not_fit():
    Path("boxes.csv").write_text(BOXES + "a,xclick,/m/vehicle,1,0.1,0.5,0.1,0.5,0\n")
    with pytest.raises(InputError, match="is repeated for its broader labels already, and would be counted"):
        read_open_images("boxes.csv", hierarchy={"/m/car": "/m/vehicle"})
    with pytest.raises(InputError, match="expand_predictions needs hierarchy; give both"):
        read_open_images("boxes.csv", expand_predictions=True)
    with pytest.raises(InputError, match="no size known for image b; add it to sizes"):
        read_open_images("boxes.csv", sizes={"a": (1, 1)})


def test_other_metrics_refuse_images_checked_for_some_labels():
    data = read_open_images("boxes.csv", "found.csv", image_labels="labels.csv")
    sides = {name: data.column(name) for name in ("predictions", "ground_truths")}
    matches = DetectionMatcher().run(**sides)["matches"]
    with pytest.raises(InputError, match="use the recipe open_images_detection or lvis_detection, or leave"):
        DetectionF1Evaluator().run(matches=matches)


def test_a_coco_file_with_groups(tmp_path, monkeypatch):
    """The golden case, read whole and by the reader of large files."""
    paths = files(tmp_path, CASE["gt"], CASE["dt"])
    tree = LabelHierarchy.of({"Car": "Vehicle"})
    monkeypatch.setattr(opening, "SMALL", 0)
    for reader in (read_coco, open_coco):
        plain = reader(*paths, protocol="open-images")
        assert plain.notes == (
            "objects of Open Images: is_group_of, or iscrowd where it is missing, are groups",
        )
        known = CASE["expected"]["hotcoco_1.3.0"]["AP"]
        assert precision(plain).score == pytest.approx(known, abs=1e-12)
        expected = CASE["expected"]["hotcoco_1.3.0 with hierarchy"]["AP"]
        for hierarchy in (tree, {"Car": ["Vehicle"]}):
            data = reader(*paths, protocol="open-images", hierarchy=hierarchy)
            assert precision(data).score == pytest.approx(expected, abs=1e-12)
        whole = reader(*paths, protocol="open-images", hierarchy=tree, expand_predictions=True)
        expected = CASE["expected"]["hotcoco_1.3.0 with hierarchy, expand_dt"]["AP"]
        assert precision(whole).score == pytest.approx(expected, abs=1e-12)


def test_groups_of_coco_files(tmp_path):
    truth = json.loads(json.dumps(CASE["gt"]))
    for row in truth["annotations"]:
        row["iscrowd"] = int(row.pop("is_group_of"))
    truth["images"][0] |= {"neg_category_ids": [1], "not_exhaustive_category_ids": []}
    paths = files(tmp_path, truth, CASE["dt"])
    with (
        pytest.warns(DataWarning, match="1 of 2 images lack neg_category_ids"),
        pytest.warns(DataWarning, match=r"no prediction of its own, counts 0 \(Thing\)"),
    ):
        data = read_coco(*paths, protocol="open-images", hierarchy={"Car": "Vehicle", "Vehicle": "Thing"})
    assert len(data.notes) == 3
    first = data.column("ground_truths")[0]
    assert first.crowd.tolist() == [False, False, False, True]
    assert first.federated.plain()["absent"] == ["Car", "Vehicle"]
    del truth["images"][0]["neg_category_ids"], truth["images"][0]["not_exhaustive_category_ids"]
    truth["annotations"][0]["is_group_of"] = "yes"
    with pytest.raises(InputError, match=r"annotations\[0\] \(id 1\): is_group_of is 'yes'; give 0 or 1"):
        read_coco(*files(tmp_path, truth, CASE["dt"]), protocol="open-images")
    with pytest.raises(
        InputError, match="hierarchy is for objects of Open Images; pass protocol='open-images'"
    ):
        read_coco(*paths, hierarchy={"Car": "Vehicle"})
    with pytest.raises(InputError, match="expand_predictions needs hierarchy; give both"):
        read_coco(*paths, protocol="open-images", expand_predictions=True)
