"""Outputs of detectors in memory are read by their fields, without their frameworks."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher, Detections
from thresher.errors import DataWarning, InputError

GOLDEN = Path(__file__).parents[2] / "golden/vision2"
BOXES = np.array([[0, 0, 10, 5], [20, 20, 40, 60]], np.float32)
CORNERS = np.array([[[0, 0], [10, 0], [10, 5], [0, 5]], [[20, 20], [40, 20], [40, 60], [20, 60]]], np.float32)
MASKS = np.zeros((2, 60, 40), bool)
MASKS[0, :5, :10] = MASKS[1, 20:60, 20:40] = True


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


class Torch:
    """A tensor that must be detached and copied from the GPU before it is an array."""

    def __init__(self, values, place="gpu with gradients"):
        self.values, self.place, self.dtype = np.asarray(values), place, np.asarray(values).dtype

    def detach(self):
        return Torch(self.values, "gpu")

    def cpu(self):
        assert self.place == "gpu"
        return Torch(self.values, "cpu")

    def numpy(self):
        assert self.place == "cpu"
        return self.values


class ByProtocol:
    """An array that offers `__array__` only."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


class ByDlpack:
    """An array that offers DLPack only."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def outputs(tensor):
    """What tools return for the same image of a cat (class 1, score 0.5) and a dog (2, 0.25)."""
    boxes, numbers, scores = (
        tensor(BOXES),
        tensor(np.array([1, 2])),
        tensor(np.array([0.5, 0.25], np.float32)),
    )
    floats = tensor(np.array([1, 2], np.float32))
    coco = [{"bbox": [0, 0, 10, 5], "category_id": 1, "score": 0.5, "iscrowd": 0, "image_id": 3}]
    coco.append({"bbox": [20, 20, 20, 40], "category_id": 2, "score": 0.25})
    return {
        "torchvision": {"boxes": boxes, "labels": numbers, "scores": scores},
        "torchvision's keypoints": {
            "boxes": boxes,
            "labels": numbers,
            "scores": scores,
            "keypoints": tensor(np.zeros((2, 17, 3))),
            "keypoints_scores": tensor(np.zeros((2, 17))),
        },
        "supervision": SimpleNamespace(
            xyxy=BOXES, mask=None, class_id=np.array([1, 2]), confidence=[0.5, 0.25], data={}
        ),
        "ultralytics": SimpleNamespace(
            boxes=SimpleNamespace(xyxy=boxes, cls=floats, conf=scores, data=tensor(np.zeros((2, 6)))),
            masks=None,
            obb=None,
            names=None,
            orig_shape=(60, 40),
        ),
        "detectron2": {
            "instances": SimpleNamespace(
                pred_boxes=SimpleNamespace(tensor=boxes), scores=scores, pred_classes=numbers
            )
        },
        "detectron2's file": {"image_id": 3, "instances": coco},
        "mmdetection": SimpleNamespace(
            pred_instances=SimpleNamespace(bboxes=boxes, scores=scores, labels=numbers), img_id=3
        ),
        "mmdetection's file": {
            "img_id": 3,
            "ori_shape": (60, 40),
            "pred_instances": {"bboxes": boxes, "scores": scores, "labels": numbers},
        },
        "coco": coco,
    }


@pytest.mark.parametrize("tensor", [np.asarray, Torch, ByProtocol, ByDlpack])
def test_boxes_of_all_tools(tensor):
    for tool, output in outputs(tensor).items():
        for image in (Detections.of(output, names=["-", "cat", "dog"]), Detections.read(output)):
            assert image.boxes.tolist() == BOXES.tolist(), tool
            assert image.scores.tolist() == [0.5, 0.25], tool
            assert image.geometries == (), tool
        assert [str(label) for label in Detections.read(output).labels] == ["1", "2"], tool
        named = Detections.of(output, names={1: "cat", "2": "dog"})
        assert [str(label) for label in named.labels] == ["cat", "dog"], tool


def test_lists_of_the_pipelines_of_transformers_are_read():
    corners = ("xmin", "ymin", "xmax", "ymax")
    output = [
        {"score": score, "label": label, "box": dict(zip(corners, map(int, box), strict=True))}
        for score, label, box in zip((0.5, 0.25), ("cat", "dog"), BOXES, strict=True)
    ]
    for image in (Detections.of(output), Detections.read(output)):
        assert image.boxes.tolist() == BOXES.tolist()
        assert image.scores.tolist() == [0.5, 0.25]
        assert [str(label) for label in image.labels] == ["cat", "dog"]
    with pytest.raises(InputError, match="object 1: box lacks"):
        Detections.read([output[0], {**output[1], "box": {"xmin": 1}}])


@pytest.mark.parametrize("box_format", ["xywh", "cxcywh"])
def test_arguments_replace_what_an_output_says(box_format):
    """TorchMetrics' dictionaries do not say the format of their boxes."""
    sizes = BOXES[:, 2:] - BOXES[:, :2]
    places = BOXES[:, :2] if box_format == "xywh" else BOXES[:, :2] + sizes / 2
    output = {"boxes": Torch(np.hstack([places, sizes])), "labels": [1, 2], "iscrowd": np.array([0, 0])}
    image = Detections.of(output, scores=Torch(np.array([0.5, 0.25])), crowd=[0, 1], box_format=box_format)
    assert image.boxes.tolist() == BOXES.tolist()
    assert image.scores.tolist() == [0.5, 0.25]
    assert image.crowd.tolist() == [False, True]
    with pytest.raises(InputError, match="scores has 1 entry for 2 labels"):
        Detections.of(output, scores=[0.5], box_format=box_format)


