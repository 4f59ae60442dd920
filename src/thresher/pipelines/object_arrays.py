"""Columns of detected or true objects as Arrow lists of structs, for run directories."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thresher.files.arrow_arrays import array_of_numbers, array_of_texts, numpy_of
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.detection.federated import Federated
from thresher.kernels.detection.geometries import Geometry, read_geometry
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.raster_lists import Rasters
from thresher.reports.rendering.text import plain
from thresher.results import Label, Ragged

if TYPE_CHECKING:
    import pyarrow as pa

_AXES = 3  # x, y and visibility of a keypoint
_SIDES = 2  # height and width of a mask
_LISTS = ("absent", "not_exhaustive")
_FORM = "objects "
"""Start of the form of such a column; the labels follow as JSON."""


def is_form(form: str) -> bool:
    """Whether a form is that of a column of objects."""
    return form.startswith(_FORM)


def encode(column: DetectionsColumn) -> tuple["pa.Array", str]:
    """Return a list of objects per item, and the form. Fields with default values are left out."""
    import pyarrow as pa

    objects = column.objects.used_only()
    masks = Rasters.of(objects.geometries) if objects.geometries else None
    fields = _of_boxes(objects) | _of_points(objects)
    if objects.federated is not None:
        fields["frequency"] = array_of_numbers(objects.federated.frequency)
        fields["ignored"] = array_of_numbers(objects.federated.ignored)
    if masks is not None:
        fields |= _of_masks(masks)
    elif objects.geometries:
        fields["geometry"] = _as_json([shape and shape.to_dict() for shape in objects.geometries])
    inner = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    whole = pa.LargeListArray.from_arrays(array_of_numbers(objects.offsets), inner)
    names: Any = objects.labels
    if objects.federated is not None:
        whole = _with_lists(whole, objects.federated)
        names = {"labels": objects.labels, "checked": objects.federated.labels}
    return whole, _FORM + json.dumps(names)


def _of_boxes(objects: DetectionColumns) -> dict[str, "pa.Array"]:
    """Labels, boxes, and what is known about each object."""
    import pyarrow as pa

    fields = {
        "label": array_of_numbers(objects.label),
        "box": pa.FixedSizeListArray.from_arrays(array_of_numbers(objects.boxes.ravel()), 4),
    }
    fields |= {} if objects.scores is None else {"score": array_of_numbers(objects.scores)}
    for name, values, default in (
        ("box_area", objects.box_areas, _box_areas(objects.boxes)),
        ("area", objects.areas, objects.box_areas),
        ("crowd", objects.crowd, False),
        ("difficult", objects.difficult, False),
    ):
        fields |= {} if (values == default).all() else {name: array_of_numbers(values)}
    if len(objects.ids):
        integers = objects.ids.dtype == np.int64
        fields["id"] = array_of_numbers(objects.ids) if integers else _as_json(objects.ids.tolist())
    return fields


def _of_points(objects: DetectionColumns) -> dict[str, "pa.Array"]:
    """Keypoints, if there are any."""
    import pyarrow as pa

    points = objects.keypoints
    if points is None or not objects.objects:
        return {}
    numbers = array_of_numbers(points.points.ravel())
    fields = {
        "keypoints": pa.FixedSizeListArray.from_arrays(numbers, points.size * _AXES),
        "num_keypoints": array_of_numbers(points.counts),
    }
    return fields if points.sizes is None else fields | {"keypoints_given": array_of_numbers(points.sizes)}


def _of_masks(masks: Rasters) -> dict[str, "pa.Array"]:
    """Sizes and run lengths of masks."""
    import pyarrow as pa

    whole = masks.compact()
    sizes = pa.FixedSizeListArray.from_arrays(array_of_numbers(whole.sizes.astype(np.int32).ravel()), _SIDES)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(whole.lengths)])
    runs = pa.LargeListArray.from_arrays(array_of_numbers(ends), array_of_numbers(whole.counts))
    return {"mask_size": sizes, "mask_runs": runs}


def _with_lists(objects: "pa.LargeListArray", federated: Federated) -> "pa.StructArray":
    """The objects of each item with the labels that were checked in it."""
    import pyarrow as pa

    lists = [
        pa.LargeListArray.from_arrays(array_of_numbers(column.offsets), array_of_numbers(column["label"]))
        for column in (federated.absent, federated.not_exhaustive)
    ]
    return pa.StructArray.from_arrays([objects, *lists], ["objects", *_LISTS])


def decode(array: "pa.Array", form: str) -> DetectionsColumn:
    """Return the column that `encode` stored."""
    names, checked = json.loads(form.removeprefix(_FORM)), []
    lists: list[Any] | None = None
    if isinstance(names, dict):
        lists = [array.field(name) for name in _LISTS]
        array, checked, names = array.field("objects"), names["checked"], names["labels"]
    inner = array.flatten()
    fields = {field.name: inner.field(at) for at, field in enumerate(inner.type)}
    size = len(inner)

    def numbers(name: str, default: Any) -> npt.NDArray[Any]:
        return numpy_of(fields[name]) if name in fields else default

    boxes = numpy_of(fields["box"].flatten()).reshape(-1, 4)
    box_areas = numbers("box_area", _box_areas(boxes))
    columns = DetectionColumns(
        numpy_of(array.value_lengths()),
        tuple(Label(*label) for label in names),
        numpy_of(fields["label"]),
        boxes,
        box_areas,
        numbers("score", None),
        numbers("area", box_areas),
        numbers("crowd", np.zeros(size, bool)),
        numbers("difficult", np.zeros(size, bool)),
        _geometries(fields),
        _ids(fields["id"]) if "id" in fields else np.zeros(0, object),
        _keypoints(fields) if "keypoints" in fields else None,
        None if lists is None else _federated(checked, lists, fields),
    )
    return DetectionsColumn(columns)


def _geometries(fields: dict[str, Any]) -> Sequence[Geometry]:
    if "mask_runs" in fields:
        runs = fields["mask_runs"]
        sizes = numpy_of(fields["mask_size"].flatten()).reshape(-1, _SIDES)
        return Rasters.of_runs(sizes, numpy_of(runs.value_lengths()), numpy_of(runs.flatten()))
    shapes = _from_json(fields["geometry"]) if "geometry" in fields else []
    return tuple(map(read_geometry, shapes))


def _box_areas(boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Areas as `corners` computes them from corners."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return np.asarray(sides[:, 0] * sides[:, 1])


def _federated(labels: list[Any], lists: list[Any], fields: dict[str, Any]) -> Federated:
    absent, not_exhaustive = (
        Ragged(numpy_of(column.value_lengths()), {"label": numpy_of(column.flatten())}) for column in lists
    )
    objects = numpy_of(fields["frequency"]), numpy_of(fields["ignored"])
    return Federated(tuple(Label(*label) for label in labels), absent, not_exhaustive, *objects)


def _keypoints(fields: dict[str, Any]) -> Keypoints:
    points, counts = fields["keypoints"], numpy_of(fields["num_keypoints"])
    sizes = numpy_of(fields["keypoints_given"]) if "keypoints_given" in fields else None
    return Keypoints(numpy_of(points.flatten()).reshape(len(points), -1, _AXES), counts, sizes)


def _ids(array: "pa.Array") -> npt.NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_integer(array.type):
        return numpy_of(array)
    return np.fromiter(_from_json(array), object, len(array))


def _as_json(entries: list[Any]) -> "pa.Array":
    return array_of_texts([None if entry is None else json.dumps(plain(entry)) for entry in entries])


def _from_json(array: "pa.Array") -> list[Any]:
    return [None if text is None else json.loads(text) for text in array.to_pylist()]
