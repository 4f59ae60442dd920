"""The metrics of recipes that follow the protocols of detection benchmarks.

The components load when a recipe is built, not with the list of recipes.
"""

from typing import Any

DOTA = "DOTA's kit decides so: the best object, taken or not, overlap above 0.5, 11 recalls"
VOC = "the kit of Pascal VOC decides so: the best object, taken or not, by an overlap above 0.5"
BOUNDARY = "the recipe is for outlines, which hardly change the overlap of large masks"
UPRIGHT = "the recipe is for boxes, so objects with masks are compared by their boxes"
AVERAGED = ("matching", "iou_thresholds", "iou_thresholds_to_return", "integration", "name")
"""Options in which the average precision of a benchmark differs from the default."""
ROTATED = "masks are compared by their outlines, as rotated boxes are"


def boundary() -> list[Any]:
    """COCO's numbers by boundary IoU, and by mask IoU next to them."""
    from thresher.components.detection.coco import DetectionCocoEvaluator
    from thresher.components.detection.matcher import DetectionMatcher

    return [
        DetectionMatcher(compare_as="boundary"),
        DetectionCocoEvaluator(name="detection_boundary"),
        DetectionMatcher(),
        "detection_coco",
    ]


def kitti() -> list[Any]:
    """The average precisions of KITTI's three levels."""
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as="box"), "detection_kitti", "detection_confusion_matrix"]


def oriented() -> list[Any]:
    """COCO's numbers and DOTA's of rotated boxes."""
    from thresher.components.detection.matcher import DetectionMatcher

    others = ("confusion_matrix", "error", "f1")
    return [
        DetectionMatcher(compare_as="polygon"),
        "detection_coco",
        _average_precision("detection_dota_map", "11"),
        *(f"detection_{name}" for name in others),
    ]


def voc() -> list[Any]:
    """The average precisions of 2007 and since 2010, and what else follows from the same hits."""
    from thresher.components import metric_class
    from thresher.components.detection.matcher import DetectionMatcher

    return [
        DetectionMatcher(compare_as="box"),
        _average_precision("detection_voc2010_map", "area"),
        _average_precision("detection_voc2007_map", "11"),
        *(metric_class(f"detection_{name}")(matching="voc") for name in ("confusion_matrix", "f1")),
    ]


def _average_precision(name: str, integration: Any) -> Any:
    """The mean average precision at IoU 0.5 by the rule of Pascal VOC."""
    from thresher.components.detection.average_precision import DetectionAveragePrecisionEvaluator

    return DetectionAveragePrecisionEvaluator(
        matching="voc",
        iou_thresholds=[0.5],
        iou_thresholds_to_return=[],
        integration=integration,
        name=name,
    )


def reasons(reason: str, *names: str, options: tuple[str, ...]) -> dict[str, str]:
    """One reason for several options of several components."""
    return {f"{name}.{option}": reason for name in names for option in options}
