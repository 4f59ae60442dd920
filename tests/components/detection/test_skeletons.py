"""Keypoints of labels with different skeletons."""

import json
import pickle

import numpy as np
import pytest

from coco_files import columns, keypoint_stats
from thresher import EvaluationResults
from thresher.components.detection import (
    DetectionF1Evaluator,
    DetectionKeypointsEvaluator,
    DetectionMatcher,
    Detections,
    Keypoints,
)
from thresher.errors import DataWarning, InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.detection.matches import DetectionMatches
from thresher.pipelines.object_arrays import decode, encode

SIGMAS = {"dog": [0.05, 0.1, 0.02, 0.08], "pole": [0.07], "hand": [0.03] * 21}
HAND = [[at, at % 5, 2] for at in range(21)]
DOG = [[0, 0, 2], [10, 0, 2], [0, 10, 0], [10, 10, 1]]


def animals(seed):
    """Objects of three skeletons, some without a labelled keypoint, and their results in any order."""
    rng = np.random.default_rng(seed)
    categories = [{"id": at * 2, "name": name} for at, name in enumerate(SIGMAS)]
    truths, results = [], []
    for image in range(8):
        for _ in range(rng.integers(0, 6)):
            at = int(rng.integers(3))
            joints, size = len([*SIGMAS.values()][at]), rng.uniform(25, 150)
            points = np.round(rng.uniform(0, 300, 2) + rng.uniform(0, size, (joints, 2)))
            seen = rng.choice([0, 1, 2], joints) * (rng.random() < 0.8)
            common = {"image_id": image, "category_id": at * 2}
            truth = common | {"id": len(truths) + 1, "num_keypoints": int((seen > 0).sum())}
            truth |= {"area": size**2, "iscrowd": 0, "bbox": [*points.min(axis=0).tolist(), size, size]}
            truths.append(truth | {"keypoints": np.hstack([points, seen[:, None]]).ravel().tolist()})
            for _ in range(rng.integers(0, 4)):
                moved = points + np.round(rng.normal(0, size * rng.choice([0, 0.05]), points.shape))
                flat = np.hstack([moved, np.ones((joints, 1))]).ravel().tolist()
                results.append(common | {"keypoints": flat, "score": round(float(rng.random()), 1)})
    images = [{"id": image} for image in range(8)]
    truth = {"images": images, "annotations": truths, "categories": categories}
    return truth, [results[at] for at in rng.permutation(len(results)).tolist()]


def matched(predictions, truths, sigmas=SIGMAS):
    matcher = DetectionMatcher(compare_as="keypoints", sigmas=sigmas)
    return matcher.run(predictions=predictions, ground_truths=truths)["matches"]


def poses(labels, keypoints, **fields):
    return {"labels": labels, "keypoints": keypoints, **fields}


def one_category(truth, results, key):
    of_key = [row for row in truth["annotations"] if row["category_id"] == key]
    return truth | {"annotations": of_key}, [row for row in results if row["category_id"] == key]


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_each_label_are_those_of_pycocotools_for_it_alone(tmp_path, seed):
    truth, results = animals(seed)
    matches = matched(
        **{
            name.replace("ground_", ""): side
            for name, side in columns(tmp_path, truth, results, "keypoints").items()
        }
    )
    result = DetectionKeypointsEvaluator().run(matches=matches)["result"]
    labels = list(map(str, result.statistics.labels))
    ours = [
        measure.reduction.by_label(result.statistics, np.ones((1, 8)))[0][0] for measure in result.measures
    ]
    theirs = [
        keypoint_stats(*one_category(truth, results, at * 2), SIGMAS[name]) for at, name in enumerate(SIGMAS)
    ]
    places = [labels.index(name) for name in SIGMAS]
    numbers = np.array(ours)[:, places].T
    assert numbers == pytest.approx(np.array(theirs), abs=1e-12, nan_ok=True)
    values = [result.value(measure.name) for measure in result.measures]
    assert values == pytest.approx(np.nanmean(theirs, axis=0), abs=1e-12)


