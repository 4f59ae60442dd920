"""COCO's lists of objects in their usual form, read by the native library straight into arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library

_SHORTEST = len('{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,1,1]},')
"""Bytes of an object at least: results need a score, annotations an id."""
_INTEGERS, _NUMBERS = Array("int64", written=True), Array("float64", written=True)

_coco_list = Kernel(
    "coco_list",
    *(Array("uint8"), int, _INTEGERS, _INTEGERS, _NUMBERS, _NUMBERS, _INTEGERS, _INTEGERS, _INTEGERS),
)


def scan(content: bytes, *, scored: bool) -> dict[str, npt.NDArray[Any]] | None:
    """The columns of a list of annotations, or of results with scores, by the names of `CocoColumns`.

    Args:
        content: the list, as JSON.
        scored: whether the objects are results.

    Returns:
        None without the library, and for a list that is malformed or has other fields, an object in another
        form or no object at all.
    """
    if library() is None:
        return None
    room = len(content) // _SHORTEST + 1  # pages that are not written need no memory
    images, categories, ids, crowd = (np.empty(room, np.int64) for _ in range(4))
    boxes, numbers, found = np.empty((room, 4)), np.empty(room), np.zeros(2, np.int64)
    _coco_list(
        np.frombuffer(content, np.uint8), scored, images, categories, boxes, numbers, ids, crowd, found
    )
    objects, has_ids = found.tolist()
    if objects < 0:
        return None
    columns = {"images": images, "categories": categories, "boxes": boxes, "crowd": crowd}
    columns["scores" if scored else "areas"] = numbers
    columns |= {"ids": ids} if has_ids else {}
    return {name: column[:objects] for name, column in columns.items()}
