"""Results name images by ids or file names, and categories by ids or class numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
from thresher.datasets import read_coco
from thresher.datasets.sources.coco_source import CocoSource, open_coco
from thresher.errors import DataWarning, InputError
from thresher.files import typed_json
from thresher.kernels.detection.columns import DetectionColumns

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/vision2/src_01_ultralytics_predictions.json").read_text()
)
TRUTH, RESULTS = GOLDEN["input"]["gt"], GOLDEN["input"]["predictions"]


@pytest.fixture(params=["whole", "by image"])
def read(request, tmp_path, monkeypatch):
    """Read the contents of a ground truth and of results, whole and by image."""
    if request.param == "by image":
        monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
        monkeypatch.setattr("thresher.datasets.sources.coco_source._COLUMNS", 0)
        monkeypatch.setattr("thresher.datasets.sources.coco_source.FINGERPRINT_ROWS", 2)

    def read(truth=TRUTH, results=RESULTS, **options):
        for name, content in (("truth", truth), ("found", results)):
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        paths = tmp_path / "truth.json", tmp_path / "found.json"
        if request.param == "whole":
            return read_coco(*paths, **options)
        source = open_coco(*paths, **options)
        assert isinstance(source, CocoSource)
        data = source.slice(0, len(source))
        object.__setattr__(data, "notes", source.notes)
        return data

    return read


def images_of(data):
    """The image id of each prediction, in the order of the images and then of the file."""
    owners = DetectionColumns.of(data.column("predictions")).owners
    return [int(data.ids[at]) for at in owners]


def without(rows, *names):
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


def test_predictions_of_ultralytics_are_matched_by_file_name(read):
    """The id 42 made from 000042.jpg is that of another image."""
    with pytest.warns(DataWarning, match="name images by file_name without its folder, not by id"):
        data = read()
    assert images_of(data) == sorted(GOLDEN["expected"]["image_of_prediction"])
    matcher = DetectionMatcher().run(
        predictions=data.column("predictions"), ground_truths=data.column("ground_truths")
    )
    result = DetectionCocoEvaluator().run(matches=matcher["matches"])["result"]
    values = {"map": "AP", "map_50": "AP50", "mar_100": "AR100"}
    for name, peer in values.items():
        expected = GOLDEN["expected"]["coco"][peer]
        assert result.value(f"detection_coco_{name}") == pytest.approx(expected, abs=1e-12)


def test_ids_that_are_stems_are_matched_without_file_names(read):
    """Files of earlier versions have no `file_name`; the id 42 alone would not show it."""
    with pytest.warns(DataWarning, match="image_id, read as a file name without its suffix"):
        data = read(results=without(RESULTS, "file_name"))
    assert images_of(data) == sorted(GOLDEN["expected"]["image_of_prediction"])


def test_file_names_are_matched_as_paths_before_their_last_parts(read):
    truth = {
        **TRUTH,
        "images": [{"id": 1, "file_name": "a/1.jpg"}, {"id": 2, "file_name": "b/1.jpg"}],
        "annotations": [],
    }
    rows = [{**RESULTS[0], "image_id": 7, "file_name": name} for name in ("b/1.jpg", "a/1.jpg", "b/1.jpg")]
    with pytest.warns(DataWarning, match="name images by file_name, not by id"):
        assert images_of(read(truth, rows)) == [1, 2, 2]


def test_file_names_that_agree_with_the_ids_change_nothing(read):
    rows = [{**RESULTS[0], "image_id": 7}, {**RESULTS[2], "image_id": 9}]
    data = read(results=rows)
    assert images_of(data) == [7, 9]
    assert data.notes == ()


def test_ids_that_are_also_names_of_other_images_are_read_as_ids_with_a_warning(read):
    images = [{"id": 1, "file_name": "2.jpg"}, {"id": 2, "file_name": "1.jpg"}]
    truth = {**TRUTH, "images": images, "annotations": []}
    rows = without([{**RESULTS[0], "image_id": 1}], "file_name")
    with pytest.warns(
        DataWarning,
        match=r"read as an id, but every one is the name .* and not always .* image_key='file_name'",
    ):
        assert images_of(read(truth, rows)) == [1]
    data = read(truth, rows, image_key="file_name")
    assert images_of(data) == [2]
    assert data.notes == ("the predictions name images by file_name",)
    data = read(truth, rows, image_key="id")
    assert images_of(data) == [1]
    assert data.notes == ("the predictions name images by id",)


def test_an_unknown_file_name_is_refused(read):
    message = r"file_name 'c.jpg' is the file name of none of the images; to .* image_key='id'"
    with pytest.raises(InputError, match=message):
        read(results=[{**RESULTS[0], "file_name": "c.jpg"}, *RESULTS[1:]])


def test_two_images_of_a_name_are_refused(read):
    images = [{"id": 1, "file_name": "a/x.jpg"}, {"id": 2, "file_name": "b/x.jpg"}]
    truth = {**TRUTH, "images": images, "annotations": []}
    rows = [{**RESULTS[0], "file_name": "x.jpg"}]
    with pytest.raises(
        InputError, match=r"file_name 'x.jpg' is the file name of more than one of the images"
    ):
        read(truth, rows, image_key="file_name")


def test_class_numbers_from_0_are_refused_with_both_remedies(read):
    rows = [
        {**row, "category_id": row["category_id"] - 1, "image_id": 7} for row in without(RESULTS, "file_name")
    ]
    message = (
        r"category_id 0 is none of the categories, 1 \(cat\), 2 \(dog\); for class numbers of a model, pass "
        r"labels=\[...\] with its labels, or class_offset=1 if numbering starts elsewhere"
    )
    with pytest.raises(InputError, match=message):
        read(results=rows)
    with pytest.raises(
        InputError, match=r"category_id 1 is none of the categories, -1 \(cat\), 0 .*class_offset=1 if"
    ):
        read(results=rows, class_offset=2)
    shifted = read(results=rows, class_offset=1)
    named = read(results=rows, labels=["cat", "dog"])
    for data in (shifted, named):
        assert [str(label) for label in data.column("predictions")[0].labels] == [
            "cat",
            "dog",
            "cat",
            "dog",
            "cat",
        ]
    assert shifted.notes == ("+1 was added to category_id of the predictions",)
    assert named.notes == ("the predictions name categories by the numbers of the labels given",)


def test_labels_count_from_the_offset_and_may_be_unknown_to_the_truth(read):
    rows = [{**RESULTS[0], "image_id": 7, "category_id": at} for at in (1, 2, 3)]
    for labels, offset in ((["dog", "cat", "cow"], -1), ({1: "dog", "2": "cat", 3: "cow"}, 0)):
        data = read(results=rows, labels=labels, class_offset=offset)
        assert [str(label) for label in data.column("predictions")[0].labels] == ["dog", "cat", "cow"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "cat"}, "must be a list of labels, or a dict number -> label"),
        ({"labels": {"a": "cat"}}, "labels: 'a': 'cat' is not a whole number and its label"),
        ({"labels": ["cat", " "]}, "labels: 1: ' ' is not a whole number and its label"),
        ({"class_offset": 0.5}, "class_offset=0.5 must be a whole number"),
        ({"image_key": "stem"}, "image_key"),
    ],
)
def test_options_of_another_type_are_refused(read, options, message):
    with pytest.raises(InputError, match=message):
        read(**options)


def shifted(step, images=12):
    """A ground truth of three categories in turn, and results whose category ids are lower by a step."""
    labels = [{"id": at, "name": name} for at, name in enumerate("abcd", start=1)]
    rows = [
        {"id": at + 1, "image_id": at, "category_id": 2 + at % 2, "bbox": [0, 0, 9, 9]}
        for at in range(images)
    ]
    truth = {"images": [{"id": at} for at in range(images)], "annotations": rows, "categories": labels}
    results = [
        {
            "image_id": row["image_id"],
            "category_id": row["category_id"] - step,
            "bbox": [0, 0, 9, 8],
            "score": 0.5,
        }
        for row in rows
    ]
    return truth, results


@pytest.mark.parametrize(("step", "where"), [(1, "before"), (-1, "after")])
def test_class_numbers_that_are_shifted_by_one_give_a_warning(read, step, where):
    message = (
        f"12 of 12 predictions that overlap a true object have the class number {where} its own, "
        f"and 0 the same: .*pass class_offset={step}"
    )
    with pytest.warns(DataWarning, match=message):
        data = read(*shifted(step))
    assert len(data.notes) == 1
    assert read(*shifted(step), class_offset=step).notes == (
        f"{step:+d} was added to category_id of the predictions",
    )


def test_a_few_shifted_or_other_wrong_labels_give_no_warning(read):
    assert read(*shifted(1, images=9)).notes == ()
    truth, results = shifted(1)
    assert read(truth, [{**row, "category_id": 4} for row in results[:6]] + shifted(0)[1]).notes == ()


def test_predictions_without_low_scores_give_a_warning(read):
    truth, results = shifted(0)
    rows = [{**row, "score": score} for row in results for score in np.linspace(0.25, 1, 9).tolist()]
    with pytest.warns(DataWarning, match=r"the lowest score of 108 predictions is 0.25: .*from 0.001 on$"):
        assert len(read(truth, rows).notes) == 1
    assert read(truth, rows[:90]).notes == ()
    assert read(truth, [*rows, {**rows[0], "score": 0.01}]).notes == ()


def test_rotated_boxes_of_ultralytics_are_read_as_polygons(read):
    corners = [10, 10, 20, 10, 20, 30, 10, 30]
    truth = {**TRUTH, "annotations": [{**TRUTH["annotations"][0], "segmentation": [corners]}]}
    rows = [{**without(RESULTS[:1], "bbox")[0], "rbox": [15, 20, 10, 20, 0.0], "poly": corners}]
    with pytest.warns(DataWarning, match="name images by"):
        image = read(truth, rows, geometries="polygons").column("predictions")[0]
    assert image.boxes.tolist() == [[10, 10, 20, 30]]
    assert image.geometries[0].parts[0][0].tolist() == np.reshape(corners, (4, 2)).tolist()


def test_boxes_of_ultralytics_are_read_as_columns(tmp_path, monkeypatch):
    """The reader with messages makes a dictionary per object, which takes five times as long."""
    if typed_json.parser() is None:
        pytest.skip("msgspec is for CPython only")
    monkeypatch.setattr("thresher.datasets.coco.CocoList", None)
    for name, content in (("truth", TRUTH), ("found", RESULTS)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    with pytest.warns(DataWarning, match="name images by file_name without its folder"):
        data = read_coco(tmp_path / "truth.json", tmp_path / "found.json")
    assert images_of(data) == sorted(GOLDEN["expected"]["image_of_prediction"])
