"""YOLO's pose lines: a box, then keypoints. They look like polygons, and files do not declare them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.datasets._opened import warn_of
from thresher.errors import InputError
from thresher.surface import option

Floats = npt.NDArray[np.float64]
_BOX = 4
_FEWEST = 10
"""Numbers of the shortest pose to detect: two keypoints with visibility. Eight numbers are the four corners
of a rotated box far more often than a box and two keypoints without visibility."""
_MARKED = 3
"""Numbers of a keypoint with a visibility: x, y, and 0 (absent), 1 (hidden) or 2 (seen)."""
_SLACK = 0.02
"""How far a box may reach beyond its image, and a keypoint beyond its box: annotators are not exact."""


def _remedy(points: int) -> str:
    remedy = option(f"--keypoints {points} and --images DIR", f"keypoints={points} and sizes")
    return f"to read them as poses, pass {remedy}"


def check_poses(lines: Sequence[tuple[str, Sequence[float]]], *, scored: bool) -> None:
    """Raise for a folder of pose lines, which would be read as polygons; warn if it may be one.

    All pose lines of a model have the same count of numbers, a box inside the image and keypoints inside the
    box; outlines of objects have different counts. If a folder fits both, it holds poses if no polygon
    could look like it: whole numbers 0, 1, 2 at every third place (visibility), an odd count, or lines that
    cross themselves. If both readings remain, the lines are read as polygons with a warning.

    Args:
        lines: place of each line, and its numbers after the class.
        scored: whether the last number is a score.

    Raises:
        InputError: naming the first line.
    """
    counts = {len(numbers) for _, numbers in lines}
    if len(counts) != 1 or min(counts) < _FEWEST:
        return
    table = np.array([numbers for _, numbers in lines])
    corners = table[:, : table.shape[1] - scored]
    fitting = [
        (rows, per_point)
        for rows in (table, table[:, :-1])  # files may lack the expected score, or have an unexpected one
        for per_point in (3, 2)
        if (rows.shape[1] - _BOX) % per_point == 0 and _fits(rows, per_point)
    ]
    if not fitting:
        return
    marked = [rows for rows, per_point in fitting if per_point == _MARKED and _is_marked(rows)]
    crossed = corners.shape[1] % 2 or any(_crosses_itself(row.reshape(-1, 2)) for row in corners)
    rows, per_point = fitting[0]
    points = (rows.shape[1] - _BOX) // per_point
    layout = (
        f"{counted(rows.shape[1], 'number fits', 'numbers fit')} a pose (a box and "
        f"{counted(points, 'keypoint')} of {counted(per_point, 'number')})"
    )
    if marked or crossed:
        raise InputError(
            f"{lines[0][0]}: {layout}, not a polygon, and so does every line of the folder; {_remedy(points)}"
        )
    other = f"as well as a polygon of {counted(corners.shape[1] // 2, 'corner')}"
    remedy = f"they are read as polygons; {_remedy(points)}"
    warn_of([f"{lines[0][0]}: {layout} {other}, and so does every line of the folder; {remedy}"])


def _is_marked(rows: Floats) -> bool:
    """Whether every third number is a visibility (0, 1 or 2)."""
    return bool(np.isin(rows[:, _BOX + 2 :: _MARKED], (0, 1, 2)).all())


def _fits(rows: Floats, per_point: int) -> bool:
    """Whether every row is a box in the image and keypoints in the box; unseen ones may be anywhere."""
    centre, size = rows[:, :2], rows[:, 2:_BOX]
    points = rows[:, _BOX:].reshape(len(rows), -1, per_point)
    places, seen = points[..., :2], points[..., :2].any(axis=-1)
    if per_point == _MARKED:
        if not ((points[..., 2] >= 0) & (points[..., 2] <= 2)).all():  # noqa: PLR2004 (seen)
            return False
        seen &= points[..., 2] > 0
    low, high = (centre - size / 2)[:, None], (centre + size / 2)[:, None]
    if not seen.any() or (size <= 0).any() or (low < -_SLACK).any() or (high > 1 + _SLACK).any():
        return False
    inside = ((places >= low - _SLACK) & (places <= high + _SLACK)).all(axis=-1)
    return bool((inside | ~seen).all())


def _crosses_itself(corners: Floats) -> bool:
    """Whether a closed line crosses itself or comes back to one of its corners."""
    if len(np.unique(corners, axis=0)) < len(corners):
        return True
    ends = np.roll(corners, -1, axis=0)
    first, second = np.triu_indices(len(corners), 2)  # edges that do not share a corner
    apart = ~((first == 0) & (second == len(corners) - 1))
    first, second = first[apart], second[apart]
    sides = [
        _side(corners[first], ends[first], corners[second])
        * _side(corners[first], ends[first], ends[second]),
        _side(corners[second], ends[second], corners[first])
        * _side(corners[second], ends[second], ends[first]),
    ]
    return bool(((sides[0] < 0) & (sides[1] < 0)).any())


def _side(start: Floats, end: Floats, point: Floats) -> Floats:
    """On which side of a line a point is: the sign of the cross product."""
    along, across = end - start, point - start
    return np.asarray(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0])
