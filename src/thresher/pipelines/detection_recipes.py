"""Recipes of objects in images, and of the protocols of detection benchmarks.

The components load when a recipe is built, not with the list of recipes.
"""

from typing import Any, Literal

from thresher.pipelines.recipe import PRIMARY, Recipe

_LVIS = "detectors are ranked by LVIS's mean average precision"
_RANKED = "detectors are ranked by COCO's mean average precision"
_DOTA = "DOTA's kit decides so: the best object, taken or not, overlap above 0.5, 11 recalls"
_VOC = "the kit of Pascal VOC decides so: the best object, taken or not, by an overlap above 0.5"
_BOUNDARY = "the recipe is for outlines, which hardly change the overlap of large masks"
_UPRIGHT = "the recipe is for boxes, so objects with masks are compared by their boxes"
_AVERAGED = ("matching", "iou_thresholds", "iou_thresholds_to_return", "integration", "name")
"""Options in which the average precision of a benchmark differs from the default."""
_CURVE = {
    "detection_precision_recall_curve.matching": "the other metrics of the recipe match by COCO's rule, too"
}
_ROTATED = "masks are compared by their outlines, as rotated boxes are"


def _boundary() -> list[Any]:
    """COCO's numbers by boundary IoU, and by mask IoU next to them."""
    from thresher.components.detection.coco import DetectionCocoEvaluator
    from thresher.components.detection.matcher import DetectionMatcher

    return [
        DetectionMatcher(compare_as="boundary"),
        DetectionCocoEvaluator(name="detection_boundary"),
        DetectionMatcher(),
        "detection_coco",
    ]


def _kitti() -> list[Any]:
    """The average precisions of KITTI's three levels."""
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as="box"), "detection_kitti", "detection_confusion_matrix"]


def _oriented() -> list[Any]:
    """COCO's numbers and DOTA's of rotated boxes."""
    from thresher.components.detection.matcher import DetectionMatcher

    others = ("confusion_matrix", "error", "f1")
    return [
        DetectionMatcher(compare_as="polygon"),
        "detection_coco",
        _average_precision("detection_dota_map", "11"),
        *(f"detection_{name}" for name in others),
    ]


def _voc() -> list[Any]:
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


def _reasons(reason: str, *names: str, options: tuple[str, ...]) -> dict[str, str]:
    """One reason for several options of several components."""
    return {f"{name}.{option}": reason for name in names for option in options}


def _detection(compare_as: Literal["box", "polygon"] | None) -> list[Any]:
    from thresher.components import metric_class
    from thresher.components.detection.matcher import DetectionMatcher

    others = ("confusion_matrix", "error", "f1")
    return [
        DetectionMatcher(compare_as=compare_as),
        "detection_coco",
        metric_class("detection_precision_recall_curve")(matching="coco"),
        *(f"detection_{name}" for name in others),
    ]


def _keypoints() -> list[Any]:
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as="keypoints"), "detection_keypoints", "detection_f1"]


def _lvis(compare_as: Literal["box"] | None) -> list[Any]:
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as=compare_as), "detection_lvis"]


def _open_images() -> list[Any]:
    """The average precisions of the challenge, where a group is one object, and of the second version."""
    from thresher.components.detection.matcher import DetectionMatcher
    from thresher.components.detection.open_images import DetectionOpenImagesEvaluator

    second = DetectionOpenImagesEvaluator(groups="ignore", name="detection_open_images_v2")
    return [DetectionMatcher(compare_as="box"), "detection_open_images", second]


