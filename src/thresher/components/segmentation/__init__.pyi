# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.segmentation.mean_iou import (
    SegmentationMeanIouEvaluator as SegmentationMeanIouEvaluator,
)
from thresher.components.segmentation.panoptic_quality import (
    SegmentationPanopticQualityEvaluator as SegmentationPanopticQualityEvaluator,
)
from thresher.kernels.segmentation.panoptic_map import PanopticMap as PanopticMap