@pytest.mark.parametrize("tensor", [np.asarray, Torch])
def test_keypoints_of_all_tools(tensor):
    points = np.arange(2 * 4 * 3.0).reshape(2, 4, 3)
    plain = {
        "boxes": tensor(BOXES),
        "labels": tensor(np.array([1, 2])),
        "scores": tensor(np.array([0.5, 0.25])),
    }
    named = {"xyxy": plain["boxes"], "cls": plain["labels"], "conf": plain["scores"]}
    coco = [
        {"category_id": label, "score": 0.5, "keypoints": rows.ravel().tolist(), "num_keypoints": label}
        for label, rows in zip((1, 2), points, strict=True)
    ]
    for tool, output in {
        "torchvision": plain | {"keypoints": tensor(points), "keypoints_scores": tensor(np.zeros((2, 4)))},
        "ultralytics": SimpleNamespace(
            boxes=SimpleNamespace(**named), keypoints=SimpleNamespace(data=tensor(points))
        ),
        "mmpose": {"pred_instances": plain | {"keypoints": tensor(points[..., :2])}},
        "mmpose without boxes": {"labels": [1, 2], "scores": [0.5, 0.25], "keypoints": points},
        "coco": coco,
        "coco with boxes": [{**row, "bbox": [0, 0, 10, 5]} for row in coco],
    }.items():
        image = Detections.read(output)
        assert image.keypoints.points[..., :2].tolist() == points[..., :2].tolist(), tool
        assert image.keypoints.counts.tolist() == ([1, 2] if tool.startswith("coco") else [4, 4]), tool
        boxed = tool not in ("mmpose without boxes", "coco")
        assert image.boxes[0].tolist() == ([0, 0, 10, 5] if boxed else [0, 1, 9, 10]), tool
    assert (
        Detections.read(plain | {"keypoints": tensor(points)}, boxes_only=True).boxes.tolist()
        == BOXES.tolist()
    )
    with pytest.raises(InputError, match="keypoints differ in number or form"):
        Detections.read([{**coco[0], "keypoints": [1, 2, 3, 4]}])


def test_the_matcher_takes_outputs_and_targets():
    target = {
        "boxes": Torch(BOXES),
        "labels": Torch([1, 2]),
        "image_id": 3,
        "area": Torch([50.0, 800.0]),
        "iscrowd": Torch([0, 1]),
    }
    predictions = list(outputs(Torch).values())
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=[target] * len(predictions))[
        "matches"
    ]
    assert matches.truths[0].crowd.tolist() == [False, True]
    assert DetectionCocoEvaluator().run(matches=matches)["score"] == 1.0


def test_names_come_from_the_output_or_the_user():
    texts = {"boxes": BOXES, "scores": [0.5, 0.25], "labels": [0, 0], "text_labels": ["a cat", "a dog"]}
    found = SimpleNamespace(
        xyxy=BOXES, mask=None, class_id=[0, 1], confidence=None, data={"class_name": np.array(["cat", "dog"])}
    )
    boxes = SimpleNamespace(xyxy=BOXES, cls=Torch([0.0, 1.0]), conf=Torch([0.5, 0.5]))
    results = SimpleNamespace(boxes=boxes, obb=None, masks=None, names={0: "cat", 1: "dog"})
    for output, own in ((texts, "a cat"), (found, "cat"), (results, "cat")):
        assert str(Detections.of(output).labels[0]) == own
    for output in (found, results):
        assert str(Detections.of(output, names=["ape", "fox"]).labels[1]) == "fox"
    with pytest.raises(InputError, match="class 1 has no name; 1 name is given"):
        Detections.of(found, names=["ape"])


