"""pycocotools.mask: masks as run lengths, on the rasters of this package.

A mask is a dict of `size` (height, width) and `counts`: COCO's compressed run lengths as bytes or text; a
list of run lengths is read as well.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.mask_rasters import drawn, merged, one_size, to_dicts, to_rasters
from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.rasters import Raster, RasterColumn, raster_boxes

__all__ = ["area", "decode", "encode", "frPyObjects", "iou", "merge", "toBbox"]

Floats = npt.NDArray[np.float64]
_AXES_OF_SEVERAL = 3


def encode(bimask: npt.NDArray[Any]) -> Any:
    """Run lengths of a mask of height x width, or a list for height x width x masks; nonzero is inside.

    Raises:
        InputError: for another shape or type.

    >>> encode(np.array([[0, 1], [0, 1]], np.uint8))
    {'size': [2, 2], 'counts': b'22'}
    """
    array = np.asarray(bimask)
    array = array != 0 if array.dtype.kind in "iu" else array  # pycocotools takes any grey level as inside
    if array.ndim == _AXES_OF_SEVERAL:
        return to_dicts([Raster.of(array[:, :, at]) for at in range(array.shape[2])])
    return to_dicts([Raster.of(array)])[0]


def decode(rleObjs: Any) -> npt.NDArray[np.uint8]:
    """The mask as height x width; of a list, height x width x masks.

    Raises:
        InputError: for damaged run lengths, and masks of different sizes.

    >>> decode({"size": [2, 2], "counts": b"22"}).tolist()
    [[0, 1], [0, 1]]
    """
    rasters = to_rasters(rleObjs if isinstance(rleObjs, list) else [rleObjs])
    height, width = one_size(rasters)
    masks = np.zeros((height, width, len(rasters)), np.uint8, order="F")
    for at, raster in enumerate(rasters):
        masks[:, :, at] = raster.to_array()
    return masks if isinstance(rleObjs, list) else masks[:, :, 0]


def area(rleObjs: Any) -> Any:
    """Number of pixels; an array for a list.

    >>> int(area({"size": [2, 2], "counts": b"22"}))
    2
    """
    areas = RasterColumn.of(to_rasters(_listed(rleObjs))).areas.astype(np.uint32)
    return areas if isinstance(rleObjs, list) else areas[0]


def toBbox(rleObjs: Any) -> Floats:
    """The smallest box around the pixels as x, y, width, height; rows for a list.

    >>> toBbox({"size": [2, 2], "counts": b"22"}).tolist()
    [1.0, 0.0, 1.0, 2.0]
    """
    boxes = raster_boxes(to_rasters(_listed(rleObjs)))
    boxes[:, 2:] -= boxes[:, :2]
    return boxes if isinstance(rleObjs, list) else boxes[0]


def merge(rleObjs: Sequence[Any], intersect: bool = False) -> dict[str, Any]:
    """The union of masks of one size, or their intersection.

    Raises:
        InputError: for masks of different sizes.

    >>> merge([{"size": [2, 2], "counts": b"22"}, {"size": [2, 2], "counts": b"121"}])
    {'size': [2, 2], 'counts': b'13'}
    """
    return to_dicts([merged(to_rasters(rleObjs), intersect=bool(intersect))])[0]


def iou(dt: Any, gt: Any, pyiscrowd: Sequence[int]) -> Any:
    """Intersection over union of each pair of masks or of boxes (x, y, width, height); detections x truths.

    With a true crowd region, intersection over the area of the detection.

    Args:
        dt: detected masks or boxes.
        gt: true ones of the same kind.
        pyiscrowd: per true object whether it is a crowd region.

    Returns:
        An array; an empty list if one side is empty. Masks of different sizes give -1.

    Raises:
        InputError: unless both sides are masks, or both boxes, and each true object has an entry.

    >>> iou([[0, 0, 10, 10]], [[0, 0, 10, 5]], [0]).tolist()
    [[0.5]]
    """
    if len(pyiscrowd) != len(gt):
        raise InputError(
            f"iou: {counted(len(pyiscrowd), 'entry', 'entries')} of iscrowd for "
            f"{counted(len(gt), 'true object')}"
        )
    if not len(dt) or not len(gt):
        return []
    crowd = np.asarray(pyiscrowd, dtype=bool)
    masks = [isinstance(side[0], Mapping) for side in (dt, gt)]
    if masks[0] != masks[1]:
        raise InputError("iou: one side is masks and the other boxes; give both as the same kind")
    overlaps: Callable[..., Floats] = _mask_overlaps if masks[0] else _box_overlaps
    return overlaps(dt, gt, crowd)


def frPyObjects(pyobj: Any, h: int, w: int) -> Any:
    """Run lengths of polygons, boxes or uncompressed run lengths; one for a single object, else a list.

    Args:
        pyobj: a list of polygons (x, y, x, y, ...) or of boxes (x, y, width, height), an array of boxes,
            dicts of uncompressed run lengths, or one of these.
        h: height of the image.
        w: width of the image.

    Raises:
        InputError: for anything else.

    >>> frPyObjects([[1, 0, 3, 0, 3, 2, 1, 2]], 2, 4)
    [{'size': [2, 4], 'counts': b'242'}]
    """
    single = isinstance(pyobj, Mapping) or (
        isinstance(pyobj, list) and bool(pyobj) and isinstance(pyobj[0], int | float | np.number)
    )
    rasters = [drawn(entry, h, w) for entry in ([pyobj] if single else pyobj)]
    return to_dicts(rasters)[0] if single else to_dicts(rasters)


def _listed(masks: Any) -> list[Any]:
    return masks if isinstance(masks, list) else [masks]


def _mask_overlaps(dt: Any, gt: Any, crowd: npt.NDArray[np.bool_]) -> Floats:
    mine, theirs = to_rasters(list(dt)), to_rasters(list(gt))
    one, two = RasterColumn.of(mine), RasterColumn.of(theirs)
    rows, columns = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    shared = one.intersections(two, rows, columns).reshape(len(mine), len(theirs))
    result = _shares(shared, one.areas.astype(np.float64), two.areas.astype(np.float64), crowd)
    unlike = np.array([[first.size != second.size for second in theirs] for first in mine])
    result[unlike] = -1
    return result


def _box_overlaps(dt: Any, gt: Any, crowd: npt.NDArray[np.bool_]) -> Floats:
    mine, theirs = (np.asarray(side, dtype=np.float64).reshape(-1, 4) for side in (dt, gt))
    across, down = (
        np.minimum.outer(mine[:, at] + mine[:, at + 2], theirs[:, at] + theirs[:, at + 2])
        - np.maximum.outer(mine[:, at], theirs[:, at])
        for at in (0, 1)
    )
    shared = np.where((across > 0) & (down > 0), across * down, 0.0)
    return _shares(shared, mine[:, 2] * mine[:, 3], theirs[:, 2] * theirs[:, 3], crowd)


def _shares(shared: Floats, mine: Floats, theirs: Floats, crowd: npt.NDArray[np.bool_]) -> Floats:
    """Intersection over union, or over the detection's area for crowd regions; 0 without intersection."""
    whole = np.where(crowd, mine[:, None], mine[:, None] + theirs - shared)
    return np.asarray(np.divide(shared, whole, out=np.zeros_like(shared), where=shared > 0))
