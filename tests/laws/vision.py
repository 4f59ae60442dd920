"""What the laws are tried on for classification, detection and segmentation; arguments of `Case`."""

from typing import Any

from thresher.components.detection import DetectionMatcher

LABELS = {
    "ground_truths": ["cat", "dog", "dog", "cat", "ape"],
    "predictions": [
        {"cat": 0.7, "dog": 0.3, "ape": 0.0},
        {"cat": 0.55, "dog": 0.45, "ape": 0.5},
        {"cat": 0.2, "dog": 0.72, "ape": 0.08},
        {"cat": 0.6, "dog": 0.3},
        {"dog": 0.61, "ape": 0.39},
    ],
}
PROBABILITIES = {
    "ground_truths": ["cat", "dog", "dog", "cat", "ape"],
    "predictions": [
        {"cat": 0.7, "dog": 0.3, "ape": 0.0},
        {"cat": 0.5, "dog": 0.1, "ape": 0.4},
        {"cat": 0.2, "dog": 0.72, "ape": 0.08},
        {"cat": 0.6, "dog": 0.4},
        {"dog": 0.35, "ape": 0.35, "cat": 0.3},
    ],
}
GRADES = {"ground_truths": [1, 2, 3, 5, 5], "predictions": [1, 3, 1, 5, 2]}
TWO_LABELS = {
    "ground_truths": ["ham", "spam", "spam", "ham", "spam", "ham"],
    "predictions": [
        {"ham": 0.7, "spam": 0.3},
        {"ham": 0.4, "spam": 0.6},
        {"ham": 0.8, "spam": 0.2},
        {"ham": 0.65},
        {"spam": 0.9},
        {"ham": 0.35, "spam": 0.65},
    ],
}
LABEL_SETS = {
    "ground_truths": [["cat", "dog"], ["dog"], [], ["ape", "cat"], ["cat"]],
    "predictions": [
        {"cat": 0.9, "dog": 0.3, "ape": 0.1},
        {"cat": 0.6, "dog": 0.7, "ape": 0.8},
        {"cat": 0.2, "dog": 0.1, "ape": 0.3},
        {"cat": 0.55, "dog": 0.6, "ape": 0.2},
        {"cat": 0.4, "dog": 0.5, "ape": 0.3},
    ],
}
_PARTLY_SCORED = {
    **LABEL_SETS,
    "predictions": [*LABEL_SETS["predictions"][:4], {"dog": 0.5, "ape": 0.3}],
}


