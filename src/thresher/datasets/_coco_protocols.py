"""COCO-like files that other rules than COCO's belong to: LVIS and keypoints. They are refused by name."""

from collections.abc import Sequence
from typing import Any

from thresher.datasets._coco_rows import Rows
from thresher.errors import InputError

_LVIS_LISTS = ("neg_category_ids", "not_exhaustive_category_ids")
_LVIS_FREQUENCIES = ("r", "c", "f")
"""Rare, common and frequent. Another `frequency` (a count, say) is a field of the user's."""


def refuse_lvis(images: Rows, categories: Rows) -> None:
    """Refuse a file of LVIS.

    LVIS leaves out predictions of categories that nobody checked in an image. COCO's rules count them as
    wrong, so its numbers are too low there without any sign of it.

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
    """Whether a field holds what LVIS writes there; an empty list says that every category was checked."""
    return isinstance(value, list) or value in _LVIS_FREQUENCIES


def refuse_keypoints(rows: Rows) -> None:
    """Refuse annotations or results that hold keypoints.

    Their overlap is the object keypoint similarity, not that of boxes, which many of them hold as well.
    Tools for boxes write an empty list; that is no keypoint.

    Raises:
        InputError: naming the first entry with keypoints.
    """
    for at, row in enumerate(rows.rows):
        if _has_keypoints(row):
            raise InputError(
                f"{rows.where(at)} has keypoints: comparing keypoints (OKS) is not supported yet; to compare "
                "boxes or masks, remove 'keypoints' from the entries of this file"
            )


def _has_keypoints(row: Any) -> bool:
    points = row.get("keypoints") if isinstance(row, dict) else None
    return isinstance(points, Sequence) and len(points) > 0
