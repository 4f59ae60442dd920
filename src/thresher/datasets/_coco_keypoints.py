"""The keypoints of COCO's annotations and results."""

from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError
from thresher.kernels.detection.keypoints import Keypoints
from thresher.surface import option

AXES = 3
"""x, y and visibility."""
MOST = 2**31 - 1
"""The largest `num_keypoints`."""


def read_keypoints(rows: CocoList) -> Keypoints:
    """The keypoints of each entry, and how many of them are labelled.

    Raises:
        InputError: naming the first entry whose keypoints are malformed, or more or fewer than those of the
            first entry.
    """
    column = rows.column("keypoints")
    if not column:
        return Keypoints.of([])
    if not _are_valid(column):
        for at, flat in enumerate(column):
            _check(rows, at, flat)
    points = np.array(column, np.float64).reshape(len(column), -1, AXES)
    labelled = np.count_nonzero(points[..., 2] > 0, axis=1)
    if any("num_keypoints" in row for row in rows.rows):
        counts = [_count(rows, at, number) for at, number in enumerate(labelled.tolist())]
        labelled = np.array(counts, np.int64)
    return Keypoints.of(points, labelled)


def read_boxes_around(rows: CocoList, points: Keypoints) -> npt.NDArray[np.float64]:
    """The box of each entry, or the one around its keypoints if it has none: x, y, width, height.

    Raises:
        InputError: naming the first entry whose box is malformed.
    """
    boxes = points.boxes()
    given = [at for at, row in enumerate(rows.rows) if row.get("bbox")]
    positions = [rows.position(at) for at in given]
    boxes[given] = CocoList(rows.path, rows.part, [rows.rows[at] for at in given], positions).boxes()
    return boxes


def _are_valid(column: list[Any]) -> bool:
    """Whether no entry needs a message: a third of the time of checking one after the other."""
    if {*map(type, column)} != {list} or {*map(type, chain.from_iterable(column))} - {int, float}:
        return False
    lengths = {*map(len, column)}
    if len(lengths) > 1 or min(lengths) % AXES or not min(lengths):
        return False
    try:
        return bool(np.isfinite(np.array(column, np.float64)).all())
    except OverflowError:
        return False


def _check(rows: CocoList, at: int, flat: object) -> None:
    where, form = rows.where(at), "give x, y and visibility of each"
    if not isinstance(flat, list) or not {*map(type, flat)} <= {int, float}:
        raise InputError(f"{where}: keypoints is {flat!r:.80}; {form}, as one list of numbers")
    if not flat or len(flat) % AXES or not all(map(isfinite, flat)):
        raise InputError(f"{where}: keypoints has {len(flat)} numbers; {form}, finite numbers")
    first = rows.rows[0]["keypoints"]
    if len(flat) != len(first):
        sigmas = option("--sigmas", "sigmas= of DetectionMatcher")
        raise InputError(
            f"{where} has {len(flat) // AXES} keypoints, {rows.where(0)} has {len(first) // AXES}; objects "
            "that are compared have one skeleton: evaluate one category at a time, in copies of both files "
            f"with the entries of its category_id only, and give {sigmas} for other skeletons than COCO's"
        )


def _count(rows: CocoList, at: int, otherwise: int) -> int:
    """`num_keypoints` of an annotation, or `otherwise` if it has none."""
    count = rows.rows[at].get("num_keypoints")
    if count is None:
        return otherwise
    if type(count) is not int or not 0 <= count <= MOST:
        raise InputError(
            f"{rows.where(at)}: num_keypoints is {count!r}; give a whole number, or leave it out"
        )
    return count