def test_keypoints_that_an_object_lacks_count_neither_in_the_similarity_nor_next_to_its_box():
    """A pole with one unlabelled keypoint: the mean is over that keypoint, and not over 21."""
    truth = poses(["pole", "hand"], [[[5, 5, 0]], HAND], boxes=[[0, 0, 10, 10]] * 2, areas=[100, 100])
    found = poses(["pole", "hand"], [[[22, 5, 1]], HAND], scores=[0.9, 0.8])
    pairs = matched([found], [truth]).pairs()
    assert pairs.iou == pytest.approx([np.exp(-(2**2) / (2 * 100 * (2 * 0.07) ** 2)), 1.0])


def test_objects_with_different_skeletons_do_not_overlap():
    truth = poses(["dog", "hand"], [DOG, HAND], areas=[100, 100])
    found = poses(["hand"], [HAND], scores=[0.9])
    pairs = matched([found], [truth]).pairs(same_label=False)
    assert pairs.truth.tolist() == [1]
    assert matched([found], [poses(["dog"], [DOG])]).pairs(same_label=False).truth.tolist() == []


def test_labels_without_sigmas_have_those_of_a_person():
    person = [[at, 0, 2] for at in range(17)]
    image = poses(["person", "dog"], [person, DOG], areas=[100, 100])
    moved = poses(["person"], [[[at + 1, 0, 2] for at in range(17)]], scores=[0.9])
    default = matched([moved], [poses(["person"], [person], areas=[100])], None).pairs().iou
    assert matched([moved], [image]).pairs().iou.tolist() == default.tolist()


@pytest.mark.parametrize(
    ("label", "points", "sigmas", "message"),
    [
        ("dog", DOG[:3], SIGMAS, "of 'dog' have 3 keypoints per object, and sigmas has 4 for 'dog'"),
        ("cat", DOG, SIGMAS, "of 'cat' have 4 keypoints per object, and COCO's sigmas are for 17; pass "),
        ("dog", DOG, None, "a dict of label: .numbers. if labels differ in it"),
        ("dog", DOG, [0.1], "of 'dog' have 4 keypoints per object, and sigmas has 1;"),
    ],
)
@pytest.mark.parametrize("side", ["ground_truths", "predictions"])
def test_another_number_of_keypoints_than_of_sigmas_names_the_label(side, label, points, sigmas, message):
    images = {"ground_truths": [poses([], [])], "predictions": [poses([], [], scores=[])]}
    images[side] = [poses([label], [points]) | ({} if side == "ground_truths" else {"scores": [0.5]})]
    with pytest.raises(InputError, match=f"{side} {message}" if message.startswith("of") else message):
        DetectionMatcher(compare_as="keypoints", sigmas=sigmas).run(**images)


def test_wrong_options():
    with pytest.raises(InputError, match="class_agnostic gives all objects one label; give sigmas as one"):
        DetectionMatcher(compare_as="keypoints", sigmas=SIGMAS, class_agnostic=True)
    with pytest.raises(InputError, match="sigmas"):
        DetectionMatcher(compare_as="keypoints", sigmas={"dog": [0.1, -1]})
    person = poses(["person"], [[[at, 0, 2] for at in range(17)]])
    with pytest.warns(DataWarning, match="sigmas has no entry for 'person', .* but one for 'persn'"):
        matched([person | {"scores": [1]}], [person], {"persn": [0.1] * 17})


