"""Outputs of detectors, targets and annotations in memory as arguments of `Detections.of`, by their fields.

Fields decide, not classes, so that no framework is imported: dictionaries of torchvision, TorchMetrics and
transformers; objects of supervision, Ultralytics, Detectron2 and MMDetection; lists of dictionaries.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.rasters import Raster
from thresher.kernels.detection.summaries import is_summary, summary_fields, summary_outlines
from thresher.kernels.tensors import as_array
from thresher.surface import option

Array = npt.NDArray[Any]
Names = Sequence[str] | Mapping[Any, str]
"""Label per class number: a list counted from 0, or a dict."""
_NAMES = {
    "boxes": ("boxes", "xyxy", "bboxes", "pred_boxes", "gt_boxes"),
    "labels": ("labels", "class_id", "cls", "pred_classes", "gt_classes"),
    "scores": ("scores", "confidence", "conf"),
    "masks": ("masks", "mask", "pred_masks", "gt_masks"),
    "corners": ("xyxyxyxy",),
    "keypoints": ("keypoints", "pred_keypoints", "gt_keypoints"),
    "crowd": ("iscrowd", "crowd"),
    "areas": ("area", "areas"),
}
"""Field -> its names in the outputs of tools."""
_FURTHER = (
    *("data", "text_labels", "keypoints_scores", "keypoint_scores", "keypoints_visible"),
    *("id", "image_id", "img_id", "img_path", "file_name", "orig_size", "ori_shape", "img_shape"),
)
"""Further keys of outputs, which are ignored or only used by some."""
KNOWN = {*_FURTHER, *(name for names in _NAMES.values() for name in names)}
"""All keys of outputs. Any other key is refused, so that a misspelt one is noticed."""
_COPIES = {"segmentation", "bbox", "category_id"}
"""What torchvision's `target_keys="all"` adds to a target; one alone is a misspelt key."""
_WRAPPERS = ("instances", "pred_instances", "gt_instances")
_MASK_AXES = 3


def read_output(
    output: Any, names: Names | None = None, threshold: float | None = None, *, boxes_only: bool = False
) -> dict[str, Any] | None:
    """The arguments of `Detections.of` for the objects of one image; None if the form is unknown.

    Args:
        output: what a tool returns for one image.
        names: label per class number; default: the names in the output, else the numbers.
        threshold: for soft masks, see `Raster.of`.
        boxes_only: whether to ignore masks of objects that have boxes too.

    Raises:
        InputError: for fields that do not fit.
    """
    for name in _WRAPPERS:
        inner = _get(output, name)
        if inner is not None:
            return read_output(inner, names, threshold, boxes_only=boxes_only)
    if is_list_of_annotations(output):
        return _annotations(output, names, boxes_only=boxes_only)
    if is_summary(output):
        return _of_summary(output, names, boxes_only=boxes_only)
    if isinstance(output, list | tuple) and holds_outputs(output):
        named = "give objects with label and box (x1, y1, x2, y2 by name)"
        remedy = option(named, "call Detections.of for each entry")
        raise InputError(
            f"a list whose entry 0 is of type {type(output[0]).__name__} is not one image; {remedy}, or give "
            "annotations with category_id"
        )
    if _get(output, "segments_info") is not None:
        return _segments(output, names, threshold)
    boxes = _get(output, "boxes")
    if _get(boxes, "xyxy") is not None or _get(output, "obb") is not None:
        return _of_ultralytics(output, names, threshold, boxes_only=boxes_only)
    return _parallel(output, names, threshold, boxes_only=boxes_only)


def _get(source: Any, name: str) -> Any:
    """A key or an attribute; None without it."""
    if isinstance(source, Mapping):
        return source.get(name)
    return None if isinstance(source, Sequence | np.ndarray) else getattr(source, name, None)


def _field(source: Any, field: str) -> Any:
    values = (_get(source, name) for name in _NAMES[field])
    return next((value for value in values if value is not None), None)


def _array(value: Any, what: str) -> Array:
    """An array; boxes and masks of Detectron2 and MMDetection wrap theirs."""
    for name in ("tensor", "masks"):
        value = getattr(value, name, value)
    return as_array(value, what)


