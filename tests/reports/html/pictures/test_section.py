"""Which images are shown, what the page knows of them, and what it says of absent pictures."""

import json

import numpy as np
import pytest

from reports.html.pictures.photographs import packed, photograph, run_of_images
from thresher import EvaluationResults
from thresher.components.detection import (
    DetectionBestThresholdEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
    Detections,
)
from thresher.errors import DataWarning, InputError
from thresher.files.limits import read_limits
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.rasters import Raster
from thresher.reports.html import html_report
from thresher.reports.html.pictures.objects import MOST_PREDICTIONS
from thresher.reports.html.pictures.section import pictures_section
from thresher.reports.html.pictures.worst import worst_rows

ROOM = 1_000_000


def shown(run, folder, room=ROOM, sliced=()):
    return packed(pictures_section(run, folder, room, sliced).payload)


def test_the_worst_images_come_first_with_their_objects_in_pixels(tmp_path):
    data = shown(run_of_images(tmp_path / "p"), tmp_path / "p")
    assert [image["id"] for image in data["images"]][:2] == ["i0", "i1"]
    assert (data["threshold"], data["scores"]) == (0.8, [0, 1])
    assert data["matching"] == {"matching": "coco", "iou_threshold": "0.5", "background_threshold": "0.1"}
    first, second = data["images"][:2]
    assert first["size"] == [320, 240]
    label, size, *box, score, outcome, iou = first["predictions"][1]
    assert (data["labels"][label], size, box) == ("cat", 1, [150.0, 20.0, 190.0, 60.0])
    assert (score, data["outcomes"][outcome], iou) == (0.85, "background", 0.0)
    assert [row[6:] for row in second["truths"]] == [[0.9, None, 0], [None, None, 0]]


def test_each_kind_of_error_is_among_the_images_shown():
    errors = np.zeros((5000, 6), int)
    errors[:4000, 0] = 5
    errors[4000:4005, 3] = 1
    errors[4990:, 4] = 1
    rows = worst_rows(errors, 300)
    assert len(rows) == len(set(rows.tolist())) == 300
    assert set(range(4000, 4005)) | set(range(4990, 5000)) <= set(rows.tolist())
    assert (np.diff(errors.sum(axis=1)[rows]) <= 0).all()
    assert worst_rows(errors, 1).tolist() == [0]
    assert len(worst_rows(errors[:0], 5)) == 0


def test_absent_and_broken_pictures_are_reported_and_drawn_without(tmp_path):
    run = run_of_images(tmp_path / "p", images=4)
    (tmp_path / "p" / "p0.jpg").unlink()
    (tmp_path / "p" / "p1.jpg").write_bytes(b"no picture")
    section = pictures_section(run, tmp_path / "p", ROOM)
    images = {image["id"]: image for image in packed(section.payload)["images"]}
    assert images["i0"]["pictures"] == {}
    assert images["i0"]["problem"] == "no picture 'p0.jpg' in the folder"
    assert "cannot be read as an image" in images["i1"]["problem"]
    assert str(tmp_path) not in json.dumps(images)
    assert images["i0"]["predictions"]
    assert section.problem.startswith("2 of 4 images shown lack a picture: no picture 'p0.jpg'")
    with pytest.warns(DataWarning, match="2 of 4 images shown lack a picture"):
        text = html_report([run], images=tmp_path / "p")
    assert "2 of 4 images shown lack a picture" in text


def test_limits_of_reading_hold_for_pictures(tmp_path):
    run = run_of_images(tmp_path / "p", images=2)
    with read_limits(pixels=10_000):
        data = shown(run, tmp_path / "p")
    assert all("320 x 240 pixels, more than 10,000" in image["problem"] for image in data["images"])


def test_images_without_a_stated_size_have_that_of_the_picture_or_of_their_objects(tmp_path):
    whole = run_of_images(tmp_path / "p", images=2)
    inputs = {name: column for name, column in whole.inputs.items() if name not in ("width", "height")}
    run = EvaluationResults(inputs, whole.results)
    (tmp_path / "p" / "p1.jpg").unlink()
    sizes = {image["id"]: image["size"] for image in shown(run, tmp_path / "p")["images"]}
    assert sizes == {"i0": [320, 240], "i1": [266, 204]}