def test_soft_masks_of_torchvision_need_a_threshold():
    case = golden("src_03_torchvision_masks")
    prediction, target = case["input"]["prediction"], case["input"]["target"]
    output = {name: Torch(prediction[name]) for name in ("boxes", "labels", "scores", "masks")}
    assert list(output["masks"].values.shape) == prediction["masks_shape"]
    with pytest.raises(InputError, match=r"the mask is soft .* threshold=0.5"):
        Detections.of(output)
    image = Detections.of(output, threshold=0.5)
    assert [shape.area for shape in image.geometries] == case["expected"]["areas_at_0.5"]
    truth = Detections.of({**target, "masks": np.array(target["masks"], np.uint8)})
    matches = DetectionMatcher().run(predictions=[image], ground_truths=[truth])["matches"]
    result = DetectionCocoEvaluator().run(matches=matches)["result"]
    for name, peer in (("map", "AP"), ("map_50", "AP50"), ("mar_100", "AR100")):
        expected = case["expected"]["coco_segm_at_0.5"][peer]
        assert result.value(f"detection_coco_{name}") == pytest.approx(expected, abs=1e-12)
    assert Detections.of(output, geometries="boxes").boxes.tolist() == prediction["boxes"]


@pytest.mark.parametrize("shift", [0, 1])
def test_segments_of_transformers(shift):
    """Instances are numbered from 0 with -1 for nothing, panoptic segments from 1 with 0 for nothing."""
    case = golden("src_05_transformers_instances")
    infos = [{**info, "id": info["id"] + shift} for info in case["input"]["segments_info"]]
    pixels = np.array(case["input"]["segmentation"], np.float32 if shift == 0 else np.int32) + shift
    maps = {"segmentation": Torch(pixels), "segments_info": infos}
    stack = {"segmentation": Torch([pixels == info["id"] for info in infos]), "segments_info": infos}
    for output in (maps, stack):
        image = Detections.read(output)
        for at, expected in enumerate(case["expected"]["objects"]):
            assert str(image.labels[at]) == str(expected["label"])
            assert image.scores[at] == expected["score"]
            assert image.geometries[at].area == expected["pixels"]
            assert image.boxes[at].tolist() == expected["box_xyxy"]
    names = {2: "car", 17: "cat"}
    assert [str(label) for label in Detections.of(maps, names=names).labels] == ["cat", "car"]
    assert len(Detections.read({"segmentation": None, "segments_info": []})) == 0
    with pytest.raises(InputError, match=r"segments_info\[0\] has no label_id"):
        Detections.read({**maps, "segments_info": [{"id": 1}]})


RUNS = [{"size": [60, 40], "counts": [0, 5, 55, 5, 55, 5, 2275]}]


def with_masks():
    boxes = SimpleNamespace(xyxy=Torch(BOXES), cls=Torch([0.0, 1.0]), conf=Torch([0.5, 0.5]))
    common = {"scores": np.ones(2), "labels": np.array([0, 1])}
    return {
        "torchvision": {"boxes": BOXES, "masks": Torch(MASKS[:, None]), **common},
        "torchmetrics": {"masks": Torch(MASKS.astype(np.uint8)), **common},
        "supervision": SimpleNamespace(
            xyxy=BOXES, mask=MASKS, class_id=np.array([0, 1]), confidence=np.ones(2), data={}
        ),
        "ultralytics": SimpleNamespace(
            boxes=boxes,
            masks=SimpleNamespace(data=Torch(MASKS.astype(np.float32))),
            obb=None,
            names={0: "0", 1: "1"},
            orig_shape=(60, 40),
        ),
        "detectron2": {
            "instances": SimpleNamespace(
                pred_boxes=SimpleNamespace(tensor=Torch(BOXES)),
                pred_masks=Torch(MASKS),
                scores=np.ones(2),
                pred_classes=np.array([0, 1]),
            )
        },
        "mmdetection": {"pred_instances": {"bboxes": BOXES, "masks": SimpleNamespace(masks=MASKS), **common}},
    }


def test_masks_of_all_tools():
    for tool, output in with_masks().items():
        image = Detections.of(output)
        assert [shape.area for shape in image.geometries] == [50, 800], tool
        assert image.geometries[1].size == (60, 40), tool
    runs = {"bboxes": BOXES[:1], "labels": [0], "scores": [1], "masks": RUNS}
    assert Detections.read({"pred_instances": runs}).geometries[0].area == 15


def test_a_matcher_of_boxes_reads_boxes_next_to_masks():
    """The box that a detector predicts is not that of its mask."""
    output = {**with_masks()["torchvision"], "boxes": BOXES + 5}
    for compare_as, expected in (("box", BOXES + 5), (None, BOXES)):
        matcher = DetectionMatcher(compare_as=compare_as)
        matches = matcher.run(predictions=[output], ground_truths=[output])["matches"]
        assert matches.predictions.boxes.tolist() == expected.tolist()