def _parallel(
    source: Any, names: Names | None, threshold: float | None, *, boxes_only: bool
) -> dict[str, Any] | None:
    """Fields with one entry per object."""
    if isinstance(source, Mapping) and set(source) - KNOWN not in (set(), _COPIES):
        return None
    data = _get(source, "data")  # supervision has texts and the corners of rotated boxes there
    extra = data if isinstance(data, Mapping) else {}
    texts = _get(source, "text_labels")
    texts = extra.get("class_name") if texts is None else texts
    numbers, boxes, masks = (_field(source, field) for field in ("labels", "boxes", "masks"))
    points = None if boxes_only else _field(source, "keypoints")
    if (texts is None and numbers is None) or (boxes is None and masks is None and points is None):
        return None
    values: dict[str, Any] = {"labels": _labels(texts, numbers, names)}
    values |= {} if points is None else {"keypoints": _array(points, "keypoints")}
    corners = extra.get("xyxyxyxy")
    if boxes is None and masks is None:
        pass  # boxes are drawn around the keypoints
    elif boxes is not None and (boxes_only or (masks is None and corners is None)):
        values["boxes"] = _rows(boxes, "boxes", 4)
    elif masks is not None:
        values["geometries"] = _rasters(masks, threshold)
    else:
        values["geometries"] = _rotated(corners)
    fields = ("scores", "crowd", "areas") if isinstance(source, Mapping) else ("scores", "crowd")
    return values | {
        field: as_array(value, field).reshape(-1)
        for field in fields
        if (value := _field(source, field)) is not None
    }


def _of_ultralytics(
    output: Any, names: Names | None, threshold: float | None, *, boxes_only: bool
) -> dict[str, Any] | None:
    """Ultralytics' `Results`: numbers of the objects in `boxes` or `obb`, masks next to them."""
    objects = _get(output, "obb")
    is_rotated = objects is not None
    objects = objects if is_rotated else _get(output, "boxes")
    masks, corners = _get(_get(output, "masks"), "data"), _get(objects, "xyxyxyxy") if is_rotated else None
    fields = {name: _get(objects, name) for name in ("xyxy", "cls", "conf")}
    if masks is not None and not boxes_only:
        fields["masks"] = _of_image_size(as_array(masks, "masks"), _get(output, "orig_shape"))
    fields["keypoints"] = _get(_get(output, "keypoints"), "data")
    fields["data"] = None if corners is None else {"xyxyxyxy": corners}
    known = _get(output, "names") if names is None else names
    return _parallel(fields, known, threshold, boxes_only=boxes_only)


def _of_summary(rows: Any, names: Names | None, *, boxes_only: bool) -> dict[str, Any] | None:
    """The list of objects that Ultralytics' `Results.summary()` returns and `to_json()` writes."""
    values = _parallel(summary_fields(rows), names, None, boxes_only=boxes_only)
    outlines = None if boxes_only else summary_outlines(rows)
    if values is None or outlines is None:
        return values
    del values["boxes"]
    return values | {"geometries": outlines}


def _of_image_size(masks: Array, size: Any) -> Array:
    if size is not None and masks.ndim == _MASK_AXES and masks.shape[1:] != tuple(size)[:2]:
        raise InputError(
            f"masks have the size {masks.shape[1:]} of the network's input, the image {tuple(size)[:2]} "
            "(height, width); predict with retina_masks=True"
        )
    return masks


def _segments(output: Any, names: Names | None, threshold: float | None) -> dict[str, Any]:
    """Post-processed segments of transformers: a map of ids, or a mask per segment, and `segments_info`.

    Only ids in `segments_info` are objects: other pixels are -1 in maps of instances, 0 in panoptic maps.
    """
    infos, segmentation = list(_get(output, "segments_info")), _get(output, "segmentation")
    known = ("label_id", "category_id")
    numbers = [next((info[name] for name in known if name in info), None) for info in infos]
    if None in numbers:
        raise InputError(f"segments_info[{numbers.index(None)}] has no label_id; give each segment one")
    values: dict[str, Any] = {"labels": _labels(None, numbers, names)}
    pixels = np.zeros((0, 0)) if segmentation is None else as_array(segmentation, "segmentation")
    if pixels.ndim == _MASK_AXES:
        values["geometries"] = _rasters(pixels, threshold)
    else:
        values["geometries"] = [Raster.of(pixels == info["id"]) for info in infos]
    if infos and all(info.get("score") is not None for info in infos):
        values["scores"] = [float(info["score"]) for info in infos]
    return values | {"crowd": [info.get("iscrowd", 0) for info in infos]}


def holds_outputs(values: Sequence[Any]) -> bool:
    """Whether a list begins with a dictionary or an object with boxes, and so has no labels."""
    return len(values) > 0 and (
        (isinstance(values[0], Mapping) and set(values[0]) != {"key", "value"})
        or any(_get(values[0], name) is not None for name in (*_NAMES["boxes"], "obb", *_WRAPPERS))
    )


def is_list_of_annotations(output: Any) -> bool:
    """Whether a value is a list of COCO's annotations or results."""
    return isinstance(output, list | tuple) and all(
        isinstance(row, Mapping) and "category_id" in row for row in output
    )


