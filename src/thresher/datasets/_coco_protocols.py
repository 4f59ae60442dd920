"""Files in COCO's layout with keypoints that would not be compared."""

from collections.abc import Sequence
from typing import Any

from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError
from thresher.surface import option


def refuse_keypoints(rows: CocoList) -> None:
    """Raise for annotations or results with keypoints.

    COCO compares them by object keypoint similarity, and many hold boxes too. An empty list, as tools for
    boxes write, does not count.

    Raises:
        InputError: naming the first entry with keypoints.
    """
    for at, row in enumerate(rows.rows):
        if _has_keypoints(row):
            remedy = option("use the recipe keypoint_detection", "pass geometries='keypoints'")
            boxes = option("--geometries boxes", "geometries='boxes'")
            raise InputError(
                f"{rows.where(at)} has keypoints: to compare them, {remedy}; to compare the boxes of this "
                f"file, pass {boxes}; to compare masks, remove 'keypoints' from its entries"
            )


def _has_keypoints(row: Any) -> bool:
    points = row.get("keypoints") if isinstance(row, dict) else None
    return isinstance(points, Sequence) and len(points) > 0
