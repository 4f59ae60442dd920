"""COCO's lists of objects in their usual form, read by the native library straight into arrays."""

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library

_SHORTEST = len('{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,1,1]},')
_SHORTEST_POSE = len('{"id":1,"image_id":1,"category_id":1,"keypoints":[]},')
"""Bytes of an object at least: results need a score, annotations an id; and without its keypoints."""
_FIRST_POSE = re.compile(rb'"keypoints"[ \t\n\r]*:[ \t\n\r]*\[([^\[\]{}"]*)\]')
_AXES = 3
_INTEGERS, _NUMBERS = Array("int64", written=True), Array("float64", written=True)

_coco_list = Kernel(
    "coco_list",
    *(Array("uint8"), int, _INTEGERS, _INTEGERS, _NUMBERS, _NUMBERS, _INTEGERS, _INTEGERS),
    *(_NUMBERS, _INTEGERS, _INTEGERS),
)


def scan(content: bytes, *, scored: bool, keypoints: bool = False) -> dict[str, npt.NDArray[Any]] | None:
    """The columns of a list of annotations, or of results with scores, by the names of `CocoColumns`.

    Args:
        content: the list, as JSON.
        scored: whether the objects are results.
        keypoints: whether they have keypoints. `points` are those (n x keypoints x 3), `counts` are
            `num_keypoints`, or the labelled ones, and missing boxes those around all keypoints.

    Returns:
        None without the library, and for a list that is malformed or has other fields, an object in another
        form or no object at all.
    """
    if library() is None:
        return None
    per_object = _numbers_of_pose(content) if keypoints else 0
    if keypoints and not per_object:
        return None
    shortest = _SHORTEST_POSE + 2 * per_object - 1 if keypoints else _SHORTEST
    room = len(content) // shortest + 1  # pages that are not written need no memory
    images, categories, ids, crowd = (np.empty(room, np.int64) for _ in range(4))
    boxes, numbers, found = np.empty((room, 4)), np.empty(room), np.zeros(2, np.int64)
    points, counts = np.empty((room, per_object)), np.empty(room if keypoints else 0, np.int64)
    bytes_ = np.frombuffer(content, np.uint8)
    rows = (images, categories, boxes, numbers, ids, crowd, points, counts)
    _coco_list(bytes_, scored, *rows, found)
    objects, has_ids = found.tolist()
    if objects < 0:
        return None
    columns = {"images": images, "categories": categories, "boxes": boxes, "crowd": crowd}
    columns["scores" if scored else "areas"] = numbers
    columns |= {"ids": ids} if has_ids else {}
    columns |= {"points": points.reshape(room, -1, _AXES), "counts": counts} if keypoints else {}
    return {name: column[:objects] for name, column in columns.items()}


def _numbers_of_pose(content: bytes) -> int:
    """How many numbers the first `keypoints` have; 0 if they have another form."""
    first = _FIRST_POSE.search(content)
    count = first[1].count(b",") + 1 if first else 0
    return 0 if count % _AXES else count
