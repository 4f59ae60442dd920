"""The objects of one image."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.boxes import BOX_FORMATS
from thresher.kernels.detection.federated import Federated
from thresher.kernels.detection.geometries import Geometry, areas_of, outlines, read_geometry
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.object_values import (
    UNKNOWN_AREA,
    check_lengths,
    check_scores,
    checked_areas,
    checked_flags,
    untensored,
    whole_numbers,
)
from thresher.kernels.detection.outputs import KNOWN, Names, holds_outputs, read_output
from thresher.kernels.detection.polygons import rotated_boxes
from thresher.kernels.tensors import is_tensor
from thresher.results import Label
from thresher.results.choices import check_choice

Floats = npt.NDArray[np.float64]
ROTATED = "cxcywhr"
_FLAGS = ("crowd", "difficult")
_POINTS = ("keypoints", "num_keypoints")
_FIELDS = {"labels", "boxes", "scores", "geometries", "box_format", "areas", "ids", "federated"}
_FIELDS |= {*_FLAGS, *_POINTS}


@dataclass(frozen=True, eq=False)
class Detections:
    """The predicted or the true objects of one image. Immutable.

    Build it with `Detections.of`; an image without objects is `Detections.of([])`.

    Attributes:
        labels: one per object.
        boxes: n x 4 corners in pixels (xmin, ymin, xmax, ymax), the envelopes of other geometries.
        box_areas: areas of the boxes.
        geometries: polygons or raster per object, None for a box; empty if all are boxes.
        scores: one per object; None for true objects.
        areas: area per object that decides on COCO's sizes; default: that of the geometry; -1 if unknown.
        crowd: which objects are COCO's crowd regions.
        difficult: which true objects may be missed (Pascal VOC's `difficult`).
        ids: one per object, for examples; None without ids.
        keypoints: of all objects; None without keypoints.
        federated: the labels that were checked in the image; None if all were.
    """

    labels: tuple[Label, ...]
    boxes: Floats
    box_areas: Floats
    geometries: tuple[Geometry, ...]
    scores: Floats | None
    areas: Floats
    crowd: npt.NDArray[np.bool_]
    difficult: npt.NDArray[np.bool_]
    ids: tuple[Any, ...] | None
    keypoints: Keypoints | None = None
    federated: Federated | None = None

    @classmethod
    def of(
        cls,
        labels: Any,
        boxes: npt.ArrayLike | None = None,
        scores: npt.ArrayLike | None = None,
        *,
        geometries: Sequence[Any] | Literal["boxes", "masks"] | None = None,
        box_format: str = "xyxy",
        areas: npt.ArrayLike | None = None,
        crowd: npt.ArrayLike | None = None,
        difficult: npt.ArrayLike | None = None,
        ids: Sequence[Any] | None = None,
        keypoints: Any = None,
        num_keypoints: npt.ArrayLike | None = None,
        federated: Any = None,
        names: Names | None = None,
        threshold: float | None = None,
    ) -> Self:
        """Build the objects of one image.

        Instead of labels, the first argument may be what a detector returns for one image, or a target: the
        dictionaries of torchvision, TorchMetrics and transformers (detection, instances, panoptic), objects
        of supervision, Ultralytics, Detectron2 and MMDetection, or a list of COCO's annotations. Tensors are
        converted by `numpy()`, `__array__` or DLPack. Other arguments replace what the output says.

        Args:
            labels: per object a string, an integer or a `Label(key, value)`.
            boxes: n x 4 numbers in pixels.
            scores: confidence of each predicted object, usually from 0 to 1; any finite number ranks.
            geometries: instead of boxes, per object `Polygons`, a `Raster`, or a box of four numbers. Of an
                output with both, `boxes` or `masks` (also corners of rotated boxes); default: masks.
            box_format: `xyxy`, `xywh`, `cxcywh`, or `xyxy_inclusive` for boxes of whole pixels whose last
                pixel belongs to the box (Pascal VOC); `cxcywhr` for n x 5 numbers: centre, width, height and
                angle in radians from the x axis towards the y axis.
            areas: COCO's `area` per object, None where it is unknown; default: the areas of the geometries.
            crowd: COCO's `iscrowd` per object.
            difficult: Pascal VOC's `difficult` per true object: neither it nor predictions matched with it
                count.
            ids: names of the objects.
            keypoints: x, y and visibility (0: not labelled) of each keypoint, objects x keypoints x 3, or
                x 2 without visibility. Objects without boxes get those around their keypoints.
            num_keypoints: COCO's `num_keypoints` per object; default: the keypoints with a visibility > 0.
            federated: of true objects in a federated data set (LVIS), a dict of `absent` and `not_exhaustive`
                (labels verified to be absent, and those whose objects are not all annotated), and per object
                `frequency` (`rare`, `common` or `frequent`) and `ignored`.
            names: of an output, the label of each class number, as a list counted from 0 or a dict; default:
                the names in the output, else the numbers.
            threshold: of an output with soft masks, pixels of at least this value are inside, usually 0.5.

        Raises:
            InputError: if columns differ in length or contain invalid entries; for soft masks without
                threshold.

        >>> output = {"boxes": np.array([[0, 0, 10, 5]]), "labels": np.array([1]), "scores": np.array([0.9])}
        >>> str(Detections.of(output, names=["background", "cat"]).labels[0])
        'cat'
        >>> image = Detections.of(["cat"], [[0, 0, 10, 5]], [0.9])
        >>> len(image), image.areas.tolist()
        (1, [50.0])
        """
        if boxes is None and (geometries is None or isinstance(geometries, str)) and _may_be_output(labels):
            check_choice("geometries", geometries or "masks", ("boxes", "masks"))
            values = read_output(labels, names, threshold, boxes_only=geometries == "boxes")
            if values is not None:
                own = {"box_format": None if box_format == "xyxy" else box_format, "scores": scores}
                own |= {"areas": areas, "crowd": crowd, "difficult": difficult, "ids": ids}
                own |= {"keypoints": keypoints, "num_keypoints": num_keypoints, "federated": federated}
                return cls.of(**values | {name: value for name, value in own.items() if value is not None})
        check_choice("box_format", box_format, (*BOX_FORMATS, ROTATED))
        labels = whole_numbers(untensored(labels))
        labels = labels[()] if isinstance(labels, np.ndarray) and not labels.ndim else labels
        boxes, scores, areas, crowd = (untensored(entry) for entry in (boxes, scores, areas, crowd))
        if box_format == ROTATED:
            if geometries is not None:
                raise InputError(f"box_format={ROTATED!r} is the format of boxes; give boxes, not geometries")
            geometries, boxes, box_format = rotated_boxes([] if boxes is None else boxes), None, "xyxy"
        if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
            if not isinstance(labels, str | int | float | np.generic | None):
                raise _unknown(labels)
            raise InputError(f"labels is {labels!r}; give a list with one label per object")
        points = None if keypoints is None else Keypoints.of(keypoints, num_keypoints)
        if points is not None and boxes is None and geometries is None:
            boxes, box_format = points.extents(), "xyxy"
        if (boxes is None) == (geometries is None) and len(labels):
            raise InputError("give either boxes or geometries")
        envelopes, box_areas, shapes = outlines(boxes, geometries, box_format)
        columns = {"scores": scores, "areas": areas, "crowd": crowd, "difficult": difficult, "ids": ids}
        drawn = "boxes" if geometries is None else "geometries (masks or polygons)"
        check_lengths(len(labels), **{"keypoints": points, drawn: envelopes, **columns})
        sizes = areas_of(box_areas, shapes) if areas is None else checked_areas(areas)
        return cls(
            tuple(Label.of(label) for label in labels),
            envelopes,
            box_areas,
            shapes if any(shape is not None for shape in shapes) else (),
            None if scores is None else check_scores(scores),
            sizes,
            checked_flags("crowd", crowd, len(labels)),
            checked_flags("difficult", difficult, len(labels)),
            None if ids is None else tuple(ids),
            points,
            None if federated is None else Federated.of(federated, len(labels)),
        )

    @classmethod
    def read(cls, entry: Any, *, boxes_only: bool = False) -> Self:
        """Read `Detections`, a dictionary of the arguments of `of` (a JSON object), or an output of a tool.

        A geometry in the dictionary is GeoJSON (`Polygon`, `MultiPolygon`), run lengths
        (`{"size": [height, width], "counts": ...}`), or a box of four numbers.

        Args:
            entry: what is read.
            boxes_only: whether to ignore masks of an output that has boxes too.

        Raises:
            InputError: for anything else, and for invalid objects.
        """
        if isinstance(entry, cls):
            return entry
        if not (isinstance(entry, Mapping) and "labels" in entry and set(entry) <= _FIELDS):
            values = read_output(entry, boxes_only=boxes_only)
            if values is None:
                raise _unknown(entry)
            return cls.of(**values)
        options = dict(entry)
        if options.get("geometries") is not None:
            options["geometries"] = list(map(read_geometry, options["geometries"]))
        return cls.of(
            options.pop("labels"), options.pop("boxes", None), options.pop("scores", None), **options
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; the inverse of `read`."""
        data: dict[str, Any] = {"labels": [label.plain() for label in self.labels]}
        if self.geometries:
            data["geometries"] = [
                box if shape is None else shape.to_dict()
                for box, shape in zip(self.boxes.tolist(), self.geometries, strict=True)
            ]
        else:
            data["boxes"] = self.boxes.tolist()
        if self.scores is not None:
            data["scores"] = self.scores.tolist()
        if not np.array_equal(self.areas, areas_of(self.box_areas, self.geometries)):
            data["areas"] = [None if area == UNKNOWN_AREA else area for area in self.areas.tolist()]
        data |= {name: flags.tolist() for name in _FLAGS if (flags := getattr(self, name)).any()}
        data |= {} if self.ids is None else {"ids": list(self.ids)}
        data |= {} if self.keypoints is None else self.keypoints.plain()
        return data if self.federated is None else data | {"federated": self.federated.plain()}

    def __len__(self) -> int:
        return len(self.labels)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _unknown(entry: Any) -> InputError:
    if not isinstance(entry, Mapping):
        return InputError(
            f"an image cannot be {type(entry).__name__}; give Detections, a dict with labels and boxes, or "
            "the output of a detector with such fields"
        )
    keys = ", ".join(sorted(map(str, entry))) or "no fields"
    if "labels" not in entry and set(entry) <= _FIELDS:
        return InputError(f"an image has {keys}, and no labels; give one per object")
    strange = ", ".join(map(repr, sorted({*map(str, entry)} - KNOWN - _FIELDS))) or keys
    return InputError(f"an image is a dict of {', '.join(sorted(_FIELDS))}, not of {strange}")


def _may_be_output(labels: Any) -> bool:
    """Whether the first argument of `of` is something else than labels."""
    if isinstance(labels, str | np.ndarray) or is_tensor(labels):
        return False
    return not isinstance(labels, Sequence) or holds_outputs(labels)
