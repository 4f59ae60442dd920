"""The objects of all images as columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.boxes import corners
from thresher.kernels.detection.column_arrays import (
    check_positions,
    id_array,
    joined_arrays,
    picked,
    read_image,
)
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.federated import Federated, joined_federated
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.joined_columns import joined_fields
from thresher.kernels.detection.keypoints import Keypoints, joined_keypoints
from thresher.kernels.detection.object_values import UNKNOWN_AREA, check_scores
from thresher.results import Label
from thresher.results.labels import Codes, Vocabulary, code_type, encode, vocabulary_of
from thresher.results.ragged import Int64s, ranges

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DetectionColumns(Sequence[Detections]):
    """The objects of all images in parallel arrays, image after image; reads as a list of `Detections`.

    Attributes:
        lengths: how many objects each image has.
        labels: the vocabulary.
        label: position in the vocabulary, per object.
        boxes: n x 4 corners in pixels.
        box_areas: areas of the boxes.
        scores: per object; None for true objects.
        areas: per object the area that decides on COCO's sizes; -1 if it is unknown.
        crowd: which objects are COCO's crowd regions.
        difficult: which true objects may be missed (Pascal VOC's `difficult`).
        geometries: polygons or raster per object, None for a box; empty if all are boxes, `Rasters` of files.
        ids: per object, integers of 64 bits or Python objects; empty without ids.
        keypoints: of all objects; None without keypoints.
        federated: the labels that were checked in each image; None if all were.
    """

    lengths: Int64s
    labels: Vocabulary
    label: Codes
    boxes: Floats
    box_areas: Floats
    scores: Floats | None
    areas: Floats
    crowd: npt.NDArray[np.bool_]
    difficult: npt.NDArray[np.bool_]
    geometries: Sequence[Geometry] = ()
    ids: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(0, object))
    keypoints: Keypoints | None = None
    federated: Federated | None = None

    @classmethod
    def of(cls, images: Iterable[Any], name: str = "images", *, boxes_only: bool = False) -> Self:
        """Build columns from one entry per image, as `Detections.read` takes them; None has no objects.

        Args:
            images: the entries.
            name: their name in messages.
            boxes_only: whether to ignore masks of outputs that have boxes too.

        Raises:
            InputError: for an unreadable image, which it names, or if only some images have scores.
        """
        if isinstance(images, cls):
            return images
        objects = getattr(images, "objects", None)  # a `DetectionsColumn`, whose module imports this one
        if isinstance(objects, cls):
            return objects.used_only()
        entries = [read_image(name, at, entry, boxes_only=boxes_only) for at, entry in enumerate(images)]
        scored = [image.scores is not None for image in entries if len(image)]
        if any(scored) and not all(scored):
            raise InputError(f"{name}: some images have scores and others do not; give scores to all objects")
        every = [label for image in entries for label in image.labels]
        labels = vocabulary_of(every)
        shapes = any(image.geometries for image in entries)
        named = any(image.ids is not None for image in entries)
        points = joined_keypoints([(len(image), image.keypoints) for image in entries])
        return cls(
            np.fromiter(map(len, entries), np.int64, len(entries)),
            labels,
            encode(every, labels),
            joined_arrays([image.boxes for image in entries], (0, 4)),
            joined_arrays([image.box_areas for image in entries]),
            joined_arrays([image.scores for image in entries if image.scores is not None])
            if any(scored)
            else None,
            joined_arrays([image.areas for image in entries]),
            joined_arrays([image.crowd for image in entries]).astype(bool),
            joined_arrays([image.difficult for image in entries]).astype(bool),
            tuple(o for image in entries for o in image.geometries or (None,) * len(image)) if shapes else (),
            id_array([o for image in entries for o in image.ids or (None,) * len(image)] if named else []),
            points,
            joined_federated([(1, len(image), image.federated) for image in entries]),
        )

    @classmethod
    def from_arrays(
        cls,
        images: npt.ArrayLike,
        label: npt.ArrayLike,
        boxes: npt.ArrayLike,
        scores: npt.ArrayLike | None = None,
        *,
        size: int,
        labels: Sequence[Any],
        box_format: str = "xyxy",
        areas: npt.ArrayLike | None = None,
        crowd: npt.ArrayLike | None = None,
        difficult: npt.ArrayLike | None = None,
        geometries: Sequence[Geometry] = (),
        ids: Sequence[Any] | npt.NDArray[Any] = (),
        keypoints: Keypoints | None = None,
        federated: Federated | None = None,
    ) -> Self:
        """Build columns from one row per object, in any order.

        Args:
            images: position of each object's image, 0 to `size - 1`.
            label: position of each object's label in `labels`.
            boxes: n x 4 numbers in pixels.
            scores: confidence of each predicted object.
            size: number of images.
            labels: strings, integers or `Label`s.
            box_format: `xyxy`, `xywh`, `cxcywh` or `xyxy_inclusive`.
            areas: COCO's `area` per object; default: the areas of the boxes.
            crowd: COCO's `iscrowd` per object.
            difficult: Pascal VOC's `difficult` per true object: neither it nor predictions matched with it
                count.
            geometries: polygons or raster per object, None for a box; their envelopes must be the boxes.
            ids: names of the objects.
            keypoints: of all objects.
            federated: the labels that were checked in each image, and per object what `Federated` has.

        Raises:
            InputError: for positions out of range, and invalid boxes or scores.
        """
        owners, codes = np.asarray(images, dtype=np.int64), np.asarray(label, dtype=np.int64)
        check_positions("images", owners, size)
        check_positions("label", codes, len(labels))
        order: Any = slice(None) if (owners[1:] >= owners[:-1]).all() else np.argsort(owners, kind="stable")
        box_corners, box_areas = corners(boxes, box_format)
        names = list(map(Label.of, labels))
        vocabulary = vocabulary_of(names)
        confidence = None if scores is None else check_scores(scores, "row")[order]
        return cls(
            np.bincount(owners, minlength=size),
            vocabulary,
            encode(names, vocabulary)[codes[order]],
            box_corners[order],
            box_areas[order],
            confidence,
            box_areas[order] if areas is None else np.asarray(areas, dtype=np.float64)[order],
            np.zeros(len(codes), bool) if crowd is None else np.asarray(crowd, dtype=bool)[order],
            np.zeros(len(codes), bool) if difficult is None else np.asarray(difficult, dtype=bool)[order],
            picked(geometries, order),
            id_array(ids)[order] if len(ids) else id_array([]),
            None if keypoints is None else keypoints.take(order),
            None if federated is None else federated.take(slice(None), order),
        )

    @property
    def offsets(self) -> Int64s:
        """Where each image's objects start; one more than there are images."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @property
    def owners(self) -> Int64s:
        """Position of each object's image."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def objects(self) -> int:
        """Number of objects in all images."""
        return len(self.label)

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index: int) -> Detections: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Detections | Self:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._range(start, max(start, stop)) if step == 1 else self.take(range(len(self))[index])
        at = range(len(self))[index]
        start = int(self.lengths[:at].sum())
        return self._image(at, start, start + int(self.lengths[at]))

    def _image(self, at: int, start: int, stop: int) -> Detections:
        part = slice(start, stop)
        return Detections(
            tuple(self.labels[code] for code in self.label[part].tolist()),
            self.boxes[part],
            self.box_areas[part],
            tuple(self.geometries[part]),
            None if self.scores is None else self.scores[part],
            self.areas[part],
            self.crowd[part],
            self.difficult[part],
            tuple(self.ids[part].tolist()) or None,
            None if self.keypoints is None else self.keypoints.take(part),
            None if self.federated is None else self.federated.take(slice(at, at + 1), part),
        )

    def __iter__(self) -> Iterator[Detections]:
        return (self._image(at, *ends) for at, ends in enumerate(pairwise(self.offsets.tolist())))

    def __contains__(self, entry: object) -> bool:
        return entry is not None and any(entry is image for image in self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def take(self, images: npt.ArrayLike) -> Self:
        """The images at these positions, in that order."""
        positions = np.asarray(images, dtype=np.int64)
        return self._picked(positions, ranges(self.offsets[positions], self.lengths[positions]))

    def repeated(self, counts: Int64s) -> Self:
        """Each object as often as its count says, one after the other."""
        rows = np.repeat(np.arange(self.objects), counts)
        lengths = np.bincount(self.owners[rows], minlength=len(self))
        return replace(self._picked(slice(None), rows), lengths=lengths)

    def _range(self, start: int, stop: int) -> Self:
        """Successive images; shares the memory."""
        offsets = self.offsets
        return self._picked(slice(start, stop), slice(int(offsets[start]), int(offsets[stop])))

    def _picked(self, images: Int64s | slice, entries: Int64s | slice) -> Self:
        """Some images, and their objects."""
        return replace(
            self,
            lengths=self.lengths[images],
            label=self.label[entries],
            boxes=self.boxes[entries],
            box_areas=self.box_areas[entries],
            scores=None if self.scores is None else self.scores[entries],
            areas=self.areas[entries],
            crowd=self.crowd[entries],
            difficult=self.difficult[entries],
            geometries=picked(self.geometries, entries),
            ids=self.ids[entries] if len(self.ids) else self.ids,
            keypoints=None if self.keypoints is None else self.keypoints.take(entries),
            federated=None if self.federated is None else self.federated.take(images, entries),
        )

    def used_only(self) -> Self:
        """The same objects over the labels that they use, as columns of these images alone would have."""
        used = np.bincount(self.label, minlength=len(self.labels)) > 0
        scores = self.scores if self.objects else None
        if used.all():
            return self if scores is self.scores else replace(self, scores=None)
        labels = tuple(label for label, is_used in zip(self.labels, used.tolist(), strict=True) if is_used)
        new_codes = (np.cumsum(used) - 1).astype(code_type(len(labels)))
        return replace(self, labels=labels, label=new_codes[self.label], scores=scores)

    def with_labels(self, labels: Vocabulary, new_codes: Codes) -> Self:
        """The same objects over another vocabulary; `new_codes` holds the new code of each old one."""
        if labels == self.labels:
            return self
        return replace(self, labels=labels, label=new_codes[self.label])

    def with_one_label(self, label: str) -> Self:
        """The same objects, all of one label.

        Raises:
            InputError: for objects of a federated data set, whose images are checked label by label.
        """
        if self.federated is not None:
            raise InputError("class_agnostic does not fit LVIS, whose images are checked label by label")
        return replace(self, labels=vocabulary_of([Label.of(label)]), label=np.zeros_like(self.label))

    def without_areas(self) -> Self:
        """The same objects in images of unknown size."""
        return replace(self, areas=np.full(self.objects, UNKNOWN_AREA))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the images of several columns, over the labels of all of them."""
        return cls(**joined_fields(parts)) if parts else cls.of([])