DETECTION_RECIPES: dict[str, Recipe] = {
    "boundary_segmentation": Recipe(
        "outlines of masks with labels and scores against true ones",
        ("predictions", "ground_truths"),
        _boundary,
        ("detection_boundary_map",),
        "--gt instances.json --data results.json",
        {
            PRIMARY: _BOUNDARY,
            "matcher.compare_as": _BOUNDARY,
            "detection_boundary.name": "the same numbers by mask IoU are next to them",
        },
    ),
    "instance_segmentation": Recipe(
        "masks, polygons and rotated boxes with labels and scores against true ones",
        ("predictions", "ground_truths"),
        lambda: _detection(None),
        ("detection_coco_map",),
        "--gt instances.json --data results.json",
        {PRIMARY: _RANKED, **_CURVE},
    ),
    "keypoint_detection": Recipe(
        "keypoints of persons or other objects, with labels and scores, against true ones",
        ("predictions", "ground_truths"),
        _keypoints,
        ("detection_keypoints_map",),
        "--gt person_keypoints.json --data results.json",
        {
            PRIMARY: "models are ranked by COCO's mean average precision of keypoints",
            "matcher.compare_as": "the recipe is for keypoints, which are compared only on request",
        },
    ),
    "kitti_detection": Recipe(
        "boxes with labels and scores against true ones, by the rules of KITTI's object benchmark",
        ("predictions", "ground_truths"),
        _kitti,
        ("detection_kitti_map_moderate",),
        "--gt label_2 --data results",
        {
            PRIMARY: "the benchmark ranks methods by the moderate level",
            "matcher.compare_as": _UPRIGHT,
        },
    ),
    "lvis_detection": Recipe(
        "boxes with labels and scores against those of LVIS, whose images are checked for some labels",
        ("predictions", "ground_truths"),
        lambda: _lvis("box"),
        ("detection_lvis_map",),
        "--gt lvis.json --data detections.json",
        {
            PRIMARY: _LVIS,
            "matcher.compare_as": "the recipe is for boxes; masks are those of lvis_segmentation",
        },
    ),
    "lvis_segmentation": Recipe(
        "masks with labels and scores against those of LVIS, whose images are checked for some labels",
        ("predictions", "ground_truths"),
        lambda: _lvis(None),
        ("detection_lvis_map",),
        "--gt lvis.json --data results.json",
        {PRIMARY: _LVIS},
    ),
    "object_detection": Recipe(
        "boxes with labels and scores against true ones",
        ("predictions", "ground_truths"),
        lambda: _detection("box"),
        ("detection_coco_map",),
        "--gt instances.json --data detections.json",
        {
            PRIMARY: _RANKED,
            "matcher.compare_as": _UPRIGHT,
            **_CURVE,
        },
    ),
    "open_images_detection": Recipe(
        "boxes with labels and scores against those of Open Images, with groups and a hierarchy of labels",
        ("predictions", "ground_truths"),
        _open_images,
        ("detection_open_images_map",),
        "--gt boxes.csv --data predictions.csv",
        {
            PRIMARY: "the challenge ranks detectors so",
            "matcher.compare_as": _UPRIGHT,
            **_reasons(
                "the second version of Open Images ignores groups",
                "detection_open_images_v2",
                options=("groups", "name"),
            ),
        },
    ),
    "oriented_detection": Recipe(
        "rotated boxes with labels and scores against true ones, by COCO's and DOTA's protocols",
        ("predictions", "ground_truths"),
        _oriented,
        ("detection_coco_map",),
        "--gt labelTxt --data results",
        {
            PRIMARY: _RANKED,
            "matcher.compare_as": _ROTATED,
            **_reasons(_DOTA, "detection_dota_map", options=_AVERAGED),
        },
    ),
    "voc_detection": Recipe(
        "boxes with labels and scores against true ones, by the protocol of Pascal VOC",
        ("predictions", "ground_truths"),
        _voc,
        ("detection_voc2010_map",),
        "--gt Annotations --data results",
        {
            PRIMARY: "the average precision of 2007 jumps at its 11 recalls",
            "matcher.compare_as": _UPRIGHT,
            **_reasons(
                _VOC,
                *("detection_voc2007_map", "detection_voc2010_map"),
                options=_AVERAGED,
            ),
            **_reasons(_VOC, "detection_confusion_matrix", "detection_f1", options=("matching",)),
        },
    ),
}
"""By name."""
