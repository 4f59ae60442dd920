"""Two runs on the same images: both predictions next to each other, the largest differences first."""

import numpy as np
import pytest

from reports.html.page import find, texts, until
from reports.html.pictures.photographs import packed, photograph
from reports.html.pictures.test_cards import classified, maps, pixels, rgb
from reports.html.pictures.test_panoptic_cards import FOUND, TRUTH
from thresher import EvaluationResults
from thresher.components.detection import DetectionF1Evaluator, DetectionMatcher, Detections
from thresher.components.segmentation import (
    SegmentationMeanIouEvaluator,
    SegmentationPanopticQualityEvaluator,
)
from thresher.errors import InputError
from thresher.reports.html import html_report
from thresher.reports.html.pictures.section import pictures_section

ROOM = 500_000
BOX, OTHER, ASIDE = [20, 20, 120, 120], [200, 100, 260, 200], [150, 20, 190, 60]
IMAGES = ["same", "first", "second", "wrong"]


def detector(name, found, truths=None, ids=IMAGES):
    """A run of images with a cat and a dog; `found` are labels and boxes of each image."""
    truths = truths or [Detections.of(["cat", "dog"], [BOX, OTHER])] * len(ids)
    predictions = [
        Detections.of([label for label, _ in objects], [box for _, box in objects], [0.9] * len(objects))
        for objects in found
    ]
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]
    columns = {"id": ids, "width": [320] * len(ids), "height": [240] * len(ids)}
    columns |= {"predictions": predictions, "ground_truths": truths}
    return EvaluationResults(columns, [DetectionF1Evaluator().run(matches=matches)["result"]], name=name)


CAT, DOG = ("cat", BOX), ("dog", OTHER)
A = [[CAT, DOG], [CAT, DOG], [CAT], [CAT, DOG]]
B = [[CAT, DOG], [], [CAT, DOG], [CAT, DOG, ("cat", ASIDE)]]


@pytest.fixture
def folder(tmp_path):
    for at, name in enumerate(IMAGES):
        photograph((320, 240), at).save(tmp_path / f"{name}.jpg")
    return tmp_path


def section(first, second, folder):
    return pictures_section(first, folder, ROOM, other=second)


def test_images_are_ranked_by_objects_that_one_run_found_and_by_false_positives(folder):
    shown = section(detector("a", A), detector("b", B), folder)
    data = packed(shown.payload)
    assert [image["id"] for image in data["images"]] == ["first", "second", "wrong", "same"]
    assert data["aligned"]
    assert shown.sentences[0] == "4 of 4 images shown, 224 px; all with pictures of up to 320 px."
    assert "at scores of 0.90 in A and 0.90 in B, where F1" in shown.sentences[1]
    first = data["images"][0]
    assert [len(side["predictions"]) for side in first["sides"]] == [2, 0]
    assert [[row[6] for row in side["truths"]] for side in first["sides"]] == [[0.9, 0.9], [None, None]]
    assert list(first["pictures"]) == ["picture"]


def test_different_objects_of_equal_number_are_a_difference(folder):
    runs = (
        detector("a", [[CAT, DOG], [CAT]], ids=IMAGES[:2]),
        detector("b", [[CAT, DOG], [DOG]], ids=IMAGES[:2]),
    )
    assert [image["id"] for image in packed(section(*runs, folder).payload)["images"]] == ["first", "same"]


def test_images_are_joined_by_id_and_their_number_is_that_of_the_common_ones(folder):
    second = detector("b", [*B[:0:-1]], ids=IMAGES[:0:-1])
    shown = section(detector("a", A), second, folder)
    assert shown.sentences[0].startswith("3 of 3 images shown")
    data = packed(shown.payload)
    assert [image["id"] for image in data["images"]] == ["first", "second", "wrong"]
    assert [len(side["predictions"]) for side in data["images"][2]["sides"]] == [2, 3]


def test_runs_with_other_true_objects_are_compared_by_numbers_of_errors(folder):
    other = [Detections.of(["cat"], [BOX])] * 4
    data = packed(section(detector("a", A), detector("b", [[CAT]] * 4, other), folder).payload)
    assert not data["aligned"]
    assert data["images"][0]["id"] == "second"
    assert data["labels"] == ["cat", "dog"]


def test_a_size_that_is_unknown_holds_the_objects_of_both_runs(tmp_path):
    def without_sizes(name, box):
        run = detector(name, [[("cat", box)]], ids=["x"])
        inputs = {key: column for key, column in run.inputs.items() if key not in ("width", "height")}
        return EvaluationResults(inputs, run.results, name=name)

    runs = without_sizes("a", [0, 0, 300, 500]), without_sizes("b", [0, 0, 900, 100])
    image = packed(section(*runs, tmp_path).payload)["images"][0]
    assert image["size"] == [918, 510]


