"""COCO files: what is read, and how bad ones are named."""

import json
import math

import pytest

from thresher.components.detection import DetectionColumns, DetectionMatcher
from thresher.datasets._coco_keys import KeyOptions
from thresher.datasets.coco import read_coco, read_columns
from thresher.datasets.sources import opening
from thresher.datasets.sources.coco_source import open_coco
from thresher.errors import DataWarning, InputError
from thresher.files import typed_json

IMAGES = [{"id": 9, "height": 20, "width": 30}, {"id": 4, "height": 20, "width": 30}]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]
ANNOTATION = {"id": 1, "image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 10.5}
RESULT = {"image_id": 4, "category_id": 3, "bbox": [0, 0, 5, 5], "score": 0.5}
SQUARE = [1.0, 1.0, 5.0, 1.0, 5.0, 4.0, 1.0, 4.0]


def coco_files(folder, annotations=(ANNOTATION,), results=(RESULT,), **changes):
    instances = {"images": IMAGES, "annotations": list(annotations), "categories": CATEGORIES} | changes
    (folder / "truth.json").write_text(json.dumps(instances))
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


def predicted_data_set(categories=CATEGORIES, images=IMAGES, **changes):
    rows = [RESULT | {"id": 5, "area": 25.0} | changes]
    rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return {"images": list(images), "categories": list(categories), "annotations": rows}


@pytest.mark.parametrize("small", [1_000_000, 0])
@pytest.mark.parametrize("changes", [{}, {"score": None, "attributes": {"occluded": False, "score": 0.5}}])
def test_predictions_may_be_a_data_set_with_scores(tmp_path, monkeypatch, small, changes):
    monkeypatch.setattr(opening, "SMALL", small)
    shapes = {"segmentation": [SQUARE]}, {"segmentation": [SQUARE]}, {"keypoints": [1, 1, 2]}
    for geometries, shape in zip(("boxes", "masks", "keypoints"), shapes, strict=True):
        files = coco_files(tmp_path, (ANNOTATION | shape,), predicted_data_set(**changes, **shape))
        data = open_coco(*files, geometries=geometries)
        assert data.notes == ("the predictions are the annotations of a COCO data set",)
        found, none = data.head(2).column("predictions")
        assert (str(found.labels[0]), found.scores.tolist(), found.areas.tolist()) == ("cat", [0.5], [25.0])
        assert len(none) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            predicted_data_set(score=None),
            r"annotations\[0\] \(id 5\) has no 'score'; each prediction has one, or",
        ),
        (
            predicted_data_set(score=None, attributes={"x": 1}),
            r"\[0\] \(id 5\) has no 'score'; each prediction",
        ),
        (
            predicted_data_set(attributes={"score": "high"}, score=None),
            "score is 'high'; give a finite number",
        ),
        ({"annotations": 5}, "is not a list of results, .*, or a data set whose annotations have a score"),
        (
            {"predictions": [RESULT]},
            "is not a list of results, .*, or a data set whose annotations have a score",
        ),
        (
            predicted_data_set([{"id": 3, "name": "dog"}, {"id": 7, "name": "cat"}]),
            r"3 is 'dog', and in the ground truth 'cat': .* by name with labels=\{number: name\} with",
        ),
    ],
)
def test_data_sets_that_cannot_be_predictions_are_named(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_coco(*coco_files(tmp_path, results=content))


def test_categories_of_predictions_are_matched_by_name_where_they_are_numbered_otherwise(tmp_path):
    other = [{"id": 3, "name": "dog"}, {"id": 7, "name": "cat"}]
    files = coco_files(tmp_path, results=predicted_data_set(other))
    found, _ = read_coco(*files, labels={3: "dog", 7: "cat"}).column("predictions")
    assert str(found.labels[0]) == "dog"
    alike = [{"id": 3, "name": "Cat"}, {"id": 7}, {"id": 8, "name": "bird"}, "?", {"name": 5}]
    found, _ = read_coco(*coco_files(tmp_path, results=predicted_data_set(alike))).column("predictions")
    assert str(found.labels[0]) == "cat"
    shifted = [{"id": 2, "name": "cat"}, {"id": 6, "name": "dog"}]
    files = coco_files(tmp_path, results=predicted_data_set(shifted, category_id=2))
    found, _ = read_coco(*files, class_offset=1).column("predictions")
    assert str(found.labels[0]) == "cat"


def test_images_of_predictions_are_matched_by_file_name_where_they_are_numbered_otherwise(tmp_path):
    named = [row | {"file_name": name} for row, name in zip(IMAGES, ("a.jpg", "b.jpg"), strict=True)]
    swapped = [row | {"file_name": name} for row, name in zip(IMAGES, ("x/b.jpg", "x/a.jpg"), strict=True)]
    files = coco_files(tmp_path, results=predicted_data_set(images=swapped), images=named)
    with pytest.warns(
        DataWarning, match="the predictions name images by file_name without its folder, not by id"
    ):
        first, second = read_coco(*files).column("predictions")
    assert [len(first), len(second)] == [0, 1]
    first, second = read_coco(*files, image_key="id").column("predictions")
    assert [len(first), len(second)] == [1, 0]


def test_what_is_told_of_coco_images_are_columns(tmp_path):
    images = [{"id": 9, "scene": "day", "height": 20, "tags": ["a"]}, {"id": 4, "height": 30}]
    data = read_coco(*coco_files(tmp_path, images=images))
    assert set(data.columns) == {"scene", "height", "ground_truths", "predictions"}
    assert list(data.column("scene")) == [None, "day"]
    assert list(data.column("height")) == [30, 20]


def test_ids_that_are_written_with_a_point_are_whole_numbers(tmp_path):
    rows = (RESULT | {"image_id": 4.0},)
    data = read_coco(*coco_files(tmp_path, results=rows, images=[{"id": 4.0}, {"id": 9.0}]))
    assert list(data.ids) == ["4", "9"]
    assert [len(each) for each in data.column("predictions")] == [1, 0]


def test_an_area_that_is_not_told_is_that_of_the_box(tmp_path):
    data = read_coco(*coco_files(tmp_path, (ANNOTATION | {"area": None},)))
    assert data.column("ground_truths")[1].areas.tolist() == [12]


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
        ("annotations", {"area": float("nan")}, r"annotations\[0\] \(id 1\): area is nan; give a number"),
        ("annotations", {"area": -1}, r"area is -1; give a number of at least 0, or leave it out"),
        ("annotations", {"area": "large"}, r"area is 'large'"),
        ("annotations", {"iscrowd": "0"}, r"annotations\[0\] \(id 1\): iscrowd is '0'; give 0 or 1"),
        ("results", {"image_id": [4]}, r"results\[0\]: image_id is \[4\]; give a whole number or a text"),
        ("results", {"score": math.nan}, r"results\[0\]: score is nan; give a finite number"),
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
        ({"images": [*IMAGES, {"id": "7"}]}, r"images\[2\] \(id 7\): ids of images are numbers and texts"),
        ({"images": [{"id": None}]}, r"images\[0\] \(id None\): id is None; give a whole number or a text"),
        ({"categories": [{"id": 3, "name": []}]}, r"categories\[0\] \(id 3\): name is \[\]; give a text"),
        ({"categories": [*CATEGORIES, {"id": 8, "name": "cat"}]}, "two categories are called 'cat'"),
        ({"annotations": [{"id": 1, "category_id": 3, "bbox": [0, 0, 1, 1]}]}, "has no 'image_id'"),
        ({"annotations": ["text"]}, r"annotations\[0\] has no 'id'"),
        ({"results": {"a": 1}}, "found.json is not a list of results"),
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
        ({"size": [20, 30], "counts": "~~"}, "segmentation: compressed run lengths are damaged"),
        ([[1.0, 2.0, 3.0]], "segmentation: a polygon is a list of x, y"),
        ([], "segmentation: a polygon becomes a mask if it has points"),
        (None, "segmentation: None is not a shape; give polygons or run lengths"),
        ([[1.0, 2.0, "a", 4.0, 5.0, 6.0]], "segmentation: a polygon is a list of finite numbers"),
        ([[1.0, 2.0, float("nan"), 4.0, 5.0, 6.0]], "segmentation: a polygon is a list of finite numbers"),
        ([[0, 0, 1e12, 0, 1e12, 1e12]], "segmentation: a polygon is more than 1,000,000 pixels away"),
        ({"size": [20, 30], "counts": [0, -3, 603]}, "segmentation: run lengths are integers"),
        ({"size": [20, 30], "counts": [0, 0.5, 599.5]}, "segmentation: run lengths are integers"),
        ({"size": "2x", "counts": [600]}, "segmentation: the size of a mask is .height, width., not '2x'"),
    ],
)
def test_bad_coco_shapes_are_named(tmp_path, shape, message):
    files = coco_files(tmp_path, (ANNOTATION | {"segmentation": shape},), ())
    with pytest.raises(InputError, match=r"annotations\[0\] \(id 1\): " + message):
        read_coco(*files, geometries="masks")


