"""Upright boxes: formats and validation."""

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.results.choices import check_choice

Floats = npt.NDArray[np.float64]
BOX_FORMATS = ("xyxy", "xywh", "cxcywh", "xyxy_inclusive")


def corners(boxes: npt.ArrayLike, box_format: str, where: str = "box") -> tuple[Floats, Floats]:
    """Convert boxes to corners (xmin, ymin, xmax, ymax); also return their areas.

    Args:
        boxes: n x 4 numbers in pixels.
        box_format: `xyxy` for corners; `xywh` for the upper left corner, width and height (COCO);
            `cxcywh` for the centre, width and height (YOLO); `xyxy_inclusive` for the first and the last
            pixel in both directions (Pascal VOC), so that a box is xmax - xmin + 1 wide.
        where: name of a box in messages, which its number follows.

    Raises:
        InputError: for numbers that are not finite, and boxes that end before they begin.

    >>> boxes, areas = corners([[1, 2, 3, 4]], "xywh")
    >>> boxes.tolist(), areas.tolist()
    ([[1.0, 2.0, 4.0, 6.0]], [12.0])
    """
    check_choice("box_format", box_format, BOX_FORMATS)
    try:
        values = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: give four numbers per box") from error
    at = _first_row(~np.isfinite(values))
    if at is not None:
        raise InputError(f"{where} {at} is {values[at].tolist()}; give finite numbers")
    has_corners = box_format.startswith("xyxy")
    first, second = values[:, :2], values[:, 2:] + (box_format == "xyxy_inclusive")
    sides = second - first if has_corners else second
    at = _first_row(sides < (box_format == "xyxy_inclusive"))
    if at is not None:
        hint = "xmin <= xmax and ymin <= ymax" if has_corners else "width and height of at least 0"
        hint += ", or pass another box_format, such as 'xywh'" if box_format == "xyxy" else ""
        raise InputError(f"{where} {at} is {values[at].tolist()} ({box_format}); give {hint}")
    start = first - second / 2 if box_format == "cxcywh" else first
    stop = second if has_corners else start + second
    with np.errstate(over="ignore"):
        areas = sides[:, 0] * sides[:, 1]
    at = _first_row(np.isinf(areas))
    if at is not None:
        raise InputError(f"{where} {at} is {values[at].tolist()}; its area overflows; give smaller numbers")
    return np.concatenate([start, stop], axis=1), areas


def _first_row(wrong: npt.NDArray[np.bool_]) -> int | None:
    # Nearly always all are right, and one check of all cells is faster than one per row.
    return int(np.nonzero(wrong)[0][0]) if wrong.any() else None
