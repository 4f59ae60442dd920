"""The exports of the packages of components, derived from the table of metrics."""

from thresher.components._table import MODULES

_KERNELS = "thresher.kernels"
_DETECTION = "thresher.components.detection"
FURTHER = {
    "": {
        "metric_class": "thresher.components._names",
        "metric_name": "thresher.components._names",
        "metric_names": "thresher.components._names",
    },
    "agents": {},
    "checks": {},
    "classification": {"LabelScores": f"{_KERNELS}.classification.label_scores"},
    "detection": {
        "DetectionColumns": f"{_KERNELS}.detection.columns",
        "DetectionMatcher": f"{_DETECTION}.matcher",
        "DetectionMatches": f"{_KERNELS}.detection.matches",
        "Detections": f"{_KERNELS}.detection.detections",
        "Keypoints": f"{_KERNELS}.detection.keypoints",
        "LabelHierarchy": f"{_KERNELS}.detection.label_hierarchy",
        "Polygons": f"{_KERNELS}.detection.polygons",
        "Raster": f"{_KERNELS}.detection.rasters",
    },
    "multilabel": {},
    "recorded": {},
    "retrieval": {},
    "segmentation": {"PanopticMap": f"{_KERNELS}.segmentation.panoptic_map"},
    "text": {},
    "usage": {},
}
"""Package below `thresher.components` -> what it exports in addition to its metrics."""


def exports(family: str = "") -> dict[str, str]:
    """Exported name -> its place, of one package or of all metrics."""
    prefix = f"{family}." if family else ""
    metrics = {
        name: f"thresher.components.{module}" for name, module in MODULES.items() if module.startswith(prefix)
    }
    return metrics | FURTHER[family]
