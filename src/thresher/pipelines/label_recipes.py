"""Recipes of labels: of items, pixels and segments."""

from typing import Any

from thresher.components import metric_class
from thresher.pipelines.recipe import PRIMARY, Recipe

_SAME_AS_ACCURACY = "with one label an item the averages left out equal accuracy"
_AVERAGES = {
    "classification_precision": ["macro", "weighted"],
    "classification_recall": ["macro"],
    "classification_f1": ["macro", "weighted"],
}

_LOSSES = ("classification_log_loss", "classification_brier_score")


def _classification() -> dict[str, Any]:
    accuracy = "classification_accuracy"
    ranked = ("average_precision", "precision_recall_curve", "calibration_error")
    return {
        accuracy: metric_class(accuracy)(confusion=True),
        "classification_roc_auc": metric_class("classification_roc_auc")(curve_points=100),
        **{name: metric_class(name)(report=report) for name, report in _AVERAGES.items()},
        **{name: name for name in (f"classification_{other}" for other in ("matthews_correlation", *ranked))},
        **{name: metric_class(name)(unnormalised="ignore") for name in _LOSSES},
    }


def _multilabel() -> dict[str, Any]:
    reports = {"precision": ["macro", "micro"], "recall": ["macro", "micro"]}
    others = ("f1", "subset_accuracy", "hamming_loss", "average_precision", "ranking_average_precision")
    return {
        **{
            f"multilabel_{name}": metric_class(f"multilabel_{name}")(report=report)
            for name, report in reports.items()
        },
        **{f"multilabel_{name}": f"multilabel_{name}" for name in others},
    }


LABEL_RECIPES: dict[str, Recipe] = {
    "classification": Recipe(
        "predicted labels, or scores of labels, against true ones",
        ("ground_truths", "predictions"),
        _classification,
        ("classification_f1_macro",),
        "--data predictions.csv",
        {
            PRIMARY: "macro F1 does not rise, as accuracy does, when rare labels are ignored",
            "classification_accuracy.confusion": (
                "the share on the diagonal of the confusion matrix is the accuracy"
            ),
            "classification_roc_auc.curve_points": "pages show the curves next to the area",
            **{f"{name}.report": _SAME_AS_ACCURACY for name in _AVERAGES},
            **{
                f"{name}.unnormalised": "the other metrics also take scores that do not sum to 1"
                for name in _LOSSES
            },
        },
    ),
    "multilabel_classification": Recipe(
        "predicted labels, or scores of labels, of items that may have several",
        ("ground_truths", "predictions"),
        _multilabel,
        ("multilabel_f1_macro",),
        "--data predictions.csv",
        {
            PRIMARY: "macro F1 does not rise when rare labels are ignored, and needs no scores",
            **{
                f"multilabel_{name}.report": "F1 has the other two averages"
                for name in ("precision", "recall")
            },
        },
    ),
    "panoptic_segmentation": Recipe(
        "segments of things and stuff against true ones",
        ("ground_truths", "predictions"),
        lambda: ["segmentation_panoptic_quality"],
        ("segmentation_panoptic_quality",),
        "--gt panoptic_val.json --data panoptic_pred.json",
        {PRIMARY: "it is the product of finding segments (RQ) and outlining them (SQ)"},
    ),
    "semantic_segmentation": Recipe(
        "label maps or masks against true ones, pixel by pixel",
        ("ground_truths", "predictions"),
        lambda: ["segmentation_mean_iou"],
        ("segmentation_mean_iou",),
        "--gt maps --data found",
        {PRIMARY: "pixel accuracy hardly depends on labels with few pixels"},
    ),
}
"""By name."""