def test_shares_of_an_image_become_pixels(tmp_path):
    (tmp_path / "p").mkdir()
    photograph((640, 480)).save(tmp_path / "p" / "x.jpg")
    truth, found = (
        Detections.of(["a"], [[0.5, 0.25, 1, 1]]),
        Detections.of(["a"], [[0.5, 0.25, 1, 0.9]], [0.5]),
    )
    run = EvaluationResults({"id": ["x"], "predictions": [found], "ground_truths": [truth]}, [])
    image = shown(run, tmp_path / "p")["images"][0]
    assert image["size"] == [640, 480]
    assert image["truths"][0][2:6] == [320, 120, 640, 480]


def test_masks_and_polygons_are_outlines(tmp_path):
    (tmp_path / "p").mkdir()
    mask = np.zeros((300, 400), bool)
    mask[50:150, 100:300] = True
    ring = [[10, 10], [90, 10], [90, 90], [10, 60]]
    truth = Detections.of(["a", "b", "c"], geometries=[Raster.of(mask), Polygons.of([ring]), [1, 1, 5, 5]])
    found = Detections.of(["a"], geometries=[Raster.of(mask)], scores=[0.9])
    run = EvaluationResults({"id": ["x"], "predictions": [found], "ground_truths": [truth]}, [])
    with pytest.warns(DataWarning, match="no picture"):
        html_report([run], images=tmp_path / "p")
    outlines = shown(run, tmp_path / "p")["images"][0]["outlines"]
    assert set(outlines) == {"p0", "t0", "t1"}
    corners = np.array(outlines["t0"][0]).reshape(-1, 2)
    assert {tuple(corner) for corner in corners.tolist()} == {(100, 50), (300, 50), (300, 150), (100, 150)}
    assert sorted(outlines["t1"][0]) == sorted(np.array(ring, float).ravel().tolist())


def test_many_predictions_are_reduced_with_a_sentence(tmp_path):
    (tmp_path / "p").mkdir()
    boxes = [[at, 0, at + 5, 5] for at in range(MOST_PREDICTIONS + 20)]
    found = Detections.of(["a"] * len(boxes), boxes, np.linspace(0, 1, len(boxes)))
    truth = Detections.of(["a"], [[0, 0, 5, 5]])
    run = EvaluationResults({"id": ["x"], "predictions": [found], "ground_truths": [truth]}, [])
    section = pictures_section(run, tmp_path / "p", ROOM)
    rows = packed(section.payload)["images"][0]["predictions"]
    assert len(rows) == MOST_PREDICTIONS
    assert rows[0][6] == 1.0
    assert any("1 image has more than 100 predictions" in line for line in section.sentences)


def test_images_without_an_entry_are_not_shown(tmp_path):
    run = run_of_images(tmp_path / "p", images=3)
    columns = {name: list(column) for name, column in run.inputs.items()}
    columns["predictions"][0] = None
    data = shown(EvaluationResults(columns, []), tmp_path / "p")
    assert sorted(image["id"] for image in data["images"]) == ["i1", "i2"]


def test_columns_of_few_entries_are_filters_and_slices_come_first(tmp_path):
    columns = {"scene": ["day", "night"] * 3, "hour": [1, 2, 1, 2, 1, 2], "note": list("abcdef")}
    run = run_of_images(tmp_path / "p", **columns, same=["x"] * 6)
    data = shown(run, tmp_path / "p", sliced=["hour", "hour > 1"])
    assert data["facets"] == ["hour", "scene", "note"]
    assert data["images"][1]["facets"] == ["2", "night", "b"]


def test_hostile_names_and_entries_are_packed_as_texts(tmp_path):
    (tmp_path / "p").mkdir()
    evil = "</script><script>alert(1)</script>\u202e.jpg"
    run = run_of_images(None, images=2, file_name=[evil, "\x00"], scene=[evil, "b"])
    with pytest.warns(DataWarning):
        text = html_report([run], images=tmp_path / "p")
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert packed(text)["images"][0]["name"] == evil


