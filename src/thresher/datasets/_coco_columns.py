"""COCO's lists of objects as columns, read without a Python object for each number.

Whatever is not exactly of the expected form, malformed or merely unusual, is left to the reader of
`_coco_rows`, which alone has messages: NaN, true ids that are texts, results that have ids in part only.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_index import CocoIndex
from thresher.datasets._coco_keys import Reference, result_key
from thresher.datasets._coco_scanner import scan
from thresher.errors import InputError
from thresher.files.typed_json import UnexpectedFormError, json_objects
from thresher.kernels.detection.columns import DetectionColumns
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
_Fields = tuple[tuple[Any, ...], ...]
_NEEDED: _Fields = (("image_id", int), ("category_id", int), ("bbox", tuple[float, float, float, float]))
_NO_KEYPOINTS: _Fields = (("keypoints", tuple[()], ()),)
_NO_NAME: _Fields = (("file_name", None, None),)
_ANNOTATION: _Fields = (*_NEEDED, ("id", int), ("area", float, np.nan), ("iscrowd", int, 0))
_RESULT: _Fields = (*_NEEDED, ("score", float))
_FURTHER: _Fields = (("id", int, None), ("iscrowd", int, 0), *_NO_KEYPOINTS)
_NAMED: _Fields = (("image_id", int | str), ("file_name", str | None, None), *_RESULT[1:], *_FURTHER)
_FORMS: dict[bool, tuple[_Fields, ...]] = {
    False: (_ANNOTATION, (*_ANNOTATION, *_NO_KEYPOINTS)),
    True: (_RESULT, (*_RESULT, *_FURTHER, *_NO_NAME), _NAMED),
}
"""Whether results -> the usual fields; those of objects with others too, which take 1.5 times as long; and
those of results that name images by files. A list of another form is noticed at its first object."""

_TABLE_CELLS = 4
"""Cells of a table of all ids per object that looks its id up."""


@dataclass(frozen=True, eq=False)
class CocoColumns:
    """Fields of a list of annotations or results.

    Attributes:
        images: `image_id` of each object, or its position in `names`.
        categories: `category_id`.
        boxes: n x 4 numbers: x, y, width, height.
        crowd: `iscrowd`.
        areas: `area` of annotations, NaN where missing; None for results.
        ids: `id`; None for results without it.
        scores: `score`; None for annotations.
        names: `image_id` and `file_name` of images; None if all have numbers alone.
    """

    images: Int64s
    categories: Int64s
    boxes: Floats
    crowd: npt.NDArray[np.bool_]
    areas: Floats | None
    ids: Int64s | None
    scores: Floats | None
    names: tuple[Reference, ...] | None = None

    @classmethod
    def of(cls, content: bytes, *, scored: bool) -> Self:
        """Parse a JSON list of annotations, or of results with scores.

        Args:
            content: the list.
            scored: whether the objects are results.

        Raises:
            UnexpectedFormError: if the list is malformed, or has objects for the reader of `_coco_rows`.
        """
        scanned = scan(content, scored=scored)
        if scanned is not None:
            return cls._of_columns(scanned)
        usual, *others, last = _FORMS[scored]
        with suppress(UnexpectedFormError):
            return cls._of_form(content, usual, exact=True)
        for form in others:
            with suppress(UnexpectedFormError):
                return cls._of_form(content, form, exact=False)
        return cls._of_form(content, last, exact=False)

    @classmethod
    def _of_form(cls, content: bytes, fields: _Fields, *, exact: bool) -> Self:
        known: dict[Reference, int] | None = {} if fields is _NAMED else None
        names = {name for name, *_ in fields}
        blocks = [_columns(rows, names, known) for rows in json_objects(content, fields, exact=exact)]
        if len({*map(frozenset, blocks)}) > 1:
            raise UnexpectedFormError("only some results have an id")
        columns: dict[str, Any] = {
            name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]
        }
        return cls._of_columns(columns, None if known is None else tuple(known))

    @classmethod
    def _of_columns(
        cls, columns: dict[str, npt.NDArray[Any]], names: tuple[Reference, ...] | None = None
    ) -> Self:
        _check(columns)
        crowd = np.zeros(len(columns["images"]), np.bool_)
        defaults: dict[str, Any] = {"crowd": crowd, "areas": None, "ids": None, "scores": None}
        return cls(**defaults | columns, names=names)

    def references(self) -> set[Reference]:
        """The distinct images to which results refer."""
        if self.names is not None:
            return set(self.names)
        return {(key, None) for key in np.unique(self.images).tolist()}

    def objects(self, index: CocoIndex, positions: Int64s | None = None) -> DetectionColumns:
        """The objects of the images and categories of an index.

        Args:
            index: images and categories.
            positions: number of each object in its list, the name of results without `id`; default: the list
                is whole.

        Raises:
            UnexpectedFormError: if an object refers to anything else, or needs the reader of `_coco_rows`.
        """
        ids, areas = self.ids, self.boxes[:, 2] * self.boxes[:, 3]
        if self.areas is not None:
            areas = np.where(np.isnan(self.areas), areas, self.areas)
        if ids is None:
            ids = np.arange(len(self.images)) if positions is None else positions
        label = _positions(index.categories, self.categories)
        crowd, federated = self.crowd, None
        if index.lvis is not None:  # which has no crowd regions
            crowd = np.zeros(len(label), np.bool_)
            federated = index.lvis.federated(index.labels, label, crowd)
        try:
            return DetectionColumns.from_arrays(
                self._places(index),
                label,
                self.boxes,
                self.scores,
                size=len(index.sizes),
                labels=index.labels,
                box_format="xywh",
                areas=areas,
                crowd=crowd,
                ids=ids,
                federated=federated,
            )
        except InputError as error:  # an area that overflows
            raise UnexpectedFormError(str(error)) from None

    def _places(self, index: CocoIndex) -> Int64s:
        """The position of each object's image."""
        if self.names is None and index.way == "id":
            return _positions(index.images, self.images)
        names = [(key, None) for key in self.images.tolist()] if self.names is None else self.names
        places = np.array([index.images.get(result_key(index.way, name), -1) for name in names], np.int64)
        if len(places) and places.min() < 0:
            raise UnexpectedFormError("an object refers to nothing")
        return places if self.names is None else places[self.images]

    def check_ids(self) -> None:
        """Raise UnexpectedFormError if two objects share an id."""
        if self.ids is not None and len(np.unique(self.ids)) < len(self.ids):
            raise UnexpectedFormError("an id occurs twice")