def test_label_maps_of_two_runs_share_their_colours(tmp_path):
    truth, first = maps()
    second = np.where(truth == 255, 1, truth)
    second[0] = 3

    def run(predicted):
        result = SegmentationMeanIouEvaluator(ignore=255).run(ground_truths=truth, predictions=predicted)[
            "result"
        ]
        columns = {"id": list("abc"), "ground_truths": list(truth), "predictions": list(predicted)}
        return EvaluationResults(columns, [result])

    data = packed(section(run(first), run(second), tmp_path).payload)
    assert data["labels"] == ["0", "1", "2", "3"]
    assert [(image["id"], image["kinds"]) for image in data["images"]] == [
        ("a", ["better in A"]),
        ("c", ["better in B"]),
        ("b", ["better in B"]),
    ]
    pictures = data["images"][0]["pictures"]
    assert list(pictures) == ["truth", "predicted", "errors", "predicted_b", "errors_b"]
    assert pixels(pictures["predicted_b"])[5, 5].tolist() == rgb(data["colours"][3])
    assert data["images"][0]["words"] == "A: mean IoU 1.000; B: mean IoU 0.000"


def test_segments_and_labels_of_two_runs(tmp_path):
    def run(found):
        columns = {"ground_truths": [TRUTH], "predictions": [found]}
        result = SegmentationPanopticQualityEvaluator().run(**columns)["result"]
        return EvaluationResults({"id": ["a"], **columns}, [result])

    (image,) = packed(section(run(TRUTH), run(FOUND), tmp_path).payload)["images"]
    assert image["words"] == "A: PQ 1.000; B: PQ 0.417, 2 missed, 2 false positives"
    runs = classified(tmp_path / "p"), classified(tmp_path / "p", scores=False)
    data = packed(section(*runs, tmp_path / "p").payload)
    assert {tuple(image["kinds"]) for image in data["images"]} == {("equal",)}
    assert data["images"][1]["words"] == "A: cat instead of dog, 0.80; B: cat instead of dog"
    assert list(data["images"][0]["pictures"]) == ["picture"]


def test_runs_that_cannot_be_shown_together_are_refused(folder):
    run = detector("a", A)
    with pytest.raises(InputError, match="show one run, or two that are compared, not 3"):
        html_report([run] * 3, images=folder)
    with pytest.raises(InputError, match="compare two runs of one task"):
        section(detector("b", [[CAT]], ids=["a"]), classified(folder / "p"), folder)


def test_a_comparison_is_saved_with_pictures(folder, tmp_path):
    report = detector("a", A).compare(detector("b", B))
    report.save(tmp_path / "c.html", images=folder, image_pixels=300)
    assert 'id="pictures"' in (tmp_path / "c.html").read_text(encoding="utf-8")
    for path, options, message in (
        ("c.md", {"images": folder}, "images= is an option of HTML pages of runs, not of markdown"),
        ("c.html", {"image_pixels": 300}, "image_pixels= needs images="),
    ):
        with pytest.raises(InputError, match=message):
            report.save(tmp_path / path, **options)


@pytest.mark.xdist_group("browser")
def test_both_predictions_in_a_browser(opened, folder):
    from reports.html.pictures.test_picture_page import CARDS, choose, drawn, names

    driver = opened(html_report([detector("a", A), detector("b", B)], images=folder))
    assert names(driver) == ["first", "second", "wrong", "same"]
    assert texts(driver, f"{CARDS} small")[:3] == [
        "A: no errors; B: 2 false negatives; 2 objects found only by A",
        "A: 1 false negative; B: no errors; 1 object found only by B",
        "A: no errors; B: 1 false positive",
    ]
    assert drawn(driver, f"{CARDS} .side:first-child") == {"right": 7, "truth": 7, "missed": 1}
    assert texts(driver, "#picture-controls .check small")[0] == "A 7, B 6"
    for kind, shown in (
        ("objects found only by B", ["second"]),
        ("any difference", ["first", "second", "wrong"]),
        ("background", ["wrong"]),
        ("all", ["first", "second", "wrong", "same"]),
    ):
        choose(driver, "Images with", kind)
        until(lambda shown=shown: names(driver) == shown)
    choose(driver, "First", "more errors in A")
    until(lambda: names(driver)[0] == "second")
    slider = find(driver, "[aria-label='Lowest score in B']")
    driver.execute_script("arguments[0].value = 0.95; arguments[0].dispatchEvent(new Event('input'))", slider)
    until(lambda: drawn(driver, f"{CARDS} .side:last-child") == {"missed": 8})
    find(driver, CARDS).click()
    assert texts(driver, "#picture figcaption") == ["A 1 false negative", "B 2 false negatives"]
    label = "second, A: 1 false negative"
    assert find(driver, "#picture svg.large").get_attribute("aria-label") == label
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