def test_the_table_and_the_report_by_keypoint_have_the_labels():
    names = {"dog": ["nose", "tail"]}
    evaluator = DetectionKeypointsEvaluator(keypoint_names=names)
    moved = [[x + 2, y, 1] for x, y, _ in DOG]
    truths = [poses(["dog", "pole"], [DOG, [[5, 5, 2]]], areas=[2500, 2500]), poses(["dog"], [DOG])]
    found = [poses(["dog", "pole"], [moved, [[5, 5, 2]]], scores=[0.9, 0.8])] * 2
    matches = matched(found, truths)
    result = evaluator.run(matches=matches)["result"]
    rows = {(row["label"], row["keypoint"]): row for row in result.detail("by_keypoint").rows()}
    assert list(rows) == [("dog", "nose"), ("dog", "tail"), ("dog", "4"), ("pole", "1")]
    assert rows["pole", "1"]["distance"] == 0.0 < rows["dog", "4"]["distance"] == 2.0
    run = EvaluationResults({"id": ["a", "b"]}, [result], name="run")
    table = run.report_by_keypoint().table()
    assert sorted(table["keypoint"]) == ["dog:4", "dog:nose", "dog:tail", "pole:1"]
    assert run.compare_by_keypoint(run).data()["differences"][0]["keypoint"] == "dog:4"


def test_shards_have_the_numbers_of_the_whole():
    """The first image has dogs alone, the second hands: arrays of other widths, and other vocabularies."""
    truths = [poses(["dog"], [DOG], areas=[400]), poses(["hand"], [HAND], areas=[400])]
    found = [
        poses([*image["labels"]], [[[x + 1, y, 1] for x, y, _ in image["keypoints"][0]]], scores=[0.9])
        for image in truths
    ]
    whole = matched(found, truths)
    parts = [matched([one], [other]) for one, other in zip(found, truths, strict=True)]
    results = [
        DetectionKeypointsEvaluator().run(matches=part)["result"]
        for part in (whole, DetectionMatches.concatenate(parts), [*whole])
    ]
    merged = type(results[0]).concatenate(
        [DetectionKeypointsEvaluator().run(matches=part)["result"] for part in parts]
    )
    known = [results[0].value(measure.name) for measure in results[0].measures]
    for result in (*results[1:], merged):
        assert [result.value(measure.name) for measure in result.measures] == pytest.approx(
            known, nan_ok=True
        )
        assert [*result.detail("by_keypoint").rows()] == [*results[0].detail("by_keypoint").rows()]
    assert DetectionF1Evaluator().run(matches=whole)["score"] == 1.0


def test_objects_survive_files_columns_and_processes():
    image = Detections.of(["dog", "pole"], keypoints=[DOG, [[7, 8]]], num_keypoints=[0, 1])
    assert image.boxes.tolist() == [[0, 0, 10, 10], [7, 8, 7, 8]]
    column = DetectionsColumn(DetectionColumns.of([image, Detections.of(["dog"], keypoints=[DOG])]))
    again = decode(*encode(column))
    sent = pickle.loads(pickle.dumps(column))  # noqa: S301 (own bytes)
    for one in (again, sent, column):
        assert one == column
        assert [len(points) for points in one[0].to_dict()["keypoints"]] == [4, 1]
        assert one[1].keypoints.sizes is None
        assert one[1:].objects.keypoints.size == 4
    read = Detections.read(json.loads(json.dumps(image.to_dict())))
    assert DetectionsColumn(DetectionColumns.of([read])) == column[:1]
    other = Detections.of(["dog", "pole"], keypoints=[DOG, [[7, 8], [0, 0]]], num_keypoints=[0, 1])
    assert DetectionsColumn(DetectionColumns.of([other])) != column[:1]


def test_malformed_lists_of_keypoints():
    with pytest.raises(InputError, match=r"keypoints of object 1 have the shape \(1, 4\)"):
        Keypoints.of([DOG, [[1, 2, 3, 4]]])
    with pytest.raises(InputError, match=r"object 1, keypoint 0 is \[1.0, nan, 2.0\]"):
        Keypoints.of([DOG, [[1, np.nan, 2]]])
    with pytest.raises(InputError, match="num_keypoints"):
        Keypoints.of([DOG, [[1, 2, 3]]], [1])
    with pytest.raises(InputError, match="objects have from 1 to 10000 keypoints; evaluate those with so"):
        Keypoints.of([[[1, 2, 2]]] * 200 + [[[1, 2, 2]] * 10_000])