def _side(*images: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    names = ("labels", "boxes", "scores")
    return [dict(zip(names, map(list, zip(*rows, strict=True)), strict=False)) for rows in images]


MATCHES = {
    "matches": list(
        DetectionMatcher().run(
            ground_truths=_side(
                [("cat", [0, 0, 10, 10]), ("dog", [20, 20, 30, 30])],
                [("dog", [0, 0, 10, 10])],
                [("cat", [0, 0, 40, 40]), ("cat", [0, 0, 40, 50])],
                [("dog", [5, 5, 9, 9]), ("cat", [50, 50, 60, 60])],
            ),
            predictions=_side(
                [("cat", [0, 0, 10, 4], 0.95), ("cat", [0, 0, 10, 9], 0.9), ("cat", [20, 20, 30, 29], 0.8)],
                [("dog", [0, 0, 10, 6], 0.7), ("cat", [40, 40, 50, 50], 0.3)],
                [("cat", [0, 0, 40, 40], 0.85), ("cat", [0, 0, 40, 44], 0.6), ("dog", [1, 1, 9, 9], 0.55)],
                [("dog", [5, 5, 9, 9], 0.45), ("cat", [50, 50, 60, 54], 0.4), ("dog", [7, 5, 9, 9], 0.35)],
            ),
        )["matches"]
    )
}


def _pose(left, size, label="person", moved=()):
    """Seventeen keypoints on a diagonal, the last one not labelled; some are moved to the right."""
    points = [[left + size * at / 16, 10 + size * at / 16, 2 if at < 16 else 0] for at in range(17)]
    for at, by in moved:
        points[at][0] += by
    return {"label": label, "keypoints": points, "area": float(size**2)}


def _poses(*images):
    """Images of poses; a true one has no score."""
    return [
        {
            "labels": [pose["label"] for pose in image],
            "keypoints": [pose["keypoints"] for pose in image],
            "areas": [pose["area"] for pose in image],
            **({"scores": [pose["score"] for pose in image]} if "score" in image[0] else {}),
        }
        for image in images
    ]


POSES = {
    "matches": list(
        DetectionMatcher(compare_as="keypoints").run(
            ground_truths=_poses(
                [_pose(10, 40), _pose(200, 120)],
                [_pose(30, 50), _pose(300, 100, "dog")],
                [_pose(10, 20), _pose(90, 110)],
                [_pose(10, 60, "dog")],
            ),
            predictions=_poses(
                [
                    _pose(11, 40) | {"score": 0.9},
                    _pose(200, 120, moved=[(1, 14)]) | {"score": 0.8},
                    _pose(205, 120) | {"score": 0.95},
                ],
                [_pose(30, 50, moved=[(0, 9)]) | {"score": 0.7}, _pose(5, 40) | {"score": 0.75}],
                [_pose(12, 20) | {"score": 0.85}, _pose(90, 110, "dog") | {"score": 0.4}],
                [
                    _pose(14, 60, "dog", moved=[(2, 30)]) | {"score": 0.6},
                    _pose(10, 60, "dog") | {"score": 0.5},
                ],
            ),
        )["matches"]
    )
}


def _checked(side):
    """The true objects of `MATCHES`, as of a data set whose images are checked for some labels."""
    lists = [
        {"absent": ["dog"]},
        {"absent": ["cat"], "not_exhaustive": ["cat"]},
        {"absent": ["dog"]},
        {"not_exhaustive": ["dog"], "ignored": [0, 0]},
    ]
    groups = {"cat": "rare", "dog": "common"}
    lists = [
        {**known, "frequency": [groups[label] for label in entry["labels"]]}
        for entry, known in zip(side, lists, strict=True)
    ]
    return [{**entry, "federated": known} for entry, known in zip(side, lists, strict=True)]


FEDERATED = {
    "matches": list(
        DetectionMatcher().run(
            ground_truths=_checked(
                _side(
                    [("cat", [0, 0, 10, 10]), ("dog", [20, 20, 30, 30])],
                    [("dog", [0, 0, 10, 10])],
                    [("cat", [0, 0, 40, 40]), ("cat", [0, 0, 40, 50])],
                    [("dog", [5, 5, 9, 9]), ("cat", [50, 50, 60, 60])],
                )
            ),
            predictions=_side(
                [("cat", [0, 0, 10, 9], 0.9), ("cat", [20, 20, 30, 29], 0.95)],
                [("dog", [0, 0, 10, 8], 0.7), ("cat", [40, 40, 50, 50], 0.3)],
                [("cat", [0, 0, 40, 38], 0.85), ("cat", [0, 0, 40, 44], 0.6), ("dog", [1, 1, 9, 9], 0.55)],
                [("dog", [5, 5, 9, 9], 0.45), ("cat", [50, 50, 60, 57], 0.4), ("dog", [7, 5, 9, 9], 0.35)],
            ),
        )["matches"]
    )
}

GROUPS = {
    "matches": list(
        DetectionMatcher().run(
            ground_truths=[
                {**entry, "crowd": crowd}
                for entry, crowd in zip(
                    _side(
                        [("cat", [0, 0, 40, 40]), ("dog", [50, 50, 60, 60])],
                        [("cat", [0, 0, 10, 10]), ("cat", [2, 0, 12, 10])],
                        [("dog", [0, 0, 40, 40])],
                        [("dog", [5, 5, 9, 9]), ("cat", [50, 50, 60, 60])],
                    ),
                    [[1, 0], [0, 0], [1], [0, 0]],
                    strict=True,
                )
            ],
            predictions=_side(
                [
                    ("cat", [0, 0, 10, 10], 0.9),
                    ("cat", [20, 20, 30, 29], 0.8),
                    ("dog", [50, 50, 60, 57], 0.7),
                ],
                [
                    ("cat", [0, 0, 10, 10], 0.85),
                    ("cat", [0, 0, 11, 10], 0.75),
                    ("cat", [40, 40, 50, 50], 0.65),
                ],
                [("dog", [30, 30, 44, 44], 0.95), ("dog", [1, 1, 9, 9], 0.55)],
                [("dog", [5, 5, 9, 9], 0.45), ("cat", [50, 50, 60, 57], 0.4), ("dog", [7, 5, 9, 9], 0.35)],
            ),
        )["matches"]
    )
}


def _larger(image: Any) -> dict[str, Any]:
    entry = image.to_dict()
    return {**entry, "boxes": [[10 * edge for edge in box] for box in entry["boxes"]]}


TALL = list(
    DetectionMatcher().run(
        ground_truths=[_larger(image.truths[0]) for image in MATCHES["matches"]],
        predictions=[_larger(image.predictions[0]) for image in MATCHES["matches"]],
    )["matches"]
)
"""The same objects, high enough for KITTI's benchmark."""
MAPS = {
    "ground_truths": [[[1, 1, 2]], [[2, 2, 3]], [[1, 3, 3]], [[1, 2, 3]]],
    "predictions": [[[1, 2, 2]], [[2, 2, 3]], [[1, 3, 1]], [[2, 2, 4]]],
}
_INFOS = {1: ("cat", True), 2: ("dog", True), 3: ("sky", False), 4: ("cat", True), 5: ("sky", False)}


def _segments(ids: list[int], crowd: tuple[int, ...] = (), area: float | None = None) -> dict[str, Any]:
    infos = [
        {"id": key, "label": _INFOS[key][0], "isthing": _INFOS[key][1], "iscrowd": key in crowd, "area": area}
        for key in sorted({*ids} - {0})
    ]
    return {"segmentation": [ids], "segments_info": infos}


PANOPTIC = {
    "ground_truths": [
        _segments([1, 1, 1, 2, 2, 3, 3, 0], area=4.0),
        _segments([1, 1, 4, 4, 3, 3, 5, 5], area=1.0),
        _segments([2, 2, 2, 1, 1, 1, 4, 4], crowd=(1, 4), area=2.0),
        _segments([3, 3, 3, 3, 2, 2, 0, 0], area=4.0),
    ],
    "predictions": [
        _segments([1, 1, 1, 1, 2, 3, 3, 3]),
        _segments([4, 4, 2, 2, 3, 3, 3, 3]),
        _segments([2, 2, 2, 4, 4, 4, 1, 1]),
        _segments([3, 3, 3, 0, 0, 2, 2, 1]),
    ],
}
_READING = frozenset({"positive", "labels"})
"""Options that say how scores without labels are read, and change no number of those that have labels."""
_CURVE = {"changes": {"thresholds": [0.3, 0.6], "unlabelled": "negative"}}
_AVERAGED = {
    "changes": {"average": "weighted", "undefined": "one"},
    "reporting": frozenset({"report"}) | _READING,
}
_SEARCH = frozenset({"min_precision", "min_recall"})
_AT = {"matching": "valor", "iou_threshold": 0.7}

VISION: dict[str, dict[str, Any]] = {
    "classification_accuracy": {"inputs": LABELS, "reporting": frozenset({"confusion"}) | _READING},
    "classification_average_precision": {
        "inputs": TWO_LABELS,
        "changes": {"missing_score": 0.5, "positive": "spam"},
        "reporting": frozenset({"labels"}),
    },
    "classification_balanced_accuracy": {
        "inputs": LABELS,
        "changes": {"adjusted": True},
        "reporting": _READING,
    },
    "classification_brier_score": {
        "inputs": PROBABILITIES,
        "changes": {"convention": "half"},
        "reporting": frozenset({"bins", "unnormalised"}) | _READING,
    },
    "classification_cohen_kappa": {
        "inputs": GRADES,
        "changes": {"distance": "linear", "order": [1, 3, 2, 5]},
        "without": {"order": {"distance": "quadratic"}},
        "reporting": _READING,
    },
    "classification_log_loss": {
        "inputs": PROBABILITIES,
        "changes": {"clip": 0.2},
        "reporting": frozenset({"unnormalised"}) | _READING,
    },
    "classification_matthews_correlation": {"inputs": LABELS, "reporting": _READING},
    "classification_topk_accuracy": {
        "inputs": PROBABILITIES,
        "required": {"top_k": 1},
        "changes": {"ties": "random"},
        "reporting": _READING,
    },
    "classification_calibration_error": {"inputs": LABELS, "changes": {"bins": 4}, "reporting": _READING},
    "classification_f1": {"inputs": LABELS, **_AVERAGED},
    "classification_precision": {"inputs": LABELS, **_AVERAGED},
    "classification_recall": {"inputs": LABELS, **_AVERAGED},
    "classification_confusion_matrix": {
        "inputs": LABELS,
        "reporting": frozenset({"max_examples"}) | _READING,
    },
    "classification_precision_recall_curve": {"inputs": LABELS, **_CURVE, "reporting": _READING},
    "classification_detailed_precision_recall_curve": {
        "inputs": LABELS,
        **_CURVE,
        "reporting": frozenset({"max_examples"}) | _READING,
    },
    "classification_roc_auc": {
        "inputs": LABELS,
        "changes": {"missing_score": 0.5},
        "reporting": frozenset({"curve_points"}) | _READING,
    },
    "classification_best_threshold": {
        "inputs": LABELS,
        "changes": {"beta": 3.0},
        "reporting": _SEARCH | _READING,
    },
    "detection_best_threshold": {
        "inputs": MATCHES,
        "changes": {**_AT, "beta": 3.0},
        "reporting": _SEARCH,
    },
    "classification_roc_curve": {
        "inputs": TWO_LABELS,
        "changes": {"missing_score": 0.5, "positive": "spam"},
        # The last two change the signatures of other measures than the headline.
        "reporting": frozenset({"labels", "points", "min_tpr", "max_fpr"}),
    },
    "detection_coco": {
        "inputs": MATCHES,
        "changes": {
            "area_ranges": {"small": [0.0, 50.0]},
            "max_detections": [1],
            "iou_thresholds": [0.5, 0.7],
            "recall_points": [0.5, 1.0],
        },
    },
    "detection_lvis": {
        "inputs": FEDERATED,
        "changes": {"area_ranges": {"small": [0.0, 50.0]}, "max_detections": 1},
    },
    "detection_open_images": {
        "inputs": GROUPS,
        "changes": {
            "groups": "ignore",
            "matching": "coco",
            "iou_threshold": 0.8,
            "max_detections": 1,
            "integration": "101",
        },
    },
    "detection_keypoints": {
        "inputs": POSES,
        "changes": {"area_ranges": {"medium": [0.0, 3000.0]}, "max_detections": 1},
        "reporting": frozenset({"tolerance", "keypoint_names"}),
    },
    "detection_average_precision": {
        "inputs": MATCHES,
        "changes": {
            "matching": "coco",
            "iou_thresholds": [0.5, 0.75],
            "max_detections": 1,
            "integration": "11",
        },
        "reporting": frozenset({"iou_thresholds_to_return"}),
    },
    "detection_average_recall": {
        "inputs": MATCHES,
        "changes": {
            "matching": "coco",
            "iou_thresholds": [0.5],
            "threshold": 0.8,
            "max_detections": 1,
        },
    },
    "detection_kitti": {
        "inputs": {
            "matches": TALL,
            "difficulty_levels": [["easy", "moderate"], ["easy"], ["hard", "easy"], ["none", "easy"]],
        },
        "changes": {
            "overlaps": {"cat": 0.5, "dog": 0.3},
            "neighbours": {"cat": ["dog"]},
            "recalls": "11",
            "precision_at": "kit",
        },
        "required": {"overlaps": {"cat": 0.3, "dog": 0.3}, "precision_at": "exact"},
    },
    "detection_precision_recall_curve": {
        "inputs": MATCHES,
        "changes": {"matching": "coco", "iou_threshold": 0.3, "thresholds": [0.5]},
    },
    "detection_detailed_precision_recall_curve": {
        "inputs": MATCHES,
        "changes": {"matching": "coco", "iou_threshold": 0.3, "thresholds": [0.5]},
        "reporting": frozenset({"max_examples"}),
    },
    "detection_confusion_matrix": {
        "inputs": MATCHES,
        "changes": {**_AT, "threshold": 0.2},
        "reporting": frozenset({"max_examples"}),
    },
    "detection_tide": {
        "inputs": MATCHES,
        "changes": {"iou_threshold": 0.7, "background_threshold": 0.4, "max_detections": 1},
    },
    "detection_error": {"inputs": MATCHES, "changes": {**_AT, "background_threshold": 0.4}},
    "detection_f1": {"inputs": MATCHES, "changes": {**_AT, "threshold": 0.2}},
    "segmentation_panoptic_quality": {
        "inputs": PANOPTIC,
        "changes": {"things": ["cat"], "stuff": "merged", "area": "json", "crowds": "all"},
        "reporting": frozenset({"max_examples"}),
    },
    **{
        f"multilabel_{name}": {
            "inputs": LABEL_SETS,
            "changes": {"average": "samples", "undefined": "one", "threshold": 0.35},
            "reporting": frozenset({"labels", "report"}),
        }
        for name in ("f1", "precision", "recall")
    },
    "multilabel_average_precision": {
        "inputs": _PARTLY_SCORED,
        "changes": {"missing_score": 0.95},
        "reporting": frozenset({"labels"}),
    },
    "multilabel_coverage_error": {
        "inputs": _PARTLY_SCORED,
        "changes": {"missing_score": 0.4, "labels": ["ape", "owl"]},
    },
    "multilabel_hamming_loss": {
        "inputs": LABEL_SETS,
        "changes": {"threshold": 0.35, "labels": ["ape", "owl"]},
    },
    "multilabel_ranking_average_precision": {
        "inputs": _PARTLY_SCORED,
        "changes": {"missing_score": 0.4, "undefined": "skip", "labels": ["ape", "owl"]},
    },
    "multilabel_subset_accuracy": {
        "inputs": LABEL_SETS,
        "changes": {"threshold": 0.35},
        "reporting": frozenset({"labels"}),
    },
    "segmentation_mean_iou": {
        "inputs": MAPS,
        "changes": {
            "averaged_over": "all",
            "labels": {1: "a", 2: "b", 3: "a", 4: "c"},
            "ignore": 3,
            "background": 1,
        },
        "reporting": frozenset({"confusion"}),
    },
}
