"""Files in COCO's layout that need other rules than COCO's boxes and masks: LVIS, keypoints."""

from collections.abc import Sequence
from typing import Any

from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError
from thresher.surface import option

_LVIS_LISTS = ("neg_category_ids", "not_exhaustive_category_ids")
_LVIS_FREQUENCIES = ("r", "c", "f")
"""Rare, common and frequent. Any other `frequency` (a count, say) is a field that the user added."""


def refuse_lvis(images: CocoList, categories: CocoList) -> None:
    """Raise for a file of LVIS.

    LVIS ignores predictions of categories that were not checked in an image. COCO's rules count them as
    wrong, so COCO's numbers would be too low without any sign of it.

    Raises:
        InputError: naming the first field that only LVIS has.
    """
    for rows, name in [*((images, name) for name in _LVIS_LISTS), (categories, "frequency")]:
        at = next((at for at, row in enumerate(rows.rows) if _is_of_lvis(row.get(name))), None)
        if at is not None:
            raise InputError(
                f"{rows.where(at)} has {name!r}, so this is an LVIS file: LVIS ignores predictions of "
                "categories that were not checked in an image, COCO's rules count them as wrong. LVIS is not "
                "supported yet; to compare by COCO's rules all the same, remove "
                f"{', '.join(_LVIS_LISTS)} and the categories' frequency"
            )


def _is_of_lvis(value: Any) -> bool:
    """Whether LVIS wrote a field; an empty list means that every category was checked."""
    return isinstance(value, list) or value in _LVIS_FREQUENCIES


def refuse_keypoints(rows: CocoList) -> None:
    """Raise for annotations or results with keypoints.

    COCO compares them by object keypoint similarity, and many hold boxes too. An empty list, as tools for
    boxes write, does not count.

    Raises:
        InputError: naming the first entry with keypoints.
    """
    for at, row in enumerate(rows.rows):
        if _has_keypoints(row):
            remedy = option("use the recipe keypoint_detection", "pass geometries='keypoints'")
            raise InputError(
                f"{rows.where(at)} has keypoints: to compare them, {remedy}; to compare boxes or masks, "
                "remove 'keypoints' from the entries of this file"
            )


def _has_keypoints(row: Any) -> bool:
    points = row.get("keypoints") if isinstance(row, dict) else None
    return isinstance(points, Sequence) and len(points) > 0
