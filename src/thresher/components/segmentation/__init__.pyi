# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.segmentation.mean_iou import (
    SegmentationMeanIouEvaluator as SegmentationMeanIouEvaluator,
)
