"""Metrics that compare predicted labels with true ones."""

from thresher.components.classification.accuracy import AccuracyEvaluator
from thresher.components.classification.calibration import CalibrationEvaluator
from thresher.components.classification.confusion_matrix import ConfusionMatrixEvaluator
from thresher.components.classification.detailed_precision_recall_curve import (
    DetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.f1 import ClassificationF1Evaluator
from thresher.components.classification.precision import ClassificationPrecisionEvaluator
from thresher.components.classification.precision_recall_curve import PrecisionRecallCurveEvaluator
from thresher.components.classification.recall import ClassificationRecallEvaluator
from thresher.components.classification.roc_auc import RocAucEvaluator
from thresher.kernels.classification.label_scores import LabelScores

__all__ = [
    "AccuracyEvaluator",
    "CalibrationEvaluator",
    "ClassificationF1Evaluator",
    "ClassificationPrecisionEvaluator",
    "ClassificationRecallEvaluator",
    "ConfusionMatrixEvaluator",
    "DetailedPrecisionRecallCurveEvaluator",
    "LabelScores",
    "PrecisionRecallCurveEvaluator",
    "RocAucEvaluator",
]
