"""Label maps with their difference, and the most confident errors of a classifier."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reports.html.page import find, texts, until
from reports.html.pictures.photographs import packed, photograph
from thresher import EvaluationResults, evaluate
from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationCalibrationErrorEvaluator,
)
from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.kernels.detection.rasters import Raster
from thresher.reports.html import html_report
from thresher.reports.html.pictures.section import pictures_section
from thresher.reports.html.pictures.small_maps import LABELS, colour, palette

NAMES = {0: "road", 1: "sky", 2: "car"}


def opened_picture(address):
    head, _, content = address.partition(",")
    assert head in ("data:image/png;base64", "data:image/jpeg;base64")
    return Image.open(io.BytesIO(base64.b64decode(content, validate=True)))


def pixels(address):
    return np.asarray(opened_picture(address).convert("RGB"))


def rgb(text):
    return [int(text[at : at + 2], 16) for at in (1, 3, 5)]


def maps(size=(60, 80)):
    """A perfect image, one with a wrong corner, and one that is all wrong; the first row does not count."""
    truth = np.zeros((3, *size), np.uint8)
    truth[:, : size[0] // 2] = 1
    truth[:, 0] = 255
    predicted = np.where(truth == 255, 1, truth)
    predicted[1, -10:, -10:] = 2
    predicted[2] = 2
    return truth, predicted


@pytest.fixture
def segmented(tmp_path):
    """A run over PNG files, and the folder of its photographs."""
    sides = {}
    for name, arrays in zip(("ground_truths", "predictions"), maps(), strict=True):
        (tmp_path / name).mkdir()
        sides[name] = [str(tmp_path / name / f"m{at}.png") for at in range(len(arrays))]
        for path, array in zip(sides[name], arrays, strict=True):
            Image.fromarray(array).save(path)
    (tmp_path / "photos").mkdir()
    for at in range(2):
        photograph((80, 60), at).save(tmp_path / "photos" / f"m{at}.jpg")
    result = SegmentationMeanIouEvaluator(labels=NAMES, ignore=255).run(**sides)["result"]
    return EvaluationResults({"id": ["m0", "m1", "m2"], **sides}, [result]), tmp_path


def test_label_maps_are_next_to_their_difference_the_worst_first(segmented):
    run, folder = segmented
    section = pictures_section(run, folder / "photos", 500_000)
    data = packed(section.payload)
    assert [image["id"] for image in data["images"]] == ["m2", "m1", "m0"]
    assert section.sentences[0] == "3 of 3 images shown, 80 px."
    assert section.problem == "1 of 3 images shown lack a picture: no picture 'm2' in the folder."
    colours = {label: rgb(text) for label, text in zip(data["labels"], data["colours"], strict=True)}
    middle = data["images"][1]
    assert middle["words"].startswith("mean IoU 0.")
    assert sorted(middle["pictures"]) == ["errors", "picture", "predicted", "truth"]
    truth, predicted, errors = (pixels(middle["pictures"][name]) for name in ("truth", "predicted", "errors"))
    assert truth.shape == (60, 80, 3)
    assert [truth[0, 0].tolist(), truth[5, 5].tolist(), truth[50, 5].tolist()] == [
        [0, 0, 0],
        colours["sky"],
        colours["road"],
    ]
    assert predicted[-1, -1].tolist() == colours["car"]
    wrong = (errors == [205, 32, 32]).all(axis=2)
    assert wrong.sum() == 100
    assert wrong[-10:, -10:].all()
    assert (errors[0] == 128).all()
    assert not (pixels(data["images"][2]["pictures"]["errors"]) == [205, 32, 32]).all(axis=2).any()


def test_large_maps_are_reduced_and_fit_the_budget(tmp_path):
    truth, predicted = maps((600, 900))
    predicted[:, 300:] = np.random.default_rng(0).integers(0, 3, (3, 300, 900))
    result = SegmentationMeanIouEvaluator(ignore=255).run(ground_truths=truth, predictions=predicted)[
        "result"
    ]
    columns = {"id": list("abc"), "ground_truths": list(truth), "predictions": list(predicted)}
    (tmp_path / "none").mkdir()
    run, room, longest = EvaluationResults(columns, [result]), 100_000, []
    for _ in range(2):
        section = pictures_section(run, tmp_path / "none", room, pixels=224)
        data = packed(section.payload)
        shown = [each for image in data["images"] for each in image["pictures"].values()]
        longest.append(max(max(opened_picture(each).size) for each in shown))
        assert len(section.payload) <= room
        assert data["labels"] == ["0", "1", "2"]
        room = len(section.payload) * 3 // 4
    assert longest == [224, 160]


def test_masks_by_label_are_painted(tmp_path):
    mask = np.zeros((20, 30), bool)
    mask[:10] = True
    entry = {"labels": ["sky"], "geometries": [Raster.of(mask)], "size": [20, 30]}
    other = {"labels": ["sky"], "geometries": [Raster.of(~mask)], "size": [20, 30]}
    result = SegmentationMeanIouEvaluator().run(ground_truths=[entry], predictions=[other])["result"]
    run = EvaluationResults({"id": ["a"], "ground_truths": [entry], "predictions": [other]}, [result])
    image = packed(pictures_section(run, tmp_path, 100_000).payload)["images"][0]
    assert pixels(image["pictures"]["truth"])[5, 5].tolist() == rgb(colour(1))
    assert pixels(image["pictures"]["predicted"])[5, 5].tolist() == [0, 0, 0]


def test_relative_paths_belong_to_the_folder_in_which_a_run_was_started(segmented, tmp_path, monkeypatch):
    run, folder = segmented
    relative = {name: [path.removeprefix(f"{folder}/") for path in run.inputs[name]] for name in run.inputs}
    monkeypatch.chdir(folder)
    evaluate([SegmentationMeanIouEvaluator(ignore=255)], relative, out="runs/a")
    assert str(folder) not in Path("runs/a/run.json").read_text()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    data = packed(pictures_section(EvaluationResults.load(folder / "runs/a"), folder, 500_000).payload)
    assert [min(image["pictures"]) for image in data["images"]] == ["errors"] * 3
    Path("alone").symlink_to(folder / "runs")
    assert EvaluationResults.load("alone/a").input_folder.samefile(folder)


def test_a_map_that_was_moved_is_reported(segmented):
    run, folder = segmented
    (folder / "predictions" / "m1.png").unlink()
    (folder / "photos" / "m2.jpg").touch()
    section = pictures_section(run, folder / "photos", 500_000)
    images = {image["id"]: image for image in packed(section.payload)["images"]}
    assert images["m1"]["problem"] == "the label map 'm1.png' is not where the run found it"
    assert images["m1"]["pictures"] == {}
    assert "m2.jpg cannot be read as an image" in images["m2"]["problem"]
    assert str(folder) not in str(images)
    assert sorted(images["m2"]["pictures"]) == ["errors", "predicted", "truth"]


def test_neighbouring_labels_have_different_colours():
    colours = np.array(palette(), float)
    assert len(palette()) == LABELS + 1
    red = np.array(palette()[1:])
    assert not ((red[:, 0] > 180) & (red[:, 1:].max(axis=1) < 80)).any(), "red marks wrong pixels"
    first = colours[:21]
    distances = np.linalg.norm(first[:, None] - first[None], axis=2)[np.triu_indices(21, 1)]
    assert distances.min() > 30


def classified(folder, scores=True):
    truths = ["cat", "dog", "cat", "dog", "cat"]
    cats = [0.9, 0.8, 0.3, 0.1, 0.55]
    found = [{"cat": cat, "dog": round(1 - cat, 2)} for cat in cats]
    found = found if scores else ["cat" if cat > 0.5 else "dog" for cat in cats]
    folder.mkdir(exist_ok=True)
    for at in range(5):
        photograph((90, 60), at).save(folder / f"f{at}.jpg")
    evaluators = [ClassificationAccuracyEvaluator()] + [ClassificationCalibrationErrorEvaluator()] * scores
    results = [each.run(ground_truths=truths, predictions=found)["result"] for each in evaluators]
    columns = {"id": list("abcde"), "file_name": [f"f{at}.jpg" for at in range(5)], "place": list("xyxyx")}
    return EvaluationResults(columns | {"ground_truths": truths, "predictions": found}, results)


def test_the_most_confident_errors_of_a_classifier_come_first(tmp_path):
    section = pictures_section(classified(tmp_path / "p"), tmp_path / "p", 500_000)
    data = packed(section.payload)
    said = [(image["id"], *image["kinds"], image["words"]) for image in data["images"]]
    assert said == [
        ("b", "wrong", "cat instead of dog, 0.80"),
        ("c", "wrong", "dog instead of cat, 0.70"),
        ("e", "right", "cat, 0.55"),
        ("a", "right", "cat, 0.90"),
        ("d", "right", "dog, 0.90"),
    ]
    assert data["facets"] == ["place"]
    without = pictures_section(classified(tmp_path / "p", scores=False), tmp_path / "p", 500_000)
    assert [image["words"] for image in packed(without.payload)["images"]][:3] == [
        "cat instead of dog",
        "dog instead of cat",
        "cat",
    ]
    assert without.sentences[1] == "First the wrong ones, then right ones."


@pytest.mark.xdist_group("browser")
def test_label_maps_and_labels_in_a_browser(opened, segmented):
    from reports.html.pictures.test_picture_page import CARDS, choose, names

    run, folder = segmented
    with pytest.warns(UserWarning, match="lack a picture"):
        driver = opened(html_report([run], images=folder / "photos"))
    assert names(driver) == ["m2", "m1", "m0"]
    assert texts(driver, "#picture-controls .label-colours li") == ["car", "road", "sky"]
    choose(driver, "Label", "car")
    until(lambda: names(driver) == ["m2", "m1"])
    widths = driver.execute_script(
        "return [...document.querySelectorAll('.card')].map((each) => "
        "[...each.querySelectorAll('img')].every((image) => "
        "image.getBoundingClientRect().right <= each.getBoundingClientRect().right + 1))"
    )
    assert widths == [True, True]
    driver.find_elements("css selector", CARDS)[1].click()
    assert texts(driver, "#picture figcaption") == ["picture", "truth", "predicted", "differences"]
    driver = opened(html_report([classified(folder / "p")], images=folder / "p"))
    assert "null" not in find(driver, "#pictures").text
    choose(driver, "Images with", "wrong")
    until(lambda: names(driver) == ["f1.jpg", "f2.jpg"])
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