@pytest.mark.parametrize("height", [10**30, 2**31, -1, "20", None, 20.0])
def test_an_image_of_no_usable_size_is_named(tmp_path, height):
    images = [IMAGES[0] | {"height": height}, IMAGES[1]]
    files = coco_files(tmp_path, (ANNOTATION | {"segmentation": [SQUARE]},), (), images=images)
    with pytest.raises(
        InputError, match=r"annotations\[0\] .*: a polygon becomes a mask if it has points and"
    ):
        read_coco(*files, geometries="masks")


def test_a_folder_is_not_read_as_a_file(tmp_path):
    with pytest.raises(InputError, match="is a directory; give the path of a file"):
        read_coco(tmp_path)


def test_what_is_no_json_is_named_with_its_line(tmp_path):
    (tmp_path / "bad.json").write_text("{\n,}")
    with pytest.raises(InputError, match=r"bad.json:2: not JSON"):
        read_coco(tmp_path / "bad.json")
    with pytest.raises(InputError, match="geometries='circles' is unknown"):
        read_coco(tmp_path / "bad.json", geometries="circles")


@pytest.mark.parametrize(
    "changes",
    [
        {"images": [IMAGES[0], IMAGES[1] | {"neg_category_ids": []}]},
        {"images": [IMAGES[0] | {"not_exhaustive_category_ids": [3]}, IMAGES[1]]},
        {"categories": [CATEGORIES[0], CATEGORIES[1] | {"frequency": "r"}]},
    ],
)
@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_lvis_is_never_read_as_coco_without_a_word(tmp_path, changes):
    paths = coco_files(tmp_path, **changes)
    for protocol, note in (("auto", "do not count"), ("lvis", "do not count"), ("coco", "count as wrong")):
        data = read_coco(*paths, protocol=protocol)
        assert data.notes[0].startswith("an LVIS file")
        assert data.notes[0].endswith(note)
        truths = DetectionColumns.of(data.column("ground_truths"))
        assert (truths.federated is None) == (protocol == "coco")


