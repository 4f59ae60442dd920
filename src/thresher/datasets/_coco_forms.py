"""The forms of COCO's objects that msgspec reads, and blocks of such objects as columns."""

from collections.abc import Collection
from contextlib import suppress
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_keypoints import AXES, MOST
from thresher.datasets._coco_keys import Reference
from thresher.errors import InputError
from thresher.files.typed_json import UnexpectedFormError, json_objects
from thresher.kernels.detection.keypoints import Keypoints

Columns = dict[str, npt.NDArray[Any]]
_Fields = tuple[tuple[Any, ...], ...]
_BOX = tuple[float, float, float, float]
_KEYS: _Fields = (("image_id", int), ("category_id", int))
_NEEDED: _Fields = (*_KEYS, ("bbox", _BOX))
_NO_KEYPOINTS: _Fields = (("keypoints", tuple[()], ()),)
_NO_NAME: _Fields = (("file_name", None, None),)
_ANNOTATION: _Fields = (*_NEEDED, ("id", int), ("area", float, np.nan), ("iscrowd", int, 0))
_RESULT: _Fields = (*_NEEDED, ("score", float))
_FURTHER: _Fields = (("id", int, None), ("iscrowd", int, 0), *_NO_KEYPOINTS)
_BY_NAME: _Fields = (("image_id", int | str), ("file_name", str | None, None))
_POSE: _Fields = (
    ("category_id", int),
    ("bbox", _BOX | None, None),
    ("keypoints", list[float]),
    ("num_keypoints", int | None, None),
    ("iscrowd", int, 0),
)
_TRUE_POSE: _Fields = (("image_id", int), *_POSE, ("id", int), ("area", float, np.nan))
_FOUND_POSE: _Fields = (*_POSE, ("id", int, None), ("score", float))
_FORMS: dict[tuple[bool, bool], tuple[tuple[_Fields, bool], ...]] = {
    (False, False): ((_ANNOTATION, True), ((*_ANNOTATION, *_NO_KEYPOINTS), False)),
    (True, False): (
        (_RESULT, True),
        ((*_RESULT, *_FURTHER, *_NO_NAME), False),
        ((*_BY_NAME, *_RESULT[1:], *_FURTHER), False),
    ),
    (False, True): ((_TRUE_POSE, False),),
    (True, True): (
        ((("image_id", int), *_FOUND_POSE, *_NO_NAME), False),
        ((*_BY_NAME, *_FOUND_POSE), False),
    ),
}
"""Whether results, whether with keypoints -> fields, and whether objects have no others, which takes two
thirds of the time; the last forms of results name images by files. A list of another form is noticed at its
first object."""


def read_forms(
    content: bytes, *, scored: bool, keypoints: bool
) -> tuple[Columns, tuple[Reference, ...] | None]:
    """The columns of a list in one of the forms, by the names of `_coco_scanner`, and the names of images.

    Args:
        content: the list, as JSON.
        scored: whether the objects are results.
        keypoints: whether they have keypoints.

    Raises:
        UnexpectedFormError: if the list is malformed, or of another form.
    """
    *forms, last = _FORMS[scored, keypoints]
    for fields, exact in forms:
        with suppress(UnexpectedFormError):
            return _read(content, fields, exact=exact)
    return _read(content, last[0], exact=last[1])


def _read(content: bytes, fields: _Fields, *, exact: bool) -> tuple[Columns, tuple[Reference, ...] | None]:
    known: dict[Reference, int] | None = {} if ("image_id", int | str) in fields else None
    names = {name for name, *_ in fields}
    blocks = [_columns(rows, names, known) for rows in json_objects(content, fields, exact=exact)]
    if len({*map(frozenset, blocks)}) > 1:
        raise UnexpectedFormError("only some results have an id")
    columns = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    return columns, None if known is None else tuple(known)


def _columns(rows: list[Any], fields: Collection[str], names: dict[Reference, int] | None) -> Columns:
    """The columns of one block of objects, without `ids` if no result has one.

    Args:
        rows: the objects.
        fields: their fields.
        names: references to images -> position, to which new ones are added; None for ids that are numbers.
    """

    def column(name: str, dtype: type[np.generic] = np.int64) -> npt.NDArray[Any]:
        try:
            return np.fromiter(map(attrgetter(name), rows), dtype, len(rows))
        except (OverflowError, TypeError) as error:  # more than 64 bits; None among ids
            raise UnexpectedFormError(f"{name}: {error}") from None

    if names is None:
        images = column("image_id")
    else:
        keys = map(attrgetter("image_id", "file_name"), rows)
        images = np.array([names.setdefault(key, len(names)) for key in keys], np.int64)
    poses = _poses(rows) if "num_keypoints" in fields else {}
    columns = {"images": images, "categories": column("category_id"), "boxes": _boxes(rows, poses), **poses}
    columns |= {"scores": column("score", np.float64)} if "score" in fields else {}
    columns |= {"areas": column("area", np.float64)} if "area" in fields else {}
    columns |= {"crowd": column("iscrowd")} if "iscrowd" in fields else {}
    if "id" in fields and not ("score" in fields and all(row.id is None for row in rows)):
        columns["ids"] = column("id")
    return columns


def _boxes(rows: list[Any], poses: Columns) -> npt.NDArray[np.float64]:
    """The boxes, and those around the keypoints of objects without one."""
    around = iter(_around(poses)) if poses else ()
    given = map(attrgetter("bbox"), rows)
    boxes = (box or other for box, other in zip(given, around, strict=True)) if poses else given
    return np.fromiter(chain.from_iterable(boxes), np.float64, 4 * len(rows)).reshape(-1, 4)


def _around(poses: Columns) -> list[list[float]]:
    """The boxes around the keypoints of each object."""
    try:
        points = Keypoints.of_rows(poses["points"], poses["sizes"], poses["counts"])
    except InputError as error:
        raise UnexpectedFormError(str(error)) from None
    boxes: list[list[float]] = points.boxes().tolist()
    return boxes


def _poses(rows: list[Any]) -> Columns:
    """The keypoints of all objects, how many each has, and how many of them are labelled."""
    lists = [row.keypoints for row in rows]
    lengths = np.fromiter(map(len, lists), np.int64, len(rows))
    if (lengths % AXES).any() or not lengths.all():
        raise UnexpectedFormError("keypoints are not triples")
    points = np.fromiter(chain.from_iterable(lists), np.float64, lengths.sum()).reshape(-1, AXES)
    owners = np.repeat(np.arange(len(rows)), lengths // AXES)
    labelled = np.bincount(owners[points[:, 2] > 0], minlength=len(rows)).tolist()
    counts = [row.num_keypoints for row in rows]
    if not all(count is None or 0 <= count <= MOST for count in counts):
        raise UnexpectedFormError("a number of keypoints is out of its range")
    numbers = [own if count is None else count for count, own in zip(counts, labelled, strict=True)]
    return {"points": points, "sizes": lengths // AXES, "counts": np.array(numbers, np.int64)}
