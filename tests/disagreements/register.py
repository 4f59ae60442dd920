"""What the proofs of the rows share: their register, engines of golden cases, and short ways to a value."""

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionMatcher,
    Detections,
)
from vision_cases import by_label, by_threshold, classification_inputs, detection_inputs, golden

CORE, API = "valor_core_0.33.19", "valor_api_0.33.19"
LITE33, LITE39 = "valor_lite_0.33.19", "valor_lite_0.39.0"
SKLEARN, COCO = "sklearn_1.9.1", "pycocotools_2.0.11"
SQUARE, FAR = [0, 0, 10, 10], [50, 50, 60, 60]
PROOFS = {}


def shows(question):
    """Register a proof of a row."""

    def register(proof):
        PROOFS[question] = proof
        return proof

    return register


def expected(name, engine):
    found = golden(name)["expected"][engine]
    return found["class"] if "class" in found and "Accuracy" in found["class"] else found


def labels(evaluator, name):
    return evaluator.run(**classification_inputs(golden(name)))["result"]


def matched(name, **options):
    return DetectionMatcher(**options).run(**detection_inputs(golden(name)))["matches"]


def precision(name, rule, threshold=0.5):
    evaluator = DetectionAveragePrecisionEvaluator(
        matching=rule, iou_thresholds=[threshold], iou_thresholds_to_return=[threshold]
    )
    return evaluator.run(matches=matched(name))["result"]


def precision_of(name, rule, label, threshold=0.5):
    return by_label(precision(name, rule, threshold).detail("by_label"), "ap")[label]


def point(evaluator, name, label, *columns):
    curve = evaluator.run(matches=matched(name))["result"].detail("curve")
    return tuple(by_threshold(curve, *columns)[label]["0.05"].values())


def pairs(*images):
    """IoU of pairs of single geometries."""
    truths, found = zip(*images, strict=True)
    sides = [[Detections.of(["a"], geometries=[shape], scores=None) for shape in truths]]
    sides.append([Detections.of(["a"], geometries=[shape], scores=[0.9]) for shape in found])
    return (
        DetectionMatcher().run(ground_truths=sides[0], predictions=sides[1])["matches"].pairs().iou.tolist()
    )


def boxes(*images, **options):
    """Matches of images, each a list of true (label, box) and of predicted (label, box, score)."""
    truths = [Detections.of([row[0] for row in true], [row[1] for row in true] or None) for true, _ in images]
    found = [
        Detections.of([row[0] for row in each], [row[1] for row in each] or None, [row[2] for row in each])
        for _, each in images
    ]
    return DetectionMatcher(**options).run(ground_truths=truths, predictions=found)["matches"]