def check_ignore(content: bytes, index: CocoIndex) -> None:
    """Raise UnexpectedFormError if annotations of LVIS may have the field `ignore`, which columns lack."""
    if index.lvis is not None and b'"ignore"' in content:
        raise UnexpectedFormError("annotations may be ignored")


def _columns(
    rows: list[Any], fields: Collection[str], names: dict[Reference, int] | None
) -> dict[str, npt.NDArray[Any]]:
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

    sides = chain.from_iterable(map(attrgetter("bbox"), rows))
    if names is None:
        images = column("image_id")
    else:
        keys = map(attrgetter("image_id", "file_name"), rows)
        images = np.array([names.setdefault(key, len(names)) for key in keys], np.int64)
    columns = {
        "images": images,
        "categories": column("category_id"),
        "boxes": np.fromiter(sides, np.float64, 4 * len(rows)).reshape(-1, 4),
    }
    columns |= {"scores": column("score", np.float64)} if "score" in fields else {}
    columns |= {"areas": column("area", np.float64)} if "area" in fields else {}
    columns |= {"crowd": column("iscrowd")} if "iscrowd" in fields else {}
    if "id" in fields and not ("score" in fields and all(row.id is None for row in rows)):
        columns["ids"] = column("id")
    return columns


def _check(columns: dict[str, npt.NDArray[Any]]) -> None:
    """Raise UnexpectedFormError for values out of their ranges."""
    boxes, areas, scores, crowd = (
        columns.get(name, np.zeros(0)) for name in ("boxes", "areas", "scores", "crowd")
    )
    valid = [
        np.isfinite(boxes),
        boxes[:, 2:] >= 0,
        np.isnan(areas) | ((areas >= 0) & (areas < np.inf)),
        (scores >= 0) & (scores <= 1),
        (crowd == 0) | (crowd == 1),
    ]
    if not all(map(np.all, valid)):
        raise UnexpectedFormError("a value is out of its range")


def _positions(known: Mapping[Any, int], keys: Int64s) -> Int64s:
    """The position of each key among known integers."""
    if str in map(type, known):  # numpy converts texts of digits
        raise UnexpectedFormError("keys are texts")
    try:
        ordered = np.fromiter(sorted(known), np.int64, len(known))
    except (OverflowError, TypeError, ValueError) as error:  # more than 64 bits
        raise UnexpectedFormError(str(error)) from None
    positions = np.array([known[key] for key in ordered.tolist()], np.int64)
    if not len(keys):
        return np.zeros(0, np.int64)
    if not len(ordered) or keys.min() < ordered[0] or keys.max() > ordered[-1]:
        raise UnexpectedFormError("an object refers to nothing")
    lowest, highest = int(ordered[0]), int(ordered[-1])
    if highest - lowest <= _TABLE_CELLS * len(keys):  # a third of the time of a search
        table = np.full(highest - lowest + 1, -1, np.int64)
        table[ordered - lowest] = positions
        result = table[keys - lowest]
    else:
        places = np.searchsorted(ordered, keys)
        result = np.where(ordered[places] == keys, positions[places], -1)
    if result.min() < 0:
        raise UnexpectedFormError("an object refers to nothing")
    return result
