"""COCO's keypoint numbers: golden cases, random data against pycocotools, and what they are made of."""

import json
from pathlib import Path

import numpy as np
import pytest

from coco_files import columns, keypoint_stats
from thresher import evaluate
from thresher.components.detection import (
    DetectionF1Evaluator,
    DetectionKeypointsEvaluator,
    DetectionMatcher,
    Detections,
)
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("kp_*.json"))}
NAMES = ("AP", "AP50", "AP75", "APm", "APl", "AR", "AR50", "AR75", "ARm", "ARl")
PERSON = [[10 * at, 5 * at, 2] for at in range(17)]


def matched(folder, truth, results, sigmas=None):
    matcher = DetectionMatcher(compare_as="keypoints", sigmas=sigmas)
    return matcher.run(**columns(folder, truth, results, "keypoints"))["matches"]


def ten(matches, **options):
    result = DetectionKeypointsEvaluator(**options).run(matches=matches)["result"]
    return [result.value(measure.name) for measure in result.measures]


@pytest.mark.parametrize("name", CASES)
def test_golden_cases(tmp_path, name):
    case = CASES[name]
    sigmas = case["parameters"]["sigmas"]
    expected = case["expected"]["pycocotools_2.0.11"]
    if name == "kp_10_wrong_sigma_count":
        with pytest.raises(InputError, match=r"5 keypoints per object, and sigmas has 17"):
            matched(tmp_path, case["gt"], case["dt"], sigmas)
        return
    if name == "kp_13_no_num_keypoints":  # pycocotools raises KeyError; labelled keypoints are counted
        expected = case["expected"]["hotcoco_1.3.0"]
    numbers = ten(matched(tmp_path, case["gt"], case["dt"], sigmas))
    known = [np.nan if expected[key] == -1 else expected[key] for key in NAMES]
    assert numbers == pytest.approx(known, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["kp_01_oks_values", "kp_03_no_labelled_keypoints", "kp_09_custom_sigmas"])
def test_similarities_worked_out_by_hand(tmp_path, name):
    case = CASES[name]
    matches = matched(tmp_path, case["gt"], case["dt"], case["parameters"]["sigmas"])
    pairs = matches.pairs()
    true, predicted = matches.truths.ids[pairs.truth], matches.predictions.ids[pairs.prediction]
    found = {f"dt{a}-gt{b}": iou for a, b, iou in zip(predicted, true, pairs.iou, strict=True)}
    assert found == pytest.approx(case["hand"]["oks"], abs=1e-15, rel=1e-9)


def people(seed, joints=17):
    """Persons with crowds, unlabelled ones, contradicting counts, equal scores, all sizes; and results."""
    rng = np.random.default_rng(seed)
    images = [{"id": at * 2 + 1, "width": 640, "height": 480} for at in range(12)]
    truths, results = [], []
    categories = [{"id": at, "name": f"c{at}"} for at in (1, 5)[: 1 + seed % 2]]
    skeleton = rng.uniform(0, 1, (joints, 2))
    with_boxes = seed % 3 > 0
    for image in images:
        for _ in range(rng.integers(0, 5)):
            low, size = rng.uniform(0, 300, 2), np.exp(rng.uniform(3, 5.2, 2))
            points = np.round(low + skeleton * size)
            seen = rng.choice([0, 1, 2], joints, p=[0.3, 0.2, 0.5]) * (rng.random() < 0.85)
            category = int(rng.choice([row["id"] for row in categories]))
            common = {"image_id": image["id"], "category_id": category}
            count = int((seen > 0).sum()) if rng.random() < 0.9 else int(rng.integers(0, 2))
            truth = common | {
                "id": len(truths) + 1,
                "num_keypoints": count,
                "iscrowd": int(rng.random() < 0.1),
            }
            area = float(np.round(size.prod() * 0.6)) if rng.random() < 0.95 else 0.0
            truth |= {"keypoints": np.hstack([points, seen[:, None]]).ravel().tolist(), "area": area}
            truths.append(truth | {"bbox": [*low.tolist(), *size.tolist()]})
            for _ in range(rng.integers(0, 4)):
                noise = rng.normal(0, size.mean() * rng.choice([0.0, 0.02, 0.08]), points.shape)
                moved = np.hstack([points + np.round(noise), np.ones((joints, 1))]).ravel().tolist()
                score = round(float(rng.random()), 1)
                box = {"bbox": [*low.tolist(), *(size * 1.1).tolist()]} if with_boxes else {}
                results.append(common | {"keypoints": moved, "score": score} | box)
    order = rng.permutation(len(results)).tolist()
    truth = {"images": images, "annotations": truths, "categories": categories}
    return truth, [results[at] for at in order]


@pytest.mark.parametrize("seed", range(6))
def test_the_numbers_are_those_of_pycocotools(tmp_path, seed):
    sigmas = None if seed % 2 else (0.05, 0.1, 0.02, 0.08, 0.03)
    truth, results = people(seed, 17 if sigmas is None else len(sigmas))
    numbers = ten(matched(tmp_path, truth, results, sigmas))
    assert numbers == pytest.approx(keypoint_stats(truth, results, sigmas), abs=1e-12, nan_ok=True)
    assert np.nanmax(numbers) > 0


def test_more_than_twenty_persons_an_image_do_not_count(tmp_path):
    case = CASES["kp_01_oks_values"]
    wrong = [{**case["dt"][-1], "score": 0.99}] * 20
    results = [*wrong, case["dt"][0]]
    matches = matched(tmp_path, case["gt"], results)
    assert ten(matches)[0] == 0.0 < ten(matches, max_detections=21)[0]
    assert ten(matches) == pytest.approx(keypoint_stats(case["gt"], results), abs=1e-12, nan_ok=True)