def test_a_frequency_that_is_not_of_lvis_is_read(tmp_path):
    categories = [each | {"frequency": 17} for each in CATEGORIES]
    assert len(read_coco(*coco_files(tmp_path, categories=categories))) == 2


@pytest.mark.parametrize("geometries", [None, "masks"])
@pytest.mark.parametrize("with_box", [True, False])
def test_keypoints_are_refused(tmp_path, geometries, with_box):
    points = {"keypoints": [1, 1, 2], "segmentation": [SQUARE]}
    result = {key: RESULT[key] for key in RESULT if with_box or key != "bbox"} | points
    with pytest.raises(InputError, match=r"found.json: results\[0\] has keypoints: .*geometries='keypoints'"):
        read_coco(
            *coco_files(tmp_path, (ANNOTATION | {"segmentation": [SQUARE]},), (result,)),
            geometries=geometries,
        )
    with pytest.raises(InputError, match=r"truth.json: annotations\[0\] \(id 1\) has keypoints"):
        read_coco(*coco_files(tmp_path, (ANNOTATION | points,)), geometries=geometries)


@pytest.mark.parametrize("small", [10**6, -1])
def test_boxes_of_files_with_keypoints_are_read_on_request(tmp_path, monkeypatch, small):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", small)
    points = {"keypoints": [1, 1, 2]}
    with pytest.raises(InputError, match="to compare the boxes of this file, pass geometries='boxes'"):
        open_coco(*coco_files(tmp_path, (ANNOTATION | points,)))
    data = open_coco(*coco_files(tmp_path, (ANNOTATION | points,), (RESULT | points,)), geometries="boxes")
    items = data.slice(0, len(data))
    plain = read_coco(*coco_files(tmp_path, (ANNOTATION,), (RESULT,)))
    for side in ("ground_truths", "predictions"):
        read, expected = ([entry.to_dict() for entry in data.column(side)] for data in (items, plain))
        assert read == expected


