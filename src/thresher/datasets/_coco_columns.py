"""COCO's lists of objects as columns, read without a Python object for each number.

Whatever is not exactly of the expected form, malformed or merely unusual, is left to the reader of
`_coco_rows`, which alone has messages: NaN, true ids that are texts, results that have ids in part only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_forms import read_forms
from thresher.datasets._coco_index import CocoIndex
from thresher.datasets._coco_keys import Reference, result_key
from thresher.datasets._coco_masks import Shapes
from thresher.datasets._coco_scanner import scan
from thresher.datasets._coco_shapes import envelopes
from thresher.errors import InputError
from thresher.files.typed_json import UnexpectedFormError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.raster_lists import Rasters
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
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
        keypoints: `keypoints` and `num_keypoints`; None unless these are read.
        shapes: `segmentation`; None unless masks are read. Missing boxes are NaN then.
    """

    images: Int64s
    categories: Int64s
    boxes: Floats
    crowd: npt.NDArray[np.bool_]
    areas: Floats | None
    ids: Int64s | None
    scores: Floats | None
    names: tuple[Reference, ...] | None = None
    keypoints: Keypoints | None = None
    shapes: Shapes | None = None

    @classmethod
    def of(cls, content: bytes, *, scored: bool, keypoints: bool = False, masks: bool = False) -> Self:
        """Parse a JSON list of annotations, or of results with scores.

        Args:
            content: the list.
            scored: whether the objects are results.
            keypoints: whether to read keypoints, and boxes around those of objects without a box; otherwise
                boxes are read.
            masks: whether to read shapes.

        Raises:
            UnexpectedFormError: if the list is malformed, or has objects for the reader of `_coco_rows`.
        """
        columns, names = scan(content, scored=scored, keypoints=keypoints, masks=masks), None
        if columns is None and masks:
            raise UnexpectedFormError("the list is not of the usual form")
        if columns is None:
            columns, names = read_forms(content, scored=scored, keypoints=keypoints)
        points = _keypoints(columns) if keypoints else None
        _check(columns)
        crowd = np.zeros(len(columns["images"]), np.bool_)
        defaults: dict[str, Any] = {"crowd": crowd, "areas": None, "ids": None, "scores": None}
        shapes = Shapes(content, columns.pop("shapes")) if masks else None
        return cls(**defaults | columns, names=names, keypoints=points, shapes=shapes)

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
        places, ids = self._places(index), self.ids
        masks = None if self.shapes is None else self.shapes.masks(index.sizes, places)
        boxes = self.boxes
        areas = boxes[:, 2] * boxes[:, 3]
        if masks is not None:
            boxes, areas = envelopes(masks), self._mask_areas(masks)
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
                places,
                label,
                boxes,
                self.scores,
                size=len(index.sizes),
                labels=index.labels,
                box_format="xywh",
                areas=areas,
                crowd=crowd,
                geometries=() if masks is None else masks,
                ids=ids,
                keypoints=self.keypoints,
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

    def _mask_areas(self, masks: Rasters) -> Floats:
        """Areas of masks; those of their boxes for results that have some, as COCO's tools take them."""
        pixels, of_boxes = masks.areas.astype(np.float64), self.boxes[:, 2] * self.boxes[:, 3]
        return pixels if self.scores is None else np.where(np.isnan(of_boxes), pixels, of_boxes)

    def check_ids(self) -> None:
        """Raise UnexpectedFormError if two objects share an id."""
        if self.ids is not None and len(np.unique(self.ids)) < len(self.ids):
            raise UnexpectedFormError("an id occurs twice")


def check_ignore(content: bytes, index: CocoIndex) -> None:
    """Raise UnexpectedFormError if annotations of LVIS may have the field `ignore`, which columns lack."""
    if index.lvis is not None and b'"ignore"' in content:
        raise UnexpectedFormError("annotations may be ignored")


def _check(columns: dict[str, npt.NDArray[Any]]) -> None:
    """Raise UnexpectedFormError for values out of their ranges."""
    boxes, areas, scores, crowd = (
        columns.get(name, np.zeros(0)) for name in ("boxes", "areas", "scores", "crowd")
    )
    if "shapes" in columns:  # objects may lack a box
        boxes = boxes[~np.isnan(boxes[:, 0])]
    valid = [
        np.isfinite(boxes),
        boxes[:, 2:] >= 0,
        np.isnan(areas) | ((areas >= 0) & (areas < np.inf)),
        np.isfinite(scores),
        (crowd == 0) | (crowd == 1),
    ]
    if not all(map(np.all, valid)):
        raise UnexpectedFormError("a value is out of its range")


def _keypoints(columns: dict[str, npt.NDArray[Any]]) -> Keypoints:
    """Take the keypoints out of the columns.

    Raises:
        UnexpectedFormError: if objects have so different numbers of keypoints that `Keypoints` refuses them.
    """
    try:
        return Keypoints.of_rows(*(columns.pop(name) for name in ("points", "sizes", "counts")))
    except InputError as error:
        raise UnexpectedFormError(str(error)) from None


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