def test_the_table_by_keypoint():
    wrist = [*PERSON[:9], [PERSON[9][0] + 40, PERSON[9][1], 2], *PERSON[10:]]
    hidden = [[*PERSON[0][:2], 0], *PERSON[1:]]
    truth = [{"labels": ["person"], "keypoints": [points], "areas": [10000.0]} for points in (PERSON, hidden)]
    found = [{"labels": ["person"], "keypoints": [points], "scores": [0.9]} for points in (wrist, PERSON)]
    matches = DetectionMatcher(compare_as="keypoints").run(predictions=found, ground_truths=truth)["matches"]
    result = DetectionKeypointsEvaluator().run(matches=matches)["result"]
    rows = {row["keypoint"]: row for row in result.detail("by_keypoint").rows()}
    similarity = np.exp(-(40**2) / (2 * (2 * 0.062) ** 2 * 10000))
    assert list(rows)[:2] == ["nose", "left_eye"]
    assert rows["nose"]["objects"] == 1
    wrong = rows["left_wrist"]
    assert (wrong["distance"], wrong["correct"], wrong["objects"]) == (20.0, 0.5, 2)
    assert wrong["similarity"] == pytest.approx((1 + similarity) / 2)
    assert {row["correct"] for name, row in rows.items() if name != "left_wrist"} == {1.0}
    lenient = DetectionKeypointsEvaluator(tolerance=similarity / 2, keypoint_names=["a", "b"])
    table = list(lenient.run(matches=matches)["result"].detail("by_keypoint").rows())
    assert [row["keypoint"] for row in table[:3]] == ["a", "b", "3"]
    assert {row["correct"] for row in table} == {1.0}
    first_image = {
        row["keypoint"]: row for row in result.detail("by_keypoint", weights=np.array([1, 0])).rows()
    }
    assert first_image["left_wrist"]["distance"] == 40.0


def test_other_metrics_match_by_keypoints_too():
    image = {"labels": ["person"], "keypoints": [PERSON], "boxes": [[0, 0, 5, 5]], "areas": [10000.0]}
    far = image | {"boxes": [[200, 200, 300, 300]], "scores": [0.9]}
    matches = DetectionMatcher(compare_as="keypoints").run(predictions=[far], ground_truths=[image])[
        "matches"
    ]
    assert DetectionF1Evaluator().run(matches=matches)["score"] == 1.0
    for rule in ("valor", "valor-code", "voc"):
        nobody = image | {"num_keypoints": [0]}
        again = DetectionMatcher(compare_as="keypoints").run(predictions=[far], ground_truths=[nobody])[
            "matches"
        ]
        assert DetectionF1Evaluator(matching=rule).run(matches=matches)["score"] == 1.0
        assert np.isnan(DetectionF1Evaluator(matching=rule).run(matches=again)["score"])


def test_a_metric_by_name_gets_a_matcher_of_keypoints():
    image = {"labels": ["person"], "keypoints": [PERSON]}
    data = {"ground_truths": [image], "predictions": [image | {"scores": [0.9]}]}
    assert evaluate(["detection_keypoints"], data).metrics["detection_keypoints_map"].value == 1.0


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ({"boxes": [[0, 0, 1, 1]]}, "not all ground_truths have keypoints; give them to each object"),
        (
            {"keypoints": [PERSON[:5]]},
            "ground_truths of 'person' have 5 keypoints per object, and COCO's sigmas are for 17",
        ),
        ({"keypoints": [[1, 2, 3]]}, r"ground_truths\[0\]: keypoints have the shape \(1, 3\)"),
        ({"keypoints": [[*PERSON[:16], [np.nan, 1, 2]]]}, "object 0, keypoint 16 is "),
        ({"keypoints": [PERSON], "num_keypoints": [-1]}, "num_keypoints is "),
        ({"keypoints": [PERSON, PERSON]}, "keypoints has 2 entries for 1 label"),
    ],
)
def test_objects_that_cannot_be_compared(side, message):
    found = {"labels": ["person"], "keypoints": [PERSON], "scores": [0.5]}
    with pytest.raises(InputError, match=message):
        DetectionMatcher(compare_as="keypoints").run(
            predictions=[found], ground_truths=[{"labels": ["person"], **side}]
        )


def test_wrong_options():
    with pytest.raises(InputError, match="sigmas is an option of compare_as='keypoints'"):
        DetectionMatcher(sigmas=[0.1])
    with pytest.raises(InputError, match="sigmas"):
        DetectionMatcher(compare_as="keypoints", sigmas=[0.1, 0.0])
    boxes = Detections.of(["a"], [[0, 0, 1, 1]], [0.5])
    matches = DetectionMatcher().run(predictions=[boxes], ground_truths=[boxes])["matches"]
    with pytest.raises(InputError, match="use DetectionMatcher"):
        DetectionKeypointsEvaluator().run(matches=matches)


def test_objects_survive_plain_data_and_columns():
    image = Detections.of(["a", "b"], keypoints=[PERSON, PERSON[::-1]], num_keypoints=[0, 3])
    again = Detections.read(json.loads(json.dumps(image.to_dict())))
    assert again.keypoints.points.tolist() == image.keypoints.points.tolist()
    assert again.keypoints.counts.tolist() == [0, 3]
    assert again.boxes.tolist() == [[0, 0, 160, 80]] * 2
