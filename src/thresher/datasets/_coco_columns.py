"""COCO's lists of objects as columns, read without a Python object for each number.

Whatever is not exactly of the expected form, malformed or merely unusual, is left to the reader of
`_coco_rows`, which alone has messages: NaN, ids that are texts, results of which only some have an id.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_index import CocoIndex
from thresher.errors import InputError
from thresher.files.typed_json import UnexpectedFormError, json_objects
from thresher.kernels.detection.columns import DetectionColumns
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
_COMMON: tuple[tuple[Any, ...], ...] = (
    ("image_id", int),
    ("category_id", int),
    ("bbox", tuple[float, float, float, float]),
    ("iscrowd", int, 0),
    ("keypoints", tuple[()], ()),  # a list with keypoints is refused
)
_ANNOTATION = (*_COMMON, ("id", int), ("area", float, np.nan))
_RESULT = (*_COMMON, ("id", int, None), ("score", float))


@dataclass(frozen=True, eq=False)
class CocoColumns:
    """Fields of a list of annotations or results.

    Attributes:
        images: `image_id` of each object.
        categories: `category_id`.
        boxes: n x 4 numbers: x, y, width, height.
        crowd: `iscrowd`.
        areas: `area` of annotations, NaN where missing; None for results.
        ids: `id`; None for results without it.
        scores: `score`; None for annotations.
    """

    images: Int64s
    categories: Int64s
    boxes: Floats
    crowd: npt.NDArray[np.bool_]
    areas: Floats | None
    ids: Int64s | None
    scores: Floats | None

    @classmethod
    def of(cls, content: bytes, *, scored: bool) -> Self:
        """Parse a JSON list of annotations, or of results with scores.

        Args:
            content: the list.
            scored: whether the objects are results.

        Raises:
            UnexpectedFormError: if the list is malformed, or has objects for the reader of `_coco_rows`.
        """
        blocks = [
            _columns(rows, scored=scored)
            for rows in json_objects(content, _RESULT if scored else _ANNOTATION)
        ]
        if len({*map(frozenset, blocks)}) > 1:
            raise UnexpectedFormError("only some results have an id")
        columns: dict[str, Any] = {
            name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]
        }
        _check(columns)
        return cls(**{"areas": None, "ids": None, "scores": None} | columns)

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
        try:
            return DetectionColumns.from_arrays(
                _positions(index.images, self.images),
                _positions(index.categories, self.categories),
                self.boxes,
                self.scores,
                size=len(index.images),
                labels=index.labels,
                box_format="xywh",
                areas=areas,
                crowd=self.crowd,
                ids=ids,
            )
        except InputError as error:  # an area that overflows
            raise UnexpectedFormError(str(error)) from None

    def check_ids(self) -> None:
        """Raise UnexpectedFormError if two objects share an id."""
        if self.ids is not None and len(np.unique(self.ids)) < len(self.ids):
            raise UnexpectedFormError("an id occurs twice")


def _columns(rows: list[Any], *, scored: bool) -> dict[str, npt.NDArray[Any]]:
    """The columns of one block of objects."""

    def column(name: str, dtype: type[np.generic] = np.int64) -> npt.NDArray[Any]:
        try:
            return np.fromiter(map(attrgetter(name), rows), dtype, len(rows))
        except (OverflowError, TypeError) as error:  # more than 64 bits; None among ids
            raise UnexpectedFormError(f"{name}: {error}") from None

    sides = chain.from_iterable(map(attrgetter("bbox"), rows))
    columns = {
        "images": column("image_id"),
        "categories": column("category_id"),
        "boxes": np.fromiter(sides, np.float64, 4 * len(rows)).reshape(-1, 4),
        "crowd": column("iscrowd"),
        **({"scores": column("score", np.float64)} if scored else {"areas": column("area", np.float64)}),
    }
    if scored and all(row.id is None for row in rows):
        return columns
    return {**columns, "ids": column("id")}


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
    try:
        ordered = np.fromiter(sorted(known), np.int64, len(known))
    except (OverflowError, TypeError, ValueError) as error:  # texts; more than 64 bits
        raise UnexpectedFormError(str(error)) from None
    places = np.searchsorted(ordered, keys)
    if (places == len(ordered)).any() or not np.array_equal(ordered[places], keys):
        raise UnexpectedFormError("an object refers to nothing")
    return np.array([known[key] for key in ordered.tolist()], np.int64)[places]