@pytest.mark.parametrize("name", ["found.csv", "found.parquet", "folder"])
def test_predictions_in_another_form_are_named(tmp_path, name):
    path = tmp_path / name
    path.mkdir() if name == "folder" else path.write_text("image,score")
    for read in (read_coco, open_coco):
        with pytest.raises(InputError, match=f"{name} is a (table|folder): predictions for a COCO file"):
            read(coco_files(tmp_path)[0], path)


def test_keypoints_are_read(tmp_path):
    truth = ANNOTATION | {"keypoints": [1, 2, 2, 30, 40, 0], "num_keypoints": 7}
    result = {key: value for key, value in RESULT.items() if key != "bbox"} | {
        "keypoints": [1, 2, 0.5, 9, 5, 1]
    }
    data = read_coco(
        *coco_files(tmp_path, (truth,), (result, {**result, "bbox": [0, 0, 3, 3]})), geometries="keypoints"
    )
    true, found = (DetectionColumns.of(data.column(name)) for name in ("ground_truths", "predictions"))
    assert true.keypoints.points.tolist() == [[[1, 2, 2], [30, 40, 0]]]
    assert (true.keypoints.counts.tolist(), true.areas.tolist()) == ([7], [ANNOTATION["area"]])
    assert found.boxes.tolist() == [[1, 2, 9, 5], [0, 0, 3, 3]]
    assert found.areas.tolist() == [24, 9]


