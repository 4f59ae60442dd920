"""Objects of one side as arrays, read from dicts or from the columns of a file that was not read as dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.entries import check_entries
from thresher.compat.coco.mask_rasters import drawn, merged, to_rasters
from thresher.datasets._coco_columns import CocoColumns
from thresher.errors import InputError
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster, checked_size, raster_boxes
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Places = Mapping[Any, int]


@dataclass(frozen=True, eq=False)
class ObjectRows:
    """Annotations or results, in the order of the reference.

    Attributes:
        images: position of each object's image; -1 for one that is not evaluated.
        categories: position of its category; the same.
        boxes: n x 4 numbers: x, y, width, height; those around masks.
        areas: COCO's `area`.
        crowd: whether it is a crowd region.
        scores: per result; empty for annotations.
        ids: numbers of the objects.
        masks: empty unless masks are compared.
        keypoints: None unless keypoints are compared.
    """

    images: Int64s
    categories: Int64s
    boxes: Floats
    areas: Floats
    crowd: npt.NDArray[np.bool_]
    scores: Floats
    ids: npt.NDArray[Any]
    masks: Sequence[Geometry] = ()
    keypoints: Keypoints | None = None


def rows_of_dicts(
    anns: Sequence[Any],
    images: Places,
    categories: Places,
    kind: str,
    *,
    scored: bool,
    sizes: Mapping[Any, Any],
) -> ObjectRows:
    """Read dicts.

    Args:
        anns: annotations, or results with scores.
        images: id -> position.
        categories: id -> position.
        kind: `bbox`, `segm` or `keypoints`.
        scored: whether they are results.
        sizes: id of an image -> its entry with height and width.

    Raises:
        InputError: naming the object and the field that is missing or malformed.
    """
    check_entries(anns, "objects", ["image_id", "category_id"])
    count = len(anns)
    drawn_masks = masks_of(anns, sizes) if kind == "segm" else []
    masks: Sequence[Geometry] = Rasters.of(drawn_masks) or drawn_masks
    return ObjectRows(
        np.fromiter((images.get(ann["image_id"], -1) for ann in anns), np.int64, count),
        np.fromiter((categories.get(ann["category_id"], -1) for ann in anns), np.int64, count),
        _around(masks) if kind == "segm" else _boxes(anns),
        _numbers(anns, "area"),
        np.zeros(count, bool)
        if scored
        else np.fromiter((bool(ann.get("iscrowd")) for ann in anns), bool, count),
        _numbers(anns, "score") if scored else np.zeros(0),
        _ids(anns),
        masks,
        keypoints_of(anns) if kind == "keypoints" else None,
    )


def masks_of(anns: Sequence[Any], sizes: Mapping[Any, Any]) -> list[Raster]:
    """The mask of each `segmentation`: run lengths as they are, polygons drawn as COCO's tools do.

    Raises:
        InputError: naming the object, if it has none, or if it does not fit its image.
    """
    shapes = _fields(anns, "segmentation", "give run lengths or polygons")
    texts = [at for at, shape in enumerate(shapes) if isinstance(shape, Mapping)]
    masks: list[Raster | None] = [None] * len(shapes)
    try:
        for at, mask in zip(texts, to_rasters([shapes[at] for at in texts]), strict=True):
            masks[at] = mask
    except InputError:
        for at in texts:
            _named(anns[at], lambda shape: to_rasters([shape])[0], shapes[at])
        raise
    drawing = {key: partial(_drawn, image=image) for key, image in sizes.items()}
    return [
        mask or _named(ann, drawing.get(ann["image_id"], _drawn), shape)
        for ann, mask, shape in zip(anns, masks, shapes, strict=True)
    ]


def _drawn(shape: Any, image: Any = None) -> Raster:
    if not isinstance(shape, list) or not shape:
        raise InputError("give run lengths or a list of polygons")
    if not (isinstance(image, Mapping) and "height" in image and "width" in image):
        raise InputError("its image needs `height` and `width` to draw polygons")
    height, width = checked_size([image["height"], image["width"]])
    return merged([drawn(ring, height, width) for ring in shape])


def keypoints_of(anns: Sequence[Any]) -> Keypoints:
    """The keypoints of each object: x, y and visibility in turn.

    Raises:
        InputError: naming the object, if it has none, or another number of them than the first.
    """
    flat = _fields(anns, "keypoints", "give x, y, v, x, y, v, ...")
    size = len(flat[0]) // 3 if flat and isinstance(flat[0], list | tuple | np.ndarray) else 0
    points = np.zeros((len(flat), size, 3))
    for at, values in enumerate(flat):
        try:
            points[at] = np.asarray(values, np.float64).reshape(size, 3)
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"{name_of(anns[at])}: keypoints are x, y, v of each keypoint, {size} as in the first object"
            ) from error
    labelled = np.count_nonzero(points[..., 2] > 0, axis=1).tolist()
    counts = [ann.get("num_keypoints", here) for ann, here in zip(anns, labelled, strict=True)]
    return Keypoints.of(points, counts)


def _named(ann: Any, read: Any, shape: Any) -> Raster:
    try:
        mask: Raster = read(shape)
    except InputError as error:
        raise InputError(f"{name_of(ann)}: segmentation: {error}") from error
    return mask


def name_of(ann: Any) -> str:
    """The object in messages."""
    return f"object {ann.get('id', '')} of image {ann.get('image_id')}"


def _around(masks: Sequence[Geometry]) -> Floats:
    if isinstance(masks, Rasters):
        boxes = masks.boxes.copy()
    else:
        boxes = raster_boxes([mask for mask in masks if isinstance(mask, Raster)])
    boxes[:, 2:] -= boxes[:, :2]
    return boxes


def _boxes(anns: Sequence[Any]) -> Floats:
    sides = _fields(anns, "bbox", "give x, y, width, height")
    try:
        if all(len(side) == 4 for side in sides):  # noqa: PLR2004 (a box)
            return np.fromiter(chain.from_iterable(sides), np.float64, 4 * len(sides)).reshape(-1, 4)
    except (OverflowError, TypeError, ValueError):
        pass
    wrong = next(ann for ann in anns if not _is_box(ann["bbox"]))
    raise InputError(f"{name_of(wrong)}: bbox is {wrong['bbox']!r}; give x, y, width, height")


def _is_box(box: Any) -> bool:
    try:
        return len([float(side) for side in box]) == 4  # noqa: PLR2004 (a box)
    except (OverflowError, TypeError, ValueError):
        return False


def _numbers(anns: Sequence[Any], field: str) -> Floats:
    values = _fields(anns, field, "give a number")
    try:
        return np.fromiter(values, np.float64, len(values))
    except (OverflowError, TypeError, ValueError):
        pass
    for ann in anns:
        try:
            float(ann[field])
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(f"{name_of(ann)}: {field} is {ann[field]!r}; give a number") from error
    raise InputError(f"{field}: give a number per object")


def _fields(anns: Sequence[Any], field: str, remedy: str) -> list[Any]:
    try:
        return [ann[field] for ann in anns]
    except KeyError:
        lacking = next(ann for ann in anns if field not in ann)
        raise InputError(f"{name_of(lacking)} has no `{field}`; {remedy}") from None


def _ids(anns: Sequence[Any]) -> npt.NDArray[Any]:
    ids = [ann["id"] for ann in anns]
    if {*map(type, ids)} <= {int}:
        return np.fromiter(ids, np.int64, len(ids))
    return np.fromiter(ids, object, len(ids))


def rows_of_columns(
    columns: CocoColumns,
    masks: Rasters | None,
    images: Sequence[Any],
    categories: Sequence[Any],
    *,
    scored: bool,
) -> ObjectRows:
    """Read the columns of a file; results are numbered from 1, as `loadRes` does.

    Args:
        columns: the objects.
        masks: that of each object; None if boxes are compared.
        images: ids of the evaluated images.
        categories: ids of the evaluated categories.
        scored: whether they are results.
    """
    boxes, count = columns.boxes, len(columns.images)
    areas = boxes[:, 2] * boxes[:, 3] if columns.areas is None else columns.areas
    if masks is not None and np.isnan(boxes[:1]).any():  # the first result decides that they are masks
        areas = masks.areas.astype(np.float64)
    return ObjectRows(
        places(images, columns.images),
        places(categories, columns.categories),
        boxes if masks is None else _around(masks),
        areas,
        np.zeros(count, bool) if scored else columns.crowd.astype(bool),
        np.zeros(0) if columns.scores is None else columns.scores,
        np.arange(1, count + 1) if scored or columns.ids is None else columns.ids,
        () if masks is None else masks,
    )


def places(known: Sequence[Any], keys: Int64s) -> Int64s:
    """The position of each key among ids; -1 for others."""
    ids = np.asarray(known)
    if not len(ids) or ids.dtype.kind != "i":
        return np.full(len(keys), -1, np.int64)
    order = np.argsort(ids, kind="stable")
    place = np.minimum(np.searchsorted(ids[order], keys), len(ids) - 1)
    return np.where(ids[order][place] == keys, order[place], -1)
