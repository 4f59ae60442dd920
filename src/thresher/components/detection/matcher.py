"""Overlaps of predicted and true objects, the expensive step that all detection metrics share."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from haystack import component

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.detection.geometries import are_rasters, raster_sizes
from thresher.kernels.detection.keypoint_sigmas import Sigmas
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.mismatch import (
    warn_of_mismatch,
    warn_of_scores,
    warn_of_shift,
    warn_of_sigmas,
)
from thresher.metrics import CompleteColumn, ImageObjects, IouThreshold, Items, Positive, declared


@declared
class DetectionMatcher:
    """Overlaps of the predicted and the true objects of each image, input of the detection metrics.

    Two objects are compared as the simpler of their geometries, as in Valor: the outline of a raster with a
    polygon, the smallest enclosing box of either with a box. Boxes and rasters are compared exactly, polygons
    (including rotated boxes) by shapely; self-crossing polygons are filled by the even-odd rule, and
    geometries without area do not overlap anything. Coordinates may be outside the image.

    Args:
        compare_as: most detailed geometry that is compared: `box`, `polygon` or `raster`; None for no limit.
            `boundary` takes the smaller one of two overlaps of masks, of all pixels and of those near the
            outline (boundary IoU); `probiou` compares rotated boxes as Ultralytics does, which is not an IoU;
            `keypoints` compares these by COCO's object keypoint similarity (OKS).
        dilation_ratio: for `boundary`: width of the boundary as a share of the image's diagonal.
        raster_to_polygon: `outline` follows the pixels exactly; `hull` is the convex hull of the pixels'
            upper left corners, as in Valor's service.
        class_agnostic: whether all objects get the same label, `object`, so that only their places count
            (`useCats=0` of COCO's tools).
        sigmas: for `keypoints`: standard deviation of each keypoint of the skeleton, relative to the square
            root of the object's area, or label -> those, if labels have different skeletons; default, also
            for labels that are not named: COCO's, for the 17 keypoints of a person.

    ```python
    truth = Detections.of(["cat"], [[0, 0, 10, 10]])
    predicted = Detections.of(["cat"], [[0, 0, 10, 9]], scores=[0.8])
    matches = DetectionMatcher().run(predictions=[predicted], ground_truths=[truth])["matches"]
    ```
    """

    compare_as: Literal["box", "polygon", "raster", "boundary", "probiou", "keypoints"] | None = None
    raster_to_polygon: Literal["outline", "hull"] = "outline"
    class_agnostic: bool = False
    dilation_ratio: IouThreshold = 0.02
    sigmas: Sequence[Positive] | Mapping[str, Sequence[Positive]] | None = None

    def __post_init__(self) -> None:
        if self.sigmas is not None and self.compare_as != "keypoints":
            raise InputError("sigmas is an option of compare_as='keypoints'; remove it")
        if isinstance(self.sigmas, Mapping) and self.class_agnostic:
            raise InputError("class_agnostic gives all objects one label; give sigmas as one list")

    @component.output_types(matches=list[DetectionMatches])
    def run(self, predictions: ImageObjects, ground_truths: ImageObjects) -> dict[str, Any]:
        """Check the objects and compute the overlaps of polygons and masks; metrics compute those of boxes.

        Args:
            predictions: per image `Detections` with scores, a dict of their arguments (`labels`, `boxes`,
                `scores`, ...), or the output of a detector as `Detections.of` reads it; or `DetectionColumns`
                of all images. None leaves the image out.
            ground_truths: the same without scores.

        Returns:
            `matches`: one entry per image, for the inputs of that name.
        """
        items = Items(predictions=_entries(predictions), ground_truths=_entries(ground_truths))
        matches = DetectionMatches(
            self._columns(predictions, "predictions"),
            self._columns(ground_truths, "ground_truths"),
            self._settings(),
            items.status,
            items.reasons,
        )
        _check_sizes(matches)
        _check_geometries(matches)
        warn_of_mismatch(matches.predictions, matches.truths)
        if not all(isinstance(side, DetectionsColumn) for side in (predictions, ground_truths)):
            # Readers of files make these columns, and have warned with their own remedies.
            warn_of_shift(matches.predictions, matches.truths)
            warn_of_scores(matches.predictions)
        warn_of_sigmas(self.sigmas, matches.truths.labels)
        if matches.compares_keypoints or matches.predictions.geometries or matches.truths.geometries:
            matches.pairs()  # some metrics need no pairs of boxes
        return {"matches": matches}

    def _columns(self, images: ImageObjects, name: str) -> DetectionColumns:
        columns = DetectionColumns.of(images, name, boxes_only=self.compare_as == "box")
        return columns.with_one_label("object") if self.class_agnostic else columns

    def _settings(self) -> dict[str, Any]:
        """The options; those added later only where they are used, so that older signatures stay equal."""
        settings: dict[str, Any] = {
            "compare_as": self.compare_as,
            "raster_to_polygon": self.raster_to_polygon,
        }
        if self.compare_as == "keypoints":
            settings = {"compare_as": "keypoints", "sigmas": _plain(self.sigmas)}
        if self.compare_as == "boundary":
            settings["dilation_ratio"] = self.dilation_ratio
        return settings | ({"class_agnostic": True} if self.class_agnostic else {})


def _plain(sigmas: Sigmas) -> Any:
    """Sigmas as plain data, labels in their order."""
    if isinstance(sigmas, Mapping):
        return {label: list(map(float, sigmas[label])) for label in sorted(sigmas)}
    return None if sigmas is None else [*sigmas]


def _check_sizes(matches: DetectionMatches) -> None:
    """Raise for masks of one image with different sizes, whose pixels do not correspond."""
    known = np.full((len(matches.truths), 2), -1, np.int64)
    for name, side in (("predictions", matches.predictions), ("ground_truths", matches.truths)):
        if not side.geometries:
            continue
        images, sizes = side.owners[are_rasters(side.geometries)], raster_sizes(side.geometries)
        new = np.flatnonzero(known[images, 0] < 0)[::-1]  # of several, the first one is written last
        known[images[new]] = sizes[new]
        other = np.flatnonzero((known[images] != sizes).any(axis=1))
        if len(other):
            image, size = int(images[other[0]]), tuple(sizes[other[0]].tolist())
            raise InputError(
                f"{name}[{image}] has a mask of {size} (height, width), but another mask of the image is "
                f"{tuple(known[image].tolist())}; give masks of one image the same size"
            )


def _check_geometries(matches: DetectionMatches) -> None:
    """Raise for objects without the geometry that is compared."""
    compare_as = matches.settings["compare_as"]
    for name, side in (("predictions", matches.predictions), ("ground_truths", matches.truths)):
        shapes = side.geometries or ((None,) * side.objects if compare_as == "boundary" else ())
        if compare_as == "boundary" and not (masked := are_rasters(shapes)).all():
            raise InputError(
                f"{name}[{int(side.owners[np.argmin(masked)])}] has an object without a mask; "
                "compare_as='boundary' needs the masks of all objects"
            )
        if compare_as == "probiou" and side.objects and not side.geometries:
            raise InputError(
                f"{name} are upright boxes; compare_as='probiou' is for rotated ones, as four corners or "
                "box_format='cxcywhr'"
            )


def _entries(images: Any) -> Any:
    """A column that knows which images are missing; `DetectionColumns` are complete, and not iterated."""
    return CompleteColumn(images) if isinstance(images, DetectionColumns) else images
