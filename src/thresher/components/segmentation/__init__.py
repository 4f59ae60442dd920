"""Metrics of labels pixel by pixel."""

from thresher.components.segmentation.mean_iou import MeanIouEvaluator

__all__ = ["MeanIouEvaluator"]
