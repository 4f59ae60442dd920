"""Metrics of predicted objects: boxes, rotated boxes, polygons and instance masks."""

from thresher.components.detection.average_precision import DetectionAveragePrecisionEvaluator
from thresher.components.detection.average_recall import DetectionAverageRecallEvaluator
from thresher.components.detection.coco import CocoDetectionEvaluator
from thresher.components.detection.confusion_matrix import DetectionConfusionMatrixEvaluator
from thresher.components.detection.detailed_precision_recall_curve import (
    DetailedDetectionPrecisionRecallCurveEvaluator,
)
from thresher.components.detection.errors import DetectionErrorEvaluator
from thresher.components.detection.f1 import DetectionF1Evaluator
from thresher.components.detection.matcher import DetectionMatcher
from thresher.components.detection.precision_recall_curve import DetectionPrecisionRecallCurveEvaluator
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.rasters import Raster

AveragePrecisionEvaluator = DetectionAveragePrecisionEvaluator
"""The same under its short name; retrieval has an `AveragePrecisionEvaluator` too."""
AverageRecallEvaluator = DetectionAverageRecallEvaluator

__all__ = [
    "AveragePrecisionEvaluator",
    "AverageRecallEvaluator",
    "CocoDetectionEvaluator",
    "DetailedDetectionPrecisionRecallCurveEvaluator",
    "DetectionAveragePrecisionEvaluator",
    "DetectionAverageRecallEvaluator",
    "DetectionColumns",
    "DetectionConfusionMatrixEvaluator",
    "DetectionErrorEvaluator",
    "DetectionF1Evaluator",
    "DetectionMatcher",
    "DetectionMatches",
    "DetectionPrecisionRecallCurveEvaluator",
    "Detections",
    "Polygons",
    "Raster",
]
