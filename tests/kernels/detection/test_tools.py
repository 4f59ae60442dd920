"""Files and outputs of training tools are read as emitted; `tests/golden/tools` names the versions."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from thresher.components.detection import Detections
from thresher.datasets import read_coco
from thresher.errors import DataWarning, InputError
from tool_outputs import assert_equal_to_pycocotools, golden, numbers, rebuilt

RESULTS = {"detect": "boxes", "segment": "masks", "pose": "keypoints", "obb": "polygons"}
"""Task of Ultralytics -> the geometries in its results."""


def read(folder, truth, predictions=None, geometries="boxes"):
    (folder / "truth.json").write_text(json.dumps(truth))
    if predictions is None:
        return read_coco(folder / "truth.json", geometries=geometries)
    (folder / "predictions.json").write_text(json.dumps(predictions))
    with pytest.warns(DataWarning, match="by file_name, not by id"):
        return read_coco(folder / "truth.json", folder / "predictions.json", geometries=geometries)


@pytest.mark.parametrize("task", RESULTS)
def test_predictions_of_ultralytics(task, tmp_path):
    """One image is `000001.jpg`: its `image_id` of 1 is the id of another image."""
    case = golden("ultralytics")["tasks"][task]
    dataset = read(tmp_path, case["truth"], case["predictions"], RESULTS[task])
    truths, predictions = dataset.column("ground_truths"), dataset.column("predictions")
    if case["pycocotools"]:
        assert_equal_to_pycocotools(numbers(truths, predictions, RESULTS[task]), case["pycocotools"])
    else:
        read_corners = [shape.parts[0][0] for image in predictions for shape in image.geometries]
        rotated = Detections.of(
            [0] * len(read_corners), [row["rbox"] for row in case["predictions"]], box_format="cxcywhr"
        )
        centres = sorted(shape.parts[0][0].mean(axis=0).tolist() for shape in rotated.geometries)
        # Ultralytics rounds both to three decimals.
        assert sorted(c.mean(axis=0).tolist() for c in read_corners) == pytest.approx(
            np.array(centres), abs=2e-3
        )


@pytest.mark.parametrize("task", RESULTS)
def test_results_of_ultralytics(task):
    for record in golden("ultralytics")["tasks"][task]["results"]:
        fields = rebuilt(record)
        parts = {name: fields.get(name) for name in ("xyxy", "cls", "conf", "xyxyxyxy")}
        objects = SimpleNamespace(**parts)
        masks, points = (
            SimpleNamespace(data=fields[name]) if name in fields else None for name in ("masks", "keypoints")
        )
        results = SimpleNamespace(
            boxes=None if task == "obb" else objects,
            obb=objects if task == "obb" else None,
            masks=masks,
            keypoints=points,
            names=fields["names"],
            orig_shape=tuple(fields["orig_shape"]),
        )
        image, summary = Detections.of(results), Detections.of(fields["summary"])
        assert len(image) == len(fields["conf"]) > 0
        assert image.labels == summary.labels
        assert summary.scores == pytest.approx(image.scores, abs=1e-5)
        boxes = [Detections.of(output, geometries="boxes").boxes for output in (results, fields["summary"])]
        assert boxes[0] == pytest.approx(boxes[1], abs=1e-4)
        assert [type(shape).__name__ for shape in summary.geometries[:1]] == {
            "segment": ["Polygons"],
            "obb": ["Polygons"],
        }.get(task, [])
        if task == "pose":
            assert summary.keypoints.points == pytest.approx(image.keypoints.points, abs=1e-4)
        if task == "segment":  # an outline runs through the centres of the pixels on the border
            assert summary.boxes == pytest.approx(image.boxes, abs=1.01)


def test_summaries_with_class_names_of_the_user_and_without_fields():
    (first, *_) = golden("ultralytics")["tasks"]["pose"]["results"][0]["summary"]
    assert str(Detections.of([first], names=["ape"]).labels[0]) == "ape"
    plain = {name: first[name] for name in ("class", "box")}
    assert Detections.of([plain]).scores is None
    assert str(Detections.of([plain]).labels[0]) == "0"
    for field, value, message in (
        ("box", {"x1": 0, "y1": 0, "x2": 3}, "object 1: box lacks"),
        ("box", [0, 0, 3, 3], "object 1: box is"),
        ("keypoints", {"x": [1, 2], "y": [1]}, "object 1: keypoints lacks"),
        ("keypoints", {"x": [1, 2], "y": [1, 2]}, "objects differ in the number of keypoints"),
    ):
        with pytest.raises(InputError, match=message):
            Detections.of([first, {**first, field: value}])


CASES = [(tool, case) for tool in ("transformers", "supervision") for case in golden(tool)["cases"]]


@pytest.mark.parametrize(("tool", "case"), CASES)
def test_outputs_with_the_numbers_of_pycocotools(tool, case, tmp_path):
    content = golden(tool)
    outputs = [rebuilt(output) for output in content["cases"][case]["outputs"]]
    geometries = "boxes" if case in ("detection", "boxes") else "masks"
    if tool == "supervision":
        predictions = [Detections.of(SimpleNamespace(**output)) for output in outputs]
    else:
        predictions = [Detections.of(output, names=content["names"]) for output in outputs]
    truths = read(tmp_path, content["truth"], geometries=geometries).column("ground_truths")
    expected = content["cases"][case]["pycocotools"]
    found = numbers(truths, predictions, geometries)
    assert_equal_to_pycocotools(found, expected)


def test_rotated_and_no_detections_of_supervision():
    content = golden("supervision")
    rotated = rebuilt(content["obb"])
    image = Detections.of(SimpleNamespace(**rotated))
    corners = [shape.parts[0][0] for shape in image.geometries]
    for ring, expected in zip(corners, rotated["data"]["xyxyxyxy"], strict=True):
        assert sorted(ring.tolist()) == pytest.approx(np.array(sorted(expected.tolist())), abs=1e-5)
    assert len(Detections.of(SimpleNamespace(**rebuilt(content["empty"])))) == 0


def test_outputs_and_targets_of_torchvision():
    content = golden("torchvision")
    for model, record in content["outputs"].items():
        output = rebuilt(record)
        image = Detections.of(output)
        assert np.array_equal(image.boxes, output["boxes"].astype(float)), model
        assert [str(label) for label in image.labels] == [str(n) for n in output["labels"]], model
        assert (image.keypoints is None) == (model != "keypoint"), model
    annotations = Detections.of(content["annotations"], geometries="boxes")
    wrapped = Detections.of(rebuilt(content["target"]))
    everything = Detections.of(rebuilt(content["target_all"]), geometries="boxes")
    for target in (wrapped, everything):
        assert target.boxes == pytest.approx(annotations.boxes, abs=1e-4)
        assert target.labels == annotations.labels
    assert everything.areas.tolist() == annotations.areas.tolist()


def test_outputs_of_several_images_are_refused():
    outputs = [rebuilt(record) for record in golden("torchvision")["outputs"].values()]
    for several in (outputs, [SimpleNamespace(**output) for output in outputs]):
        with pytest.raises(InputError, match=r"a list whose entry 0 is of type .* for each entry"):
            Detections.of(several)
    labels = [{"key": "animal", "value": "cat"}]
    assert str(Detections.of(labels, keypoints=[[[1, 2, 2]]]).labels[0]) == "animal:cat"


def test_soft_masks_of_torchvision_with_the_numbers_of_its_peers():
    """TorchMetrics takes areas of masks for the sizes of boxes too: only numbers of all sizes agree."""
    content = golden("torchvision_masks")
    outputs, targets = ([rebuilt(record) for record in content[side]] for side in ("outputs", "targets"))
    assert outputs[0]["masks"].shape == (2, 1, 24, 32)
    predictions = [Detections.of(output, threshold=0.5) for output in outputs]
    found = numbers([Detections.of(target) for target in targets], predictions, "masks")
    assert_equal_to_pycocotools(found, content["pycocotools"])
    assert 0.1 < found[0] < 0.9
    values = content["torchmetrics"]["values"]
    names = ("map", "map_50", "map_75", "mar_1", "mar_10", "mar_100")
    for geometries, prefix, boxes in (("masks", "segm", None), ("boxes", "bbox", "boxes")):
        sides = [
            [Detections.of(entry, threshold=0.5, geometries=boxes) for entry in side]
            for side in (targets, outputs)
        ]
        own = numbers(*sides, geometries)
        assert [own[at] for at in (0, 1, 2, 6, 7, 8)] == pytest.approx(
            [values[f"{prefix}_{name}"] for name in names], abs=1e-7
        )
    with pytest.raises(InputError, match=r"threshold=0\.5"):
        Detections.of(outputs[0])
