"""Results as `loadRes` completes them: id, area, box or mask."""

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.entries import check_entries
from thresher.compat.coco.object_rows import masks_of
from thresher.errors import InputError
from thresher.kernels.detection.rasters import raster_boxes

_FIELDS = 7
_SHOWN = 3


def rows_of_array(data: npt.NDArray[Any]) -> list[dict[str, Any]]:
    """Results from rows image, x, y, width, height, score, category.

    Raises:
        InputError: unless rows have seven numbers.
    """
    if data.ndim != 2 or data.shape[1] != _FIELDS:  # noqa: PLR2004 (rows and columns)
        raise InputError(
            "an array of results has rows of image, x, y, width, height, score, category, "
            f"not the shape {data.shape}"
        )
    rows = zip(data[:, (0, 6)].astype(int).tolist(), data[:, 1:5].tolist(), data[:, 5].tolist(), strict=True)
    return [
        {"image_id": image, "bbox": box, "score": score, "category_id": category}
        for (image, category), box, score in rows
    ]


def completed_results(entries: list[Any], images: Any) -> list[Any]:
    """Add `id`, `area`, `iscrowd`, and what is missing of `bbox` and `segmentation`, to each result.

    The first result decides whether they are boxes, masks or keypoints, as in the reference.

    Args:
        entries: the results; their dicts change.
        images: id -> image.

    Raises:
        InputError: unless it is a list of results of known images.
    """
    check_entries(entries, "results", ["image_id"])
    check_images([entry["image_id"] for entry in entries], images)
    first = entries[0] if entries else {"caption": ""}
    if "caption" in first:
        for at, entry in enumerate(entries):
            entry["id"] = at + 1
    elif "bbox" in first and not (isinstance(first["bbox"], list) and not first["bbox"]):
        _complete_boxes(entries)
    elif "segmentation" in first:
        _complete_masks(entries, images)
    elif "keypoints" in first:
        _complete_keypoints(entries)
    else:
        raise InputError("the first result has no bbox, segmentation or keypoints; give one of them")
    return entries


def check_images(ids: Collection[Any], images: Any) -> None:
    """Raise InputError for ids of images that are not known."""
    unknown = [*dict.fromkeys(key for key in ids if key not in images)]
    if unknown:
        shown = ", ".join(map(repr, unknown[:_SHOWN])) + (", ..." if len(unknown) > _SHOWN else "")
        raise InputError(
            f"results name images that the ground truth does not have ({len(unknown)}): {shown}; "
            "give `image_id` as in its `images`"
        )


def _complete_boxes(entries: list[Any]) -> None:
    for at, entry in enumerate(entries):
        try:
            x, y, width, height = entry["bbox"]
            right, bottom, area = x + width, y + height, width * height
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"result {at + 1}: bbox is x, y, width, height") from error
        if "segmentation" not in entry:
            entry["segmentation"] = [[x, y, x, bottom, right, bottom, right, y]]
        entry |= {"area": area, "id": at + 1, "iscrowd": 0}


def _complete_masks(entries: list[Any], images: Any) -> None:
    masks = masks_of([entry | {"id": at + 1} for at, entry in enumerate(entries)], images)
    boxes = raster_boxes(masks)
    boxes[:, 2:] -= boxes[:, :2]
    for at, (entry, mask, box) in enumerate(zip(entries, masks, boxes, strict=True)):
        entry["area"] = np.uint32(mask.area)
        entry.setdefault("bbox", box)
        entry |= {"id": at + 1, "iscrowd": 0}


def _complete_keypoints(entries: list[Any]) -> None:
    for at, entry in enumerate(entries):
        try:
            x, y = (entry["keypoints"][axis::3] for axis in (0, 1))
            left, right, top, bottom = min(x), max(x), min(y), max(y)
            width, height = right - left, bottom - top
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"result {at + 1}: keypoints are x, y, v, x, y, v, ...") from error
        entry |= {"area": width * height, "id": at + 1, "bbox": [left, top, width, height]}
