"""The protocol of Pascal VOC: golden numbers of its kit, and random data against plain loops."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import DetectionAveragePrecisionEvaluator, DetectionMatcher, Detections
from thresher.errors import InputError
from vision_cases import by_label

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
CASES = ["voc_01_basic", "voc_02_plus_one", "voc_04_only_difficult", "voc_05_recall_grid"]
KIT = {"11": "py-faster-rcnn voc_eval 781a917, 11 points", "area": "py-faster-rcnn voc_eval 781a917, area"}
DETECTRON2 = "area at .5:.05:.95 (Detectron2 does this)"
STEPS = [step / 100 for step in range(50, 100, 5)]


def side(rows, images):
    """Objects with boxes of whole pixels, both ends inside."""
    scored = any("score" in row for row in rows)
    entries = []
    for image in images:
        own = [row for row in rows if row["image"] == image]
        flags = None if scored else [bool(row["difficult"]) for row in own]
        entries.append(
            Detections.of(
                [row["label"] for row in own],
                [row["box"] for row in own] or None,
                [row["score"] for row in own] if scored else None,
                geometries=None if own else [],
                box_format="xyxy_inclusive",
                difficult=flags,
            )
        )
    return entries


def evaluated(case, **options):
    images = case["images"]
    sides = {"ground_truths": case["groundtruths"], "predictions": case["predictions"]}
    matches = DetectionMatcher().run(**{name: side(rows, images) for name, rows in sides.items()})["matches"]
    evaluator = DetectionAveragePrecisionEvaluator(matching="voc", **({"iou_thresholds": [0.5]} | options))
    return evaluator.run(matches=matches)["result"]


@pytest.mark.parametrize("integration", ["11", "area"])
def test_the_kit_of_voc(integration):
    for name in CASES:
        case = json.loads((GOLDEN / f"{name}.json").read_text())
        result = evaluated(case, integration=integration)
        expected = {
            f":{label}": row["ap"]
            for label, row in case["expected"][KIT[integration]].items()
            if label != "map" and "NaN" not in row["recall"]
        }
        assert by_label(result.detail("by_label"), "ap") == pytest.approx(expected, abs=1e-12), name
        assert result.score == pytest.approx(np.mean(list(expected.values()) or [np.nan]), nan_ok=True)


def test_the_area_at_ten_thresholds():
    for name in CASES:
        case = json.loads((GOLDEN / f"{name}.json").read_text())
        options = {"iou_thresholds": STEPS, "iou_thresholds_to_return": STEPS, "integration": "area"}
        table = evaluated(case, **options).detail("by_label")
        for row in table.rows():
            values = [row[f"ap_{step * 100:g}"] for step in STEPS]
            assert values == pytest.approx(case["expected"][DETECTRON2][row["label"]], abs=1e-12), name


def overlap(one, two):
    """Of boxes of whole pixels, both ends inside."""
    across = min(one[2], two[2]) - max(one[0], two[0]) + 1
    down = min(one[3], two[3]) - max(one[1], two[1]) + 1
    if across <= 0 or down <= 0:
        return 0.0
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (one, two)]
    return across * down / (sum(areas) - across * down)


def kit(case, label, threshold, integration):
    """The protocol as VOC's documentation describes it, one prediction at a time."""
    truths = [row for row in case["groundtruths"] if row["label"] == label]
    positives = sum(not row["difficult"] for row in truths)
    if not positives:
        return None
    taken, hits, points = set(), [], []
    rows = [row for row in case["predictions"] if row["label"] == label]
    rows.sort(key=lambda row: case["images"].index(row["image"]))
    for row in sorted(rows, key=lambda row: -row["score"]):
        pairs = [(overlap(row["box"], truth["box"]), -at) for at, truth in enumerate(truths)]
        same_image = [pair for pair in pairs if truths[-pair[1]]["image"] == row["image"]]
        best, at = max(same_image, default=(0.0, 0))
        if best > threshold and truths[-at]["difficult"]:
            continue
        is_hit = best > threshold and at not in taken
        taken |= {at} if is_hit else set()
        hits.append(is_hit)
        points.append((sum(hits) / positives, sum(hits) / len(hits)))
    if integration == "11":
        grid = np.arange(0, 1.1, 0.1)
        return np.mean([max((p for r, p in points if r >= recall), default=0.0) for recall in grid])
    rises = np.diff([0.0, *(r for r, _ in points)])
    return sum(rise * max(p for _, p in points[at:]) for at, rise in enumerate(rises))


def random_case(seed):
    """Crowded images with ties of scores and overlaps, duplicates and difficult objects."""
    rng = np.random.default_rng(seed)
    images = list("abcde")

    def rows(count, **more):
        return [
            {"image": str(rng.choice(images)), "label": str(rng.choice(["cat", "dog"])), "box": box(), **one}
            for one in ({name: make() for name, make in more.items()} for _ in range(count))
        ]

    def box():
        corner = rng.integers(0, 12, 2)
        return [*corner.tolist(), *(corner + rng.integers(2, 12, 2)).tolist()]

    truths = rows(14, difficult=lambda: bool(rng.random() < 0.2))
    noise = rows(20, score=lambda: round(float(rng.random()), 1))
    near = [
        {**{key: row[key] for key in ("image", "label")}, "box": [*row["box"][:3], row["box"][3] + 1]}
        | {"score": round(float(rng.random()), 1)}
        for row in truths
    ]
    return {"images": images, "groundtruths": truths, "predictions": noise + near}


@pytest.mark.parametrize("seed", range(8))
def test_random_data_against_plain_loops(seed):
    case = random_case(seed)
    for integration in ("11", "area"):
        for threshold in (0.3, 0.5):
            options = {"iou_thresholds": [threshold], "integration": integration}
            actual = by_label(evaluated(case, **options).detail("by_label"), "ap")
            values = {f":{label}": kit(case, label, threshold, integration) for label in ("cat", "dog")}
            expected = {label: value for label, value in values.items() if value is not None}
            assert actual == pytest.approx(expected, abs=1e-12), (integration, threshold)


def test_the_integration_is_part_of_the_signature_unless_it_is_the_usual_one():
    case = json.loads((GOLDEN / "voc_01_basic.json").read_text())
    usual, area = (str(evaluated(case, integration=name).measures[0].signature) for name in ("101", "area"))
    assert "integration" not in usual
    assert "integration:area" in area


def test_inclusive_boxes_have_whole_pixels():
    one = Detections.of(["cat"], [[3, 4, 3, 5]], box_format="xyxy_inclusive")
    assert one.boxes.tolist() == [[3, 4, 4, 6]]
    assert one.areas.tolist() == [2]
    with pytest.raises(InputError, match=r"box 0 is .*; give xmin <= xmax"):
        Detections.of(["cat"], [[3, 4, 2, 5]], box_format="xyxy_inclusive")