def _annotations(
    rows: Sequence[Mapping[str, Any]], names: Names | None, *, boxes_only: bool
) -> dict[str, Any]:
    """COCO's annotations or results of one image, as `CocoDetection` and Detectron2 give them."""
    values: dict[str, Any] = {"labels": _labels(None, [row["category_id"] for row in rows], names)}
    posed = bool(rows) and all(row.get("keypoints") for row in rows) and not boxes_only
    values |= _keypoints(rows) if posed else {}
    if posed and not all(row.get("bbox") for row in rows):
        pass  # boxes are drawn around the keypoints
    elif rows and all(row.get("segmentation") for row in rows) and not boxes_only:
        values["geometries"] = [_segmentation(row["segmentation"]) for row in rows]
    else:
        boxes = [row.get("bbox") for row in rows]
        if None in boxes:
            raise InputError(f"annotation {boxes.index(None)} has no 'bbox'")
        values |= {"boxes": _rows(boxes, "bbox", 4), "box_format": "xywh"}
    for field, name in (("scores", "score"), ("areas", "area")):
        if rows and all(row.get(name) is not None for row in rows):
            values[field] = [row[name] for row in rows]
    return values | {"crowd": [row.get("iscrowd", 0) for row in rows]}


def _keypoints(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Keypoints of COCO's annotations or results: one list of x, y, v, x, y, v, ... each."""
    points = as_array([row["keypoints"] for row in rows], "keypoints")
    if points.ndim != 2 or points.shape[1] % 3:  # noqa: PLR2004 (objects x numbers; x, y and v of a keypoint)
        raise InputError("keypoints differ in number or form; give x, y and visibility of each in one list")
    counts = [row.get("num_keypoints") for row in rows]
    given = {} if None in counts else {"num_keypoints": counts}
    return {"keypoints": points.reshape(len(rows), -1, 3), **given}


def _segmentation(value: Any) -> Polygons | Raster:
    if isinstance(value, Mapping):
        return Raster.from_rle(value.get("size", ()), value.get("counts", ()))
    return Polygons.of(*([as_array(ring, "segmentation").reshape(-1, 2)] for ring in value))


def _rasters(masks: Any, threshold: float | None) -> list[Raster]:
    """Masks of N x H x W, or N x 1 x H x W as torchvision's models give them, or run lengths."""
    if isinstance(masks, list | tuple) and all(isinstance(mask, Mapping) for mask in masks):
        return [Raster.from_rle(mask.get("size", ()), mask.get("counts", ())) for mask in masks]
    array = _array(masks, "masks")
    if array.ndim == _MASK_AXES + 1 and array.shape[1] == 1:
        array = array[:, 0]
    if array.size and array.ndim != _MASK_AXES:
        raise InputError(f"masks have the shape {array.shape}; give objects x height x width")
    return [Raster.of(mask, threshold) for mask in array] if array.size else []


def _rotated(corners: Any) -> list[Polygons]:
    return [Polygons.of([ring]) for ring in _rows(corners, "corners", 8).reshape(-1, 4, 2)]


def _rows(values: Any, what: str, width: int) -> Array:
    """`width` numbers per object; an empty array of any shape has no objects."""
    array = _array(values, what)
    if array.size == 0:
        return np.zeros((0, width))
    if array.dtype.kind not in "biuf" or array.size != width * len(array):
        raise InputError(f"{what} have the shape {array.shape}; give {counted(width, 'number')} per object")
    return array.reshape(-1, width).astype(np.float64)


def _labels(texts: Any, numbers: Any, names: Names | None) -> list[Any]:
    """Names of class numbers; else the texts of the output; else the numbers."""
    if texts is not None and (names is None or numbers is None):
        return [str(text) for text in texts]
    if names is None and isinstance(numbers, list | tuple) and not all(map(_is_number, numbers)):
        return list(numbers)
    array = _array(numbers, "labels").reshape(-1)
    if array.dtype.kind in "US" and names is None:
        return [str(label) for label in array]
    if array.size and (array.dtype.kind not in "iuf" or (array != np.floor(array)).any()):
        raise InputError(f"labels are {array!r:.80}; give whole numbers or texts")
    codes = [int(code) for code in array]
    return codes if names is None else [class_name(names, code) for code in codes]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def class_name(names: Names, code: int) -> str:
    """The label of a class number.

    Raises:
        InputError: for a number without a label.
    """
    known: Mapping[Any, str] = names if isinstance(names, Mapping) else dict(enumerate(names))
    if code in known or str(code) in known:
        return str(known[code] if code in known else known[str(code)])
    raise InputError(f"class {code} has no name; {counted(len(known), 'name is', 'names are')} given")