def test_pictures_need_one_run_with_objects_and_a_folder(tmp_path):
    run = run_of_images(tmp_path / "p", images=2)
    texts = EvaluationResults({"id": ["a"], "answer": ["b"]}, [])
    for runs, images, problem in (
        ([run], tmp_path / "nowhere", "does not exist"),
        ([texts], tmp_path / "p", "neither objects nor maps nor labels"),
    ):
        with pytest.raises(InputError, match=problem):
            html_report(runs, images=images)
    with pytest.raises(InputError, match="must not be negative"):
        html_report([run], images=tmp_path / "p", image_bytes=-1)
    with pytest.raises(InputError, match="leaves no room for a picture; leave out images= instead"):
        html_report([run], images=tmp_path / "p", image_bytes=0)


def test_the_page_stays_within_its_limit(tmp_path):
    run = run_of_images(tmp_path / "p", images=20)
    for limit in (2_000_000, 300_000):
        assert len(html_report([run], images=tmp_path / "p", max_bytes=limit).encode()) <= limit
    path = tmp_path / "report.html"
    run.to_html(path, images=tmp_path / "p", image_bytes=60_000)
    assert (
        len(path.read_text(encoding="utf-8").partition('id="picture-payload">')[2].partition("<")[0])
        <= 60_000
    )
    assert 'id="picture-payload"' not in html_report([run])


def test_without_a_hit_the_threshold_is_zero_and_it_is_the_best_of_the_metric_otherwise(tmp_path):
    wrong = Detections.of(["a"], [[0, 0, 9, 9]], [0.4])
    truth = Detections.of(["b"], [[50, 50, 60, 60]])
    run = EvaluationResults({"id": ["x"], "predictions": [wrong], "ground_truths": [truth]}, [])
    assert shown(run, tmp_path)["threshold"] == 0
    lower = Detections.of(["a"], [[0, 0, 9, 9]], [-2.5])
    run = EvaluationResults({"id": ["x"], "predictions": [lower], "ground_truths": [truth]}, [])
    assert [shown(run, tmp_path)[name] for name in ("threshold", "scores")] == [-2.5, [-2.5, 1]]
    run = run_of_images(tmp_path / "p")
    columns = {side: list(run.inputs[side]) for side in ("predictions", "ground_truths")}
    matches = DetectionMatcher().run(**columns)["matches"]
    best = DetectionBestThresholdEvaluator().run(matches=matches)["result"].detail("overall")
    assert shown(run, tmp_path / "p")["threshold"] == best.columns["threshold"][0]


def test_keypoints_are_points_and_their_similarity_decides(tmp_path):
    joints = np.zeros((1, 17, 3))
    joints[0, :5] = [[10, 10, 2], [20, 10, 2], [10, 30, 1], [20, 30, 2], [15, 50, 2]]
    moved = joints.copy()
    moved[0, :5, :2] += 40
    truth = Detections.of(["person"], [[5, 5, 30, 60]], keypoints=joints)
    found = Detections.of(["person"], [[5, 5, 30, 60]], [0.9], keypoints=moved)
    matches = DetectionMatcher(compare_as="keypoints").run(predictions=[found], ground_truths=[truth])[
        "matches"
    ]
    result = DetectionF1Evaluator().run(matches=matches)["result"]
    run = EvaluationResults({"id": ["x"], "predictions": [found], "ground_truths": [truth]}, [result])
    data = shown(run, tmp_path)
    (image,) = data["images"]
    assert image["points"]["t0"] == [[10, 10], [20, 10], [10, 30], [20, 30], [15, 50]]
    assert data["outcomes"][image["predictions"][0][7]] != "right"


def test_without_labels_in_the_matching_labels_are_still_shown(tmp_path):
    truth, found = Detections.of(["a"], [[0, 0, 9, 9]]), Detections.of(["b"], [[0, 0, 9, 9]], [0.9])
    matcher = DetectionMatcher(class_agnostic=True)
    matches = matcher.run(predictions=[found], ground_truths=[truth])["matches"]
    result = DetectionF1Evaluator().run(matches=matches)["result"]
    run = EvaluationResults({"id": ["x"], "predictions": [found], "ground_truths": [truth]}, [result])
    data = shown(run, tmp_path)
    row = data["images"][0]["predictions"][0]
    assert (data["labels"][row[0]], data["outcomes"][row[7]]) == ("b", "right")
