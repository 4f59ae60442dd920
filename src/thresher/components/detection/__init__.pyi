# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.detection.average_precision import (
    DetectionAveragePrecisionEvaluator as DetectionAveragePrecisionEvaluator,
)
from thresher.components.detection.average_recall import (
    DetectionAverageRecallEvaluator as DetectionAverageRecallEvaluator,
)
from thresher.components.detection.best_threshold import (
    DetectionBestThresholdEvaluator as DetectionBestThresholdEvaluator,
)
from thresher.components.detection.coco import DetectionCocoEvaluator as DetectionCocoEvaluator
from thresher.components.detection.confusion_matrix import (
    DetectionConfusionMatrixEvaluator as DetectionConfusionMatrixEvaluator,
)
from thresher.components.detection.detailed_precision_recall_curve import (
    DetectionDetailedPrecisionRecallCurveEvaluator as DetectionDetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.detection.errors import DetectionErrorEvaluator as DetectionErrorEvaluator
from thresher.components.detection.f1 import DetectionF1Evaluator as DetectionF1Evaluator
from thresher.components.detection.keypoints import DetectionKeypointsEvaluator as DetectionKeypointsEvaluator
from thresher.components.detection.kitti import DetectionKittiEvaluator as DetectionKittiEvaluator
from thresher.components.detection.lvis import DetectionLvisEvaluator as DetectionLvisEvaluator
from thresher.components.detection.matcher import DetectionMatcher as DetectionMatcher
from thresher.components.detection.open_images import (
    DetectionOpenImagesEvaluator as DetectionOpenImagesEvaluator,
)
from thresher.components.detection.precision_recall_curve import (
    DetectionPrecisionRecallCurveEvaluator as DetectionPrecisionRecallCurveEvaluator,
)
from thresher.components.detection.tide import DetectionTideEvaluator as DetectionTideEvaluator
from thresher.kernels.detection.columns import DetectionColumns as DetectionColumns
from thresher.kernels.detection.detections import Detections as Detections
from thresher.kernels.detection.keypoints import Keypoints as Keypoints
from thresher.kernels.detection.label_hierarchy import LabelHierarchy as LabelHierarchy
from thresher.kernels.detection.matches import DetectionMatches as DetectionMatches
from thresher.kernels.detection.polygons import Polygons as Polygons
from thresher.kernels.detection.rasters import Raster as Raster
