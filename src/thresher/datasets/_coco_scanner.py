"""COCO's lists of objects in their usual form, read by the native library straight into arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library

_SHORTEST = len('{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,1,1]},')
_SHORTEST_POSE = len('{"id":1,"image_id":1,"category_id":1,"keypoints":[1,1,1]},')
_SHORTEST_MASK = len('{"id":1,"image_id":1,"category_id":1,"segmentation":[]},')
"""Bytes of an object at least: results need a score, annotations an id."""
_SHORTEST_NUMBER = len("1,")
_AXES = 3
_INTEGERS, _NUMBERS = Array("int64", written=True), Array("float64", written=True)

_coco_list = Kernel(
    "coco_list",
    *(Array("uint8"), int, _INTEGERS, _INTEGERS, _NUMBERS, _NUMBERS, _INTEGERS, _INTEGERS),
    *(_NUMBERS, _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS),
)


def scan(
    content: bytes, *, scored: bool, keypoints: bool = False, masks: bool = False
) -> dict[str, npt.NDArray[Any]] | None:
    """The columns of a list of annotations, or of results with scores, by the names of `CocoColumns`.

    Args:
        content: the list, as JSON.
        scored: whether the objects are results.
        keypoints: whether they have keypoints. `points` are those of all objects (n x 3), `sizes` how many
            each object has, `counts` are `num_keypoints`, or the labelled ones, and missing boxes those
            around all keypoints.
        masks: whether they have shapes. `shapes` are the bytes at which that of each object begins and ends
            (n x 2), and missing boxes are NaN.

    Returns:
        None without the library, and for a list that is malformed or has other fields, an object in another
        form or no object at all.
    """
    if library() is None:
        return None
    shortest = _SHORTEST_POSE if keypoints else _SHORTEST_MASK if masks else _SHORTEST
    room = len(content) // shortest + 1  # unwritten pages need no memory
    images, categories, ids, crowd = (np.empty(room, np.int64) for _ in range(4))
    boxes, numbers, found = np.empty((room, 4)), np.empty(room), np.zeros(2, np.int64)
    points = np.empty(len(content) // _SHORTEST_NUMBER + 1 if keypoints else 0)
    sizes, counts = (np.empty(room if keypoints else 0, np.int64) for _ in range(2))
    shapes = np.empty((room if masks else 0, 2), np.int64)
    bytes_ = np.frombuffer(content, np.uint8)
    rows = (images, categories, boxes, numbers, ids, crowd, points, sizes, counts, shapes)
    _coco_list(bytes_, scored, *rows, found)
    objects, has_ids = found.tolist()
    if objects < 0:
        return None
    columns = {"images": images, "categories": categories, "boxes": boxes, "crowd": crowd}
    columns["scores" if scored else "areas"] = numbers
    columns |= {"ids": ids} if has_ids else {}
    columns |= {"sizes": sizes, "counts": counts} if keypoints else {}
    columns |= {"shapes": shapes} if masks else {}
    columns = {name: column[:objects] for name, column in columns.items()}
    if keypoints:
        used = _AXES * int(columns["sizes"].sum())
        columns["points"] = points[:used].reshape(-1, _AXES)
    return columns
