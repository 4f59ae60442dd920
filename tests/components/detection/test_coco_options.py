"""Options of COCO's evaluation, against the numbers of pycocotools."""

import json
from pathlib import Path

import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher, Detections

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
OPTIONS = {
    "opt_01_iou_list": {"iou_thresholds": [0.3, 0.5, 0.9]},
    "opt_02_max_detections": {"max_detections": [1, 10, 500]},
    "opt_04_class_agnostic": {},
    "opt_06_recall_points": {"recall_points": [at / 10 for at in range(11)]},
}
SIZES = ("small", "medium", "large")


def matched(case):
    names = {row["id"]: row["name"] for row in case["gt"]["categories"]}
    images = [row["id"] for row in case["gt"]["images"]]

    def side(rows):
        entries = []
        for image in images:
            # pycocotools lists the objects of an image by category, which orders equal scores.
            own = sorted((r for r in rows if r["image_id"] == image), key=lambda r: r["category_id"])
            scored = {"scores": [row["score"] for row in own]} if rows is case["dt"] else {}
            truth = {} if scored else {"areas": [row["area"] for row in own]}
            truth |= {} if scored else {"crowd": [bool(row["iscrowd"]) for row in own]}
            labels = [names[row["category_id"]] for row in own]
            boxes = [row["bbox"] for row in own]
            more = {"box_format": "xywh", **scored, **truth}
            entries.append(Detections.of(labels, boxes, **more) if own else Detections.of([]))
        return entries

    matcher = DetectionMatcher(class_agnostic=case["parameters"].get("useCats") == 0)
    return matcher.run(predictions=side(case["dt"]), ground_truths=side(case["gt"]["annotations"]))["matches"]


def mean(values):
    return sum(values) / len(values)


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_pycocotools(name):
    case = json.loads((GOLDEN / f"{name}.json").read_text())
    expected = case["expected"]["pycocotools_2.0.11"]
    evaluator = DetectionCocoEvaluator(**OPTIONS[name])
    result = evaluator.run(matches=matched(case))["result"]
    last = str(evaluator.max_detections[-1])
    precisions, recalls = expected["AP[iou][area][maxDets]"], expected["AR[area][maxDets]"]
    wanted = {"map": mean([by_area["all"][last] for by_area in precisions.values()])}
    wanted |= {
        f"map_{100 * float(iou):g}": precisions[iou]["all"][last]
        for iou in ("0.5", "0.75")
        if iou in precisions
    }
    wanted |= {f"mar_{most}": recalls["all"][str(most)] for most in evaluator.max_detections}
    for size in SIZES:
        wanted[f"map_{size}"] = mean([by_area[size][last] for by_area in precisions.values()])
        wanted[f"mar_{size}"] = recalls[size][last]
    actual = {measure.name: result.value(measure.name) for measure in result.measures}
    wanted = {f"detection_coco_{key}": value for key, value in wanted.items()}
    assert actual == pytest.approx(wanted, abs=1e-12)
    by_class = expected["per_class_AP_all_last"]
    if case["parameters"].get("useCats") != 0:
        assert sorted(result.detail("by_label").columns["ap"]) == pytest.approx(sorted(by_class.values()))


def test_options_are_signed_where_they_differ_from_coco_s():
    case = json.loads((GOLDEN / "opt_01_iou_list.json").read_text())
    matches = matched(case)

    def signature(**options):
        return str(DetectionCocoEvaluator(**options).run(matches=matches)["result"].measures[0].signature)

    assert not any(option in signature() for option in ("iou_thresholds", "recall_points", "class_agnostic"))
    assert "iou_thresholds:0.3,0.5" in signature(iou_thresholds=[0.3, 0.5])
    assert "recall_points:0,0.5,1" in signature(recall_points=[0, 0.5, 1])
    agnostic = json.loads((GOLDEN / "opt_04_class_agnostic.json").read_text())
    result = DetectionCocoEvaluator().run(matches=matched(agnostic))["result"]
    assert "class_agnostic:yes" in str(result.measures[0].signature)
    assert result.detail("by_label").columns["label"] == ["object"]
