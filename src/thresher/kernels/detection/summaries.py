"""Lists of objects with named coordinates.

Ultralytics' `Results.summary()` and `to_json()` give such lists, and so do the pipelines of transformers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.polygons import Polygons

_CORNERS = 8
_LABELS = ("class", "label")


def is_summary(output: Any) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether a value is such a list: all objects have a `class`, or a `label`, and a `box`."""
    return (
        isinstance(output, list | tuple)
        and len(output) > 0
        and any(
            all(isinstance(row, Mapping) and {name, "box"} <= row.keys() for row in output)
            for name in _LABELS
        )
    )


def summary_fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Boxes, class numbers, names, scores and keypoints, one entry per object.

    Raises:
        InputError: naming the object and the field, for boxes and keypoints that lack numbers.
    """
    boxes = [_points(row, at, "box", _box_axes(row["box"], at)) for at, row in enumerate(rows)]
    rotated = all(box.size == _CORNERS for box in boxes)
    fields: dict[str, Any] = {
        "xyxy": [[*box.min(axis=0), *box.max(axis=0)] for box in boxes],
        "data": {"xyxyxyxy": np.array(boxes)} if rotated else {},
    }
    named = {"class": "cls", "confidence": "conf", "score": "conf"}
    fields |= {field: [row[name] for row in rows] for name, field in named.items() if _have(rows, name)}
    texts = next((name for name in ("name", "label") if _have(rows, name)), None)
    if texts is not None:
        fields["data"]["class_name"] = [row[texts] for row in rows]
    if _have(rows, "keypoints"):
        points = [_points(row, at, "keypoints", _keypoint_axes(row)) for at, row in enumerate(rows)]
        if len({shape.shape for shape in points}) > 1:
            raise InputError("objects differ in the number of keypoints")
        fields["keypoints"] = np.array(points)
    return fields


def summary_outlines(rows: Sequence[Mapping[str, Any]]) -> list[Polygons] | None:
    """The outline of each object as a polygon; None unless all have `segments`."""
    if not _have(rows, "segments"):
        return None
    return [Polygons.of([_points(row, at, "segments", ("x", "y"))]) for at, row in enumerate(rows)]


def _have(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(name in row for row in rows)


def _box_axes(box: Any, at: int) -> tuple[tuple[str, ...], ...]:
    corners = [("x1", "y1"), ("x2", "y2"), ("x3", "y3"), ("x4", "y4")]
    if not isinstance(box, Mapping):
        raise InputError(f"object {at}: box is {box!r:.60}; give x1, y1, x2 and y2 by name")
    if "xmin" in box:
        return ("xmin", "ymin"), ("xmax", "ymax")
    return tuple(corners if "x3" in box else corners[:2])


def _keypoint_axes(row: Mapping[str, Any]) -> tuple[str, ...]:
    has_visibility = isinstance(row["keypoints"], Mapping) and "visible" in row["keypoints"]
    return ("x", "y", "visible") if has_visibility else ("x", "y")


def _points(
    row: Mapping[str, Any], at: int, field: str, axes: Sequence[str] | Sequence[tuple[str, ...]]
) -> npt.NDArray[np.float64]:
    """Points as rows: lists per axis as columns, or names per point."""
    by_axis = isinstance(axes[0], str)
    try:
        values = [row[field][axis] if by_axis else [row[field][name] for name in axis] for axis in axes]
        points = np.array(values, np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"object {at}: {field} lacks {axes!r} as numbers of equal count") from error
    return points.T if by_axis else points
