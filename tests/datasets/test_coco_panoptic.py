"""COCO's panoptic files: JSON and PNG."""

import json
import warnings

import numpy as np
import pytest
from PIL import Image

from panoptic_cases import STEM, colours, plain_counts, plain_means, random_images, write
from thresher.components.segmentation import SegmentationPanopticQualityEvaluator
from thresher.datasets import read_coco_panoptic
from thresher.errors import DataWarning, InputError


@pytest.fixture
def images():
    return [dict(zip((7, 3, 5), side, strict=True)) for side in random_images(2, images=3)]


@pytest.fixture
def files(images, tmp_path):
    return write(tmp_path / "gt.json", images[0]), write(tmp_path / "found.json", images[1])


def score(data, **options):
    columns = {name: data.column(name) for name in ("ground_truths", "predictions")}
    return SegmentationPanopticQualityEvaluator(**options).run(**columns)["result"]


def test_files_are_read_image_by_image(files, images):
    data = read_coco_panoptic(*files)
    assert (list(data.ids), list(data.column("scene")), data.name) == (["3", "5", "7"], ["day"] * 3, "gt")
    expected = plain_means([plain_counts(images[0][image], images[1][image]) for image in (3, 5, 7)])
    result = score(data)
    endings = {
        "": ("all", 0),
        "_sq": ("all", 1),
        "_rq": ("all", 2),
        "_things": ("thing", 0),
        "_stuff": ("stuff", 0),
    }
    for ending, (kind, at) in endings.items():
        assert result.value(STEM + ending) == pytest.approx(expected[kind][at])
    assert score(data, area="json").score == result.score
    assert "predictions" not in read_coco_panoptic(files[0]).columns


def test_folders_of_png_files(files, tmp_path):
    whole = score(read_coco_panoptic(*files)).score
    for name in ("gt", "found"):
        (tmp_path / name).rename(tmp_path / f"{name}_maps")
    with pytest.raises(InputError, match=r"7.png does not exist; pass gt_folder=..., the folder of the PNG"):
        read_coco_panoptic(*files)
    folders = {"gt_folder": tmp_path / "gt_maps", "pred_folder": tmp_path / "found_maps"}
    assert score(read_coco_panoptic(*files, **folders)).score == whole
    for path in (tmp_path / "gt_maps").iterdir():  # next to the JSON file
        path.rename(tmp_path / path.name)
    assert score(read_coco_panoptic(*files, pred_folder=folders["pred_folder"])).score == whole


def test_images_that_only_one_file_has(files, images, tmp_path):
    rest = {image: entry for image, entry in images[1].items() if image != 3}
    partial = write(tmp_path / "partial.json", rest)
    with pytest.warns(
        DataWarning, match=r"has no annotation for 1 of 3 images, e.g. 3: all their true segments"
    ):
        data = read_coco_panoptic(files[0], partial)
    assert data.notes[0].endswith("count as missed")
    nothing = {"segmentation": np.zeros_like(images[0][3]["segmentation"]), "segments_info": []}
    found = {**images[1], 3: nothing}
    counts = [plain_counts(images[0][image], found[image]) for image in (3, 5, 7)]
    assert score(data).score == pytest.approx(plain_means(counts)["all"][0])
    truths = write(tmp_path / "few.json", {image: images[0][image] for image in (3, 5)})
    with pytest.raises(InputError, match=r"found.json: annotations\[0\]: image_id 7 is none of the images"):
        read_coco_panoptic(truths, files[1])
    content = json.loads(files[0].read_text())
    content["images"].append({"id": 9, "file_name": "9.jpg"})  # not annotated
    files[0].write_text(json.dumps(content))
    assert len(read_coco_panoptic(*files)) == 3
    del content["images"]
    files[0].write_text(json.dumps(content))
    assert list(read_coco_panoptic(*files).ids) == ["3", "5", "7"]


def _first(change):
    return lambda content: content["annotations"][0].update(change)


def _segment(change):
    return lambda content: content["annotations"][0]["segments_info"][0].update(change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("annotations"), "found.json has no list 'annotations'; a panoptic file"),
        (
            lambda content: content["annotations"].append(content["annotations"][0]),
            "another annotation has its",
        ),
        (_first({"segments_info": None}), r"annotations\[0\] has no 'segments_info'; is it a file of COCO's"),
        (_first({"segments_info": 3}), r"annotations\[0\]: segments are int; give a list"),
        (_first({"file_name": None}), r"annotations\[0\]: file_name is None; give the name of its PNG file"),
        (_first({"file_name": "../7.png"}), r"file_name '../7.png' leads out of .*found; give a name in it"),
        (_first({"file_name": "8" * 5000}), "8 does not exist; pass pred_folder=..., the folder of the PNG"),
        (_first({"file_name": "8.png"}), "8.png does not exist; pass pred_folder=..., the folder of the PNG"),
        (
            _segment({"category_id": 77}),
            r"segments_info\[0\] \(id \d+\): category_id 77 is none of the categories",
        ),
        (_segment({"id": 0}), r"segments_info\[0\] has the id 0, which means no segment"),
        (_segment({"iscrowd": "no"}), r"annotations\[0\]: segments_info\[0\]: iscrowd is 'no'; give 0 or 1"),
    ],
)
def test_what_does_not_fit_is_named(files, change, message):
    content = json.loads(files[1].read_text())
    change(content)
    files[1].write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        read_coco_panoptic(*files)


@pytest.mark.parametrize("key", [{}, [1], None])
def test_ids_of_images_are_numbers_or_texts(files, key):
    content = json.loads(files[0].read_text())
    content["images"][0]["id"] = key
    files[0].write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"gt.json: images\[0\] .*id is .*give a whole number or a text"):
        read_coco_panoptic(*files)


def test_categories_say_what_is_a_thing(files):
    content = json.loads(files[0].read_text())
    content["categories"][1]["isthing"] = "yes"
    files[0].write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"categories\[1\] \(id 20\): isthing is 'yes'; give 0 or 1"):
        read_coco_panoptic(*files)


@pytest.mark.parametrize(
    ("mode", "form", "message"),
    [
        (
            "L",
            "PNG",
            r"3.png is grey; ids of segments are colours, id = R \+ 256 G \+ 65536 B: save it as an RGB",
        ),
        ("P", "PNG", "3.png is of a palette; ids"),
        ("RGBA", "PNG", "3.png is with transparency; ids"),
        ("RGB", "JPEG", "3.png is JPEG, which changes colours; ids need a PNG file"),
    ],
)
def test_other_pictures_are_refused(files, tmp_path, mode, form, message):
    path = tmp_path / "found" / "3.png"
    Image.open(path).convert(mode).save(path, form)
    data = read_coco_panoptic(*files)
    with pytest.raises(InputError, match=rf"^ground_truths\[0\] against its prediction: .*{message}"):
        score(data)


def test_a_file_with_other_ids_than_its_list_is_named(files, tmp_path):
    colours(np.full((9, 14), 5)).save(tmp_path / "found" / "5.png")
    with pytest.raises(
        InputError, match=r"ground_truths\[1\] against its prediction: .*5.png: pixels have the id 5"
    ):
        score(read_coco_panoptic(*files))


def test_no_warning_for_complete_predictions(files):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_coco_panoptic(*files).notes == ()
