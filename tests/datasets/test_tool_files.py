"""Files that training tools write for a whole data set, in the tools' own form, through the readers."""

import json
import pickle

import numpy as np
import pytest

from thresher.components.detection import Detections
from thresher.datasets import read_coco, read_yolo
from thresher.errors import InputError
from thresher.files.texts import text_blocks
from tool_outputs import assert_equal_to_pycocotools, golden, numbers, rebuilt

TASKS = {"detect": "boxes", "segment": "boxes", "pose": "keypoints"}
"""Task of Ultralytics -> what pycocotools compared; of outlines, the boxes around them."""
ALL_SIZES = (0, 1, 2, 6, 7, 8)
SIZES = (3, 4)
"""Positions of COCO's mAP of small and of medium objects."""


def written(folder, **contents):
    """Paths of JSON files."""
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return [folder / f"{name}.json" for name in contents]


def coco_numbers(truth, results, geometries):
    dataset = read_coco(truth, results, geometries=geometries)
    assert dataset.notes == ()
    return numbers(dataset.column("ground_truths"), dataset.column("predictions"), geometries)


def in_order(truth, geometries="masks"):
    """True objects by image id, for outputs that are read one by one."""
    dataset = read_coco(truth, geometries=geometries)
    return dict(zip(dataset.ids, dataset.column("ground_truths"), strict=True))


@pytest.mark.parametrize(("task", "geometries"), [("bbox", "boxes"), ("segm", "masks")])
def test_result_files_of_mmdetection(task, geometries, tmp_path):
    """The log has three decimals, and sizes of masks by the masks: `x.pop("bbox")` in its metric."""
    content = golden("mmdetection")
    truth, results = written(tmp_path, truth=content["truth"], results=content[task])
    found = coco_numbers(truth, results, geometries)
    assert_equal_to_pycocotools(found, content["pycocotools"][task])
    logged = content["numbers"][task]
    assert found[:3] == pytest.approx(logged[:3], abs=5.1e-4)
    if task == "segm":
        assert all(abs(found[at] - logged[at]) > 1e-3 for at in SIZES)
        for row in content["segm"]:
            del row["bbox"]
        (results,) = written(tmp_path, results=content["segm"])
        found = coco_numbers(truth, results, geometries)
    assert found[:5] == pytest.approx(logged, abs=5.1e-4)


def test_ground_truth_that_mmdetection_writes(tmp_path):
    """Its images have no `file_name`, and its classes count from 0."""
    content = golden("mmdetection")
    truth, results = written(tmp_path, truth=content["own_truth"], results=content["own_bbox"])
    assert {image["file_name"] for image in content["own_truth"]["images"]} == {""}
    assert_equal_to_pycocotools(coco_numbers(truth, results, "boxes"), content["pycocotools"]["own"])


def test_samples_in_the_pickle_of_mmdetection(tmp_path):
    content = golden("mmdetection")
    samples = [rebuilt(sample) for sample in content["samples"]]
    for sample in samples:  # pycocotools' run lengths are bytes until a JSON file needs texts
        for mask in sample["pred_instances"]["masks"]:
            mask["counts"] = mask["counts"].encode()
    predictions = [Detections.of(sample, names=content["names"]) for sample in samples]
    known = in_order(*written(tmp_path, truth=content["truth"]))
    truths = [known[str(sample["img_id"])] for sample in samples]
    assert_equal_to_pycocotools(numbers(truths, predictions, "masks"), content["pycocotools"]["samples"])


def test_files_of_detectron2(tmp_path):
    """`instances_predictions.pth` has class numbers from 0, `coco_instances_results.json` category ids."""
    content = golden("detectron2")
    truth, results = written(tmp_path, truth=content["truth"], results=content["coco_instances_results"])
    assert_equal_to_pycocotools(coco_numbers(truth, results, "boxes"), content["pycocotools"]["bbox"])
    loaded, known = content["instances_predictions"], in_order(truth)
    predictions = [Detections.of(entry["instances"], names=content["names"]) for entry in loaded]
    truths = [known[str(entry["image_id"])] for entry in loaded]
    found = numbers(truths, predictions, "masks")
    assert_equal_to_pycocotools(found, content["pycocotools"]["segm"])


def text_folders(folder, case):
    for side in ("truth", "found"):
        (folder / side).mkdir()
        for stem, text in case[side].items():
            (folder / side / f"{stem}.txt").write_text(text)
    return folder / "truth", folder / "found"


@pytest.mark.parametrize("task", TASKS)
def test_text_files_of_ultralytics(task, tmp_path):
    case = golden("ultralytics_text")["tasks"][task]
    keypoints = 17 if task == "pose" else None
    dataset = read_yolo(*text_folders(tmp_path, case), sizes=case["sizes"], keypoints=keypoints)
    found = numbers(dataset.column("ground_truths"), dataset.column("predictions"), TASKS[task])
    of_all_sizes = ALL_SIZES if task == "segment" else range(len(found))  # areas are those of the outlines
    expected = [case["pycocotools"][at] for at in of_all_sizes]
    assert_equal_to_pycocotools([found[at] for at in of_all_sizes], expected)
    assert 0.2 < found[0] < 0.8


def test_rotated_boxes_in_text_files_of_ultralytics(tmp_path):
    """Corners may lie outside the image."""
    case = golden("ultralytics_text")["tasks"]["obb"]
    dataset = read_yolo(*text_folders(tmp_path, case), sizes=case["sizes"])
    for stem, image in zip(dataset.ids, dataset.column("predictions"), strict=True):
        rows = np.array([line.split() for line in case["found"][stem].splitlines()], float)
        assert image.scores.tolist() == rows[:, -1].tolist()
        expected = rows[:, 1:-1].reshape(-1, 4, 2) * case["sizes"][stem]
        read = [shape.parts[0][0][:4] for shape in image.geometries]
        assert [sorted(ring.tolist()) for ring in read] == [sorted(ring) for ring in expected.tolist()]


@pytest.mark.parametrize("task", ["detect", "segment", "obb"])
def test_text_files_without_scores_are_refused(task, tmp_path):
    """What `save_txt` writes without `save_conf`."""
    case = golden("ultralytics_text")["tasks"][task]
    for stem, text in case["found"].items():
        case["found"][stem] = "".join(line.rpartition(" ")[0] + "\n" for line in text.splitlines())
    with pytest.raises(InputError, match=r"txt:1: \d+ coordinates and no score; write .* save_conf=True"):
        read_yolo(*text_folders(tmp_path, case), sizes=case["sizes"])


@pytest.mark.parametrize(
    ("content", "form"),
    [
        *((pickle.dumps([{"img_id": 1}], protocol), "a pickle, which runs code") for protocol in (2, 4, 5)),
        (b"PK\x03\x04\0\0\x80", "a zip archive, as torch.save writes it"),
    ],
    ids=["protocol 2", "protocol 4", "protocol 5", "torch.save"],
)
def test_pickles_are_refused_by_name(content, form, tmp_path):
    (truth,) = written(tmp_path, truth=golden("detectron2")["truth"])
    results = tmp_path / "results.pkl"
    results.write_bytes(content)
    for read in (lambda: read_coco(truth, results), lambda: list(text_blocks(results))):
        with pytest.raises(InputError, match=f"results.pkl:1: .*the file looks like {form}.* as JSON"):
            read()
    results.write_bytes(b"[]\n" + content)
    with pytest.raises(InputError, match=r"results.pkl:2: .*not UTF-8; save the file as UTF-8"):
        list(text_blocks(results))