@pytest.mark.parametrize("with_truths", [True, False])
def test_no_keypoints_on_one_side_are_read_as_columns(tmp_path, monkeypatch, with_truths):
    points = {"keypoints": [1, 2, 2, 30, 40, 0]}
    sides = ([ANNOTATION | points], ()) if with_truths else ((), (RESULT | points,))
    files = coco_files(tmp_path, *sides)
    options = KeyOptions.of(labels=None, class_offset=0, image_key="auto")
    data = read_columns(*files, options, geometries="keypoints")  # raises for what needs the other reader
    monkeypatch.setattr("thresher.datasets.coco.IN_COLUMNS", ())
    true, found = (DetectionColumns.of(data.column(name)) for name in ("ground_truths", "predictions"))
    assert (true.objects, found.objects) == (with_truths, not with_truths)
    assert data.fingerprint() == read_coco(*files, geometries="keypoints").fingerprint()
    assert (
        len(
            DetectionMatcher(compare_as="keypoints", sigmas=[0.1, 0.1]).run(
                predictions=found, ground_truths=true
            )["matches"]
        )
        == 2
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, r"truth.json: annotations\[1\] \(id 2\) has no 'keypoints'"),
        (
            {"keypoints": [1, 2]},
            r"annotations\[1\] \(id 2\): keypoints has 2 numbers; give x, y and visibility",
        ),
        (
            {"keypoints": [1, 2, "3"]},
            r"annotations\[1\].*keypoints is \[1, 2, '3'\]; give x, y and visibility",
        ),
        ({"keypoints": [1, 2, 2] * 2, "num_keypoints": -1}, "num_keypoints is -1; give a whole number"),
    ],
)
def test_keypoints_that_cannot_be_read(tmp_path, changes, message):
    rows = ANNOTATION | {"id": 1, "keypoints": [1, 2, 2, 3, 4, 1]}, ANNOTATION | {"id": 2} | changes
    with pytest.raises(InputError, match=message):
        read_coco(*coco_files(tmp_path, rows), geometries="keypoints")


def test_annotations_without_a_keypoint_are_read(tmp_path):
    """Tools for several tasks write an empty list, or null, where an object has no keypoints."""
    data = read_coco(*coco_files(tmp_path, (ANNOTATION | {"keypoints": [], "num_keypoints": 0},)))
    assert len(data.column("ground_truths")[1]) == 1


def test_other_geometries_are_proposed_only_where_they_are_there(tmp_path):
    result = {key: value for key, value in RESULT.items() if key != "bbox"}
    with pytest.raises(InputError, match=r"results\[0\] has no 'bbox'; read masks instead"):
        read_coco(*coco_files(tmp_path, results=(result | {"segmentation": [SQUARE]},)))
    with pytest.raises(
        InputError, match=r"results\[0\] has no 'bbox'; it is a rotated box: read it with geom"
    ):
        read_coco(*coco_files(tmp_path, results=(result | {"poly": [0] * 8},)))
    points = result | {"keypoints": [1, 1, 2]}
    with pytest.raises(InputError, match="has no 'bbox'; it has keypoints alone, which are for the recipe"):
        read_coco(*coco_files(tmp_path, results=(points,)), geometries="boxes")
    with pytest.raises(InputError, match=r"results\[0\] has no 'bbox'$"):
        read_coco(*coco_files(tmp_path, results=(result,)))


def test_usual_files_are_read_as_columns(tmp_path, monkeypatch):
    """The reader with messages makes a dictionary per object, which takes ten times as long."""
    files = coco_files(
        tmp_path, (ANNOTATION | {"segmentation": [SQUARE], "iscrowd": 1},), (RESULT | {"id": 5},)
    )
    expected = read_coco(*files)
    monkeypatch.setattr("thresher.datasets.coco.CocoList", None)
    if typed_json.parser() is None:
        pytest.skip("msgspec is for CPython only")
    data = read_coco(*files)
    for name in ("ground_truths", "predictions"):
        plain = [[image.to_dict() for image in read.column(name)] for read in (data, expected)]
        assert plain[0] == plain[1]
    assert data.column("predictions")[0].ids == (5,)
    assert type(data.column("predictions")[0].ids[0]) is int


@pytest.mark.parametrize(
    ("annotation", "result"),
    [
        ({"image_id": 9.0}, {}),
        ({"note": "\ud83d"}, {"note": float("nan")}),
        ({"area": None}, {"id": None}),
        ({"keypoints": None}, {"keypoints": []}),
    ],
)
def test_unusual_files_are_read_too(tmp_path, annotation, result):
    files = coco_files(tmp_path, (ANNOTATION | annotation,), (RESULT | result,))
    assert [len(image) for image in read_coco(*files).column("predictions")] == [1, 0]
    assert read_coco(files[0]).column("ground_truths")[1].boxes.tolist() == [[1, 2, 4, 6]]
