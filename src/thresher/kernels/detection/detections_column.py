"""A column of the objects of images, stored as arrays."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.detection.column_arrays import id_array
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.geometries import Geometry, areas_of
from thresher.kernels.detection.raster_lists import Rasters
from thresher.results import FrozenColumn
from thresher.results.columns import BuiltColumn


class DetectionsColumn(BuiltColumn):
    """One `Detections` per item, built on access.

    It behaves as a frozen column of them. Matchers, fingerprints and run directories read the arrays instead,
    so that a million boxes cost no Python objects.

    Args:
        objects: the objects of all items.
    """

    __slots__ = ("objects",)

    def __init__(self, objects: DetectionColumns) -> None:
        self.objects = objects

    @classmethod
    def of_entries(cls, column: Sequence[Any]) -> Self | None:
        """The same entries as arrays; None if they are not all `Detections` with the same fields."""
        if isinstance(column, cls):
            return column
        if not len(column) or {*map(type, column)} != {Detections}:
            return None
        fields = {
            (image.scores is None, image.ids is None, image.keypoints and image.keypoints.size)
            for image in column
            if len(image)
        }
        known = {image.federated is None for image in column}
        same = len(fields) < 2 and len(known) < 2  # noqa: PLR2004
        return cls(DetectionColumns.of(list(column))) if same else None

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        return type(self)(self.objects[index]) if isinstance(index, slice) else self.objects[index]

    def __len__(self) -> int:
        return len(self.objects)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.objects)

    def missing(self) -> list[int]:
        """Positions of missing entries: none."""
        return []

    def _equals(self, other: Sequence[Any]) -> bool:
        known = self.of_entries(other)
        return known is not None and list(self.content()) == list(known.content())

    def __repr__(self) -> str:
        return f"DetectionsColumn({counted(len(self), 'item')}, {counted(self.objects.objects, 'object')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.objects,)

    def take(self, indices: Iterable[int]) -> Self:
        """The entries at `indices`, in that order."""
        items = np.fromiter(indices, np.int64)
        return type(self)(self.objects.take(np.arange(len(self))[items]))

    @classmethod
    def concatenate(cls, parts: Sequence[FrozenColumn]) -> FrozenColumn:
        """Join several columns, in the given order."""
        known = [part for part in parts if isinstance(part, cls)]
        if len(known) < len(parts) or not parts:
            return FrozenColumn.concatenate(parts)
        return (
            known[0]
            if len(known) == 1
            else cls(DetectionColumns.concatenate([part.objects for part in known]))
        )

    def texts(self) -> list[Any]:
        """All entries that may hold texts: labels and ids."""
        named = self.objects.ids.dtype == object
        checked = self.objects.federated.labels if self.objects.federated is not None else ()
        return [*self.objects.labels, *checked, *(self.objects.ids.tolist() if named else [])]

    def content(self) -> Iterator[bytes | memoryview]:
        """The content as bytes, for hashing: equal for equal objects, whatever file they were read from."""
        objects = self.objects.used_only()
        areas = objects.areas.copy()  # those of the geometries differ in the last bits between file formats
        areas[areas == areas_of(objects.box_areas, objects.geometries)] = -1
        ids = id_array(objects.ids.tolist() if objects.ids.dtype == object else objects.ids)
        arrays: dict[str, npt.NDArray[Any]] = {
            "lengths": objects.lengths,
            "label": objects.label.astype(np.int64),
            "areas": areas,
        }
        arrays |= {"boxes": objects.boxes + 0.0, "crowd": objects.crowd, "difficult": objects.difficult}
        arrays |= {} if objects.scores is None else {"scores": objects.scores + 0.0}
        if objects.keypoints is not None and objects.objects:
            points = objects.keypoints
            arrays |= {"keypoints": points.points + 0.0, "num_keypoints": points.counts}
            arrays |= {} if points.sizes is None else {"keypoints_given": points.sizes}
        arrays |= {} if objects.federated is None else objects.federated.content()
        arrays |= {"ids": ids} if ids.dtype == np.int64 and len(ids) else {}
        names = [] if "ids" in arrays or all(name is None for name in ids.tolist()) else ids.tolist()
        yield b"[%b, [" % _members([list(arrays), objects.labels])
        yield _shapes(objects.geometries)
        yield b"], %b]" % _members([names])
        for array in arrays.values():
            yield np.ascontiguousarray(array).tobytes()


def _members(entries: list[Any]) -> bytes:
    """The JSON of a list, without its brackets."""
    return json.dumps(entries, sort_keys=True, default=str)[1:-1].encode()


def _shapes(geometries: Sequence[Geometry]) -> bytes | memoryview:
    """The JSON of shapes, without Python objects for the run lengths of masks that are columns."""
    if isinstance(geometries, Rasters):
        return geometries.json()
    return _members([shape and shape.to_dict() for shape in geometries])
