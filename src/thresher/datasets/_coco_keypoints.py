"""The keypoints of COCO's annotations and results."""

from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError
from thresher.kernels.detection.keypoints import Keypoints

AXES = 3
"""x, y and visibility."""
MOST = 2**31 - 1
"""The largest `num_keypoints`."""


def read_keypoints(rows: CocoList) -> Keypoints:
    """The keypoints of each entry, and how many of them are labelled.

    Raises:
        InputError: naming the first entry whose keypoints are malformed.
    """
    column = rows.column("keypoints")
    if not column:
        return Keypoints.of([])
    if not _are_valid(column):
        for at, flat in enumerate(column):
            _check(rows, at, flat)
    sizes = np.array([len(flat) // AXES for flat in column], np.int64)
    points = np.fromiter(chain.from_iterable(column), np.float64, AXES * sizes.sum()).reshape(-1, AXES)
    owners = np.repeat(np.arange(len(column)), sizes)
    labelled = np.bincount(owners[points[:, 2] > 0], minlength=len(column))
    if any("num_keypoints" in row for row in rows.rows):
        counts = [_count(rows, at, number) for at, number in enumerate(labelled.tolist())]
        labelled = np.array(counts, np.int64)
    try:
        return Keypoints.of_rows(points, sizes, labelled)
    except InputError as error:
        raise InputError(f"{rows.path}: {error}") from error


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
    if any(length % AXES or not length for length in {*map(len, column)}):
        return False
    try:
        return all(map(isfinite, chain.from_iterable(column)))
    except OverflowError:
        return False


def _check(rows: CocoList, at: int, flat: object) -> None:
    where, form = rows.where(at), "give x, y and visibility of each"
    if not isinstance(flat, list) or not {*map(type, flat)} <= {int, float}:
        raise InputError(f"{where}: keypoints is {flat!r:.80}; {form}, as one list of numbers")
    if not flat or len(flat) % AXES or not all(map(isfinite, flat)):
        raise InputError(f"{where}: keypoints has {counted(len(flat), 'number')}; {form}, finite numbers")


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
