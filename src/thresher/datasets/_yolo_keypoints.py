"""YOLO's pose lines, read as boxes with keypoints by those who say how many these are."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.detections import Detections

Floats = npt.NDArray[np.float64]
AREA = 0.53
"""Share of its box that a person covers: files without segments have no areas, and Ultralytics takes this."""
NOTE = f"areas of true objects are {AREA} of their boxes, since YOLO's files have no segments"
_BOX = 4
_ROUNDED, _BEYOND = 1e-4, 1.0
"""How far boxes and keypoints may leave the image; predicted keypoints are not clipped."""


def check_keypoints(keypoints: int, sizes: Any) -> None:
    """Raise InputError for an invalid number of keypoints, and without sizes in pixels."""
    if type(keypoints) is not int or keypoints < 1:
        raise InputError(f"keypoints={keypoints!r} must be a whole number of at least 1, such as 17")
    if sizes is None:
        raise InputError(
            "keypoints are compared by their distances in pixels, and YOLO's coordinates are shares of the "
            "image: pass sizes of the images (--images DIR)"
        )


def read_poses(
    lines: Sequence[tuple[str, list[float]]],
    labels: list[Any],
    size: Sequence[int],
    keypoints: int,
    *,
    scored: bool,
) -> Detections:
    """The objects of one image: boxes in pixels, and keypoints with a visibility.

    Args:
        lines: place of each line, and its numbers after the class.
        labels: label of each line.
        size: width and height of the image.
        keypoints: number of keypoints in each line.
        scored: whether the last number is a score.

    Raises:
        InputError: naming the line, for another count of numbers, and for coordinates in pixels.
    """
    rows = [_row(where, numbers, keypoints, scored=scored) for where, numbers in lines]
    table = np.array([row for row, _ in rows]).reshape(len(rows), _BOX + 3 * keypoints)
    boxes = table[:, :_BOX] * np.array([*size, *size])
    points = table[:, _BOX:].reshape(len(rows), keypoints, 3) * np.array([*size, 1])
    scores = [score for _, score in rows] if scored else None
    areas = None if scored else boxes[:, 2] * boxes[:, 3] * AREA
    return Detections.of(labels, boxes, scores, box_format="cxcywh", areas=areas, keypoints=points)


def _row(where: str, line: list[float], keypoints: int, *, scored: bool) -> tuple[list[float], float]:
    """Box and keypoints with visibility, and the score."""
    numbers, score = (line[:-1], line[-1]) if scored and line else (line, 1.0)
    rest, per_point = numbers[_BOX:], (len(numbers) - _BOX) / keypoints
    if per_point not in (2, 3):
        ending = " and the score" if scored else ""
        raise InputError(
            f"{where}: {counted(len(line), 'number')} after the class; a pose of "
            f"{counted(keypoints, 'keypoint')} has a box, 2 or 3 numbers of each keypoint{ending}"
        )
    if per_point == 2:  # noqa: PLR2004 (x and y; an absent keypoint is 0 0)
        pairs = zip(rest[::2], rest[1::2], strict=True)
        rest = [number for x, y in pairs for number in (x, y, 2.0 if x or y else 0.0)]
    places = [(number, _ROUNDED) for number in numbers[:_BOX]]
    places += [(number, _BEYOND) for at, number in enumerate(rest) if at % 3 < 2]  # noqa: PLR2004 (x and y)
    wrong = next((number for number, slack in places if not -slack <= number <= 1 + slack), None)
    if wrong is not None:
        raise InputError(
            f"{where}: the coordinate {wrong:g} is not between 0 and 1; YOLO's coordinates are shares of the "
            "image: divide pixels by its width and height"
        )
    if not isfinite(score):
        raise InputError(f"{where}: the last number is the score {score:g}; give a finite number")
    return numbers[:_BOX] + rest, score