def test_masks_of_another_size_than_the_image_are_refused():
    output = with_masks()["ultralytics"]
    output.orig_shape = (120, 80)
    with pytest.raises(InputError, match=r"\(60, 40\) of the network's input, .* retina_masks=True"):
        Detections.of(output)
    assert len(Detections.of(output, geometries="boxes")) == 2


def test_rotated_boxes_are_polygons():
    found = SimpleNamespace(
        xyxy=BOXES, mask=None, class_id=[0, 1], confidence=[1, 1], data={"xyxyxyxy": CORNERS}
    )
    obb = SimpleNamespace(xyxy=Torch(BOXES), xyxyxyxy=Torch(CORNERS), cls=Torch([0, 1]), conf=Torch([1, 1]))
    for output in (found, SimpleNamespace(boxes=None, obb=obb, masks=None, names=None)):
        image = Detections.of(output)
        assert image.geometries[1].parts[0][0].tolist() == CORNERS[1].tolist()
        assert Detections.of(output, geometries="boxes").geometries == ()


def test_annotations_with_outlines_are_polygons():
    rows = [{"category_id": 1, "bbox": [0, 0, 10, 5], "segmentation": [CORNERS[0].ravel().tolist()]}]
    image = Detections.of([*rows, {**rows[0], "segmentation": RUNS[0]}])
    assert image.areas.tolist() == [50, 15]
    assert Detections.of(rows, geometries="boxes").geometries == ()


@pytest.mark.parametrize("empty", [np.zeros(0), np.zeros((0, 4))])
def test_images_without_objects(empty):
    for output in ({"boxes": Torch(empty), "labels": Torch([]), "scores": Torch([])}, {"instances": []}):
        assert len(Detections.read(output)) == 0
    none = SimpleNamespace(
        xyxy=np.zeros((0, 4)), mask=None, class_id=np.zeros(0, int), confidence=None, data={}
    )
    assert len(Detections.of(none)) == 0


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"boxes": BOXES, "labels": [0.5, 1], "area": [1, 1]}, r"labels are .*; give whole numbers or texts"),
        ({"bboxes": BOXES.T, "labels": [0, 1]}, r"boxes have the shape \(4, 2\); give 4 numbers per object"),
        (
            {"masks": MASKS[0], "labels": [0]},
            r"masks have the shape \(60, 40\); give objects x height x width",
        ),
        ({"bboxes": object(), "labels": [0, 1]}, r"boxes have the shape \(\)"),
        ([{"category_id": 1, "score": 1}], "annotation 0 has no 'bbox'"),
        (
            SimpleNamespace(xyxy=BOXES, class_id=None, data={}),
            "an image cannot be SimpleNamespace; give Detections",
        ),
        ({"detections": []}, "an image is a dict of areas, box_format, boxes"),
        (
            {"boxes": BOXES, "labels": [1, 2], "area": [1, 1], "size": [60, 40]},
            "an image is a dict of .*, not of 'size'$",
        ),
        ({"boxes": BOXES[:1], "labels": np.array(1)}, "give a list with one label per object"),
    ],
)
def test_what_does_not_fit_is_refused(output, message):
    with pytest.raises(InputError, match=message):
        Detections.read(output)


def test_tensors_that_cannot_be_converted_are_refused():
    class Broken(Torch):
        def numpy(self):
            raise RuntimeError("bfloat16")

    Broken.cpu = lambda self: self
    Broken.detach = lambda self: self
    with pytest.raises(
        InputError, match=r"Broken cannot become a numpy array \(bfloat16\); convert it first"
    ):
        Detections.of({"boxes": Broken(BOXES), "labels": [1, 2]})


def many(boxes, labels):
    return [{"boxes": boxes, "labels": labels}] * 5


def test_boxes_in_other_units_and_numbers_as_labels_give_warnings():
    predicted = [{**image, "scores": [0.5, 0.5]} for image in many(BOXES, ["cat", "dog"])]
    shares = many(BOXES / 60, ["cat", "dog"])
    with pytest.warns(
        DataWarning, match="boxes of ground_truths are shares of the image, those of predictions are"
    ):
        DetectionMatcher().run(predictions=predicted, ground_truths=shares)
    with pytest.warns(DataWarning, match="labels of ground_truths are numbers, those of predictions names"):
        DetectionMatcher().run(predictions=predicted, ground_truths=many(BOXES, [1, 2]))
    DetectionMatcher().run(predictions=predicted, ground_truths=many(BOXES, ["cat", 2]))
    DetectionMatcher().run(predictions=predicted[:4], ground_truths=many(BOXES, [1, 2])[:4])
