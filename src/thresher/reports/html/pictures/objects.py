"""The objects of images with what became of each, as numbers that the page draws."""

from ast import literal_eval
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.detection import polygons
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.decisions import decision_statistics
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.keypoint_sigmas import Sigmas
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.object_outcomes import OUTCOMES, RIGHT, object_outcomes
from thresher.kernels.detection.object_values import UNKNOWN_AREA
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.kernels.detection.rasters import Raster
from thresher.kernels.inference import BestF
from thresher.kernels.thresholds.best_threshold import chosen_threshold
from thresher.kernels.thresholds.decisions import ranked_decisions
from thresher.reports.html.pictures.subject import Subject
from thresher.reports.html.pictures.thumbnails import LARGE
from thresher.reports.html.pictures.worst import worst_rows
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn, Status
from thresher.results.ragged import Int64s
from thresher.results.signature import unescaped

MOST_PREDICTIONS = 100
"""Predictions drawn per image, those with the highest scores; COCO counts as many."""
_SIZES = (32.0**2, 96.0**2)
"""Areas that divide small, medium and large objects, as COCO does."""
_NO_SIZE = 3
"""Follows small, medium and large: the page shows such objects where any size is chosen."""
_DEFAULTS = {"matching": "coco", "iou_threshold": "0.5", "background_threshold": "0.1"}
_COARSE = 400
"""Pixels of an image from which on whole pixels are exact enough for its drawing."""
_HALF_PIXEL = 1 / (2 * LARGE)
"""Half a pixel of a large picture, as a share of its longer side."""


class ObjectPictures(Subject):
    """The objects of a run and their outcomes.

    Args:
        run: the run.
        predictions: its column of predicted objects.
        truths: its column of true objects.
    """

    def __init__(self, run: RunData, predictions: FrozenColumn, truths: FrozenColumn) -> None:
        settings = _settings(run)
        options = _matcher_options(settings)
        boxes_only = options.get("compare_as") == "box"
        sides = [DetectionColumns.of(side, boxes_only=boxes_only) for side in (predictions, truths)]
        status = np.zeros(len(run), np.uint8)
        status[[*predictions.missing(), *truths.missing()]] = Status.MISSING
        self._drawn = DetectionMatches(sides[0], sides[1], options, status)
        if settings.get("class_agnostic") == "yes":
            sides = [side.with_one_label("object") for side in sides]
        self.matches = DetectionMatches(sides[0], sides[1], options, status)
        limits = float(settings["iou_threshold"]), float(settings["background_threshold"])
        self._outcomes = object_outcomes(self.matches, settings["matching"], *limits)
        right = bool((self._outcomes.outcome == RIGHT).any())
        scores = scores_of(self.matches.predictions)
        self._ends = min(0.0, scores.min(initial=0.0)), max(1.0, scores.max(initial=1.0))
        self.threshold = (
            _best_threshold(self.matches, settings["matching"], limits[0]) if right else self._ends[0]
        )
        self._settings = settings
        self._shares = all(len(side.boxes) == 0 or side.boxes.max() <= 1 for side in sides)

    def rows(self, most: int) -> list[int]:
        """Return the images with the most errors at the threshold of the highest F1, some for each kind."""
        scored = np.flatnonzero(self.scored)
        rows: list[int] = scored[worst_rows(self.errors[scored], most)].tolist()
        return rows

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which images have both columns."""
        scored: npt.NDArray[np.bool_] = self.matches.status == Status.SCORED
        return scored

    @cached_property
    def errors(self) -> npt.NDArray[np.int64]:
        """Images x kinds of errors, at the threshold of the highest F1."""
        return self._outcomes.errors_at(self.matches, self.threshold)

    def hits(self, rows: Int64s) -> tuple[Int64s, npt.NDArray[np.bool_]]:
        """Return of each true object its image's place in `rows`, and whether it is found or ignored."""
        places, owners = _objects_of(self.matches.truths, rows)
        found = (self._outcomes.hit_score >= self.threshold) | self._outcomes.ignored
        return owners, found[places]

    def true_objects(self, rows: Int64s) -> tuple[Any, ...]:
        """Return of each true object its image's place in `rows`, its label and its box."""
        places, owners = _objects_of(self._drawn.truths, rows)
        labels = np.array([str(label) for label in self._drawn.truths.labels], object)
        return owners, labels[self._drawn.truths.label[places]], self._drawn.truths.boxes[places]

    def header(self) -> dict[str, Any]:
        """Return what all images share."""
        return {
            "form": "objects",
            "labels": list(map(str, self._drawn.truths.labels)),
            "outcomes": list(OUTCOMES),
            "threshold": round(self.threshold, 4),
            "scores": [float(f"{end:.4g}") for end in self._ends],
            "matching": {name: self._settings[name] for name in _DEFAULTS},
        }

    def sentences(self, rows: Sequence[int]) -> list[str]:
        """Say by what the images are ranked, and whether predictions are left out."""
        first = (
            f"First the images with the most errors (false positives and false negatives) at a score of "
            f"{self.threshold:.2f}, where F1 over all images is highest; some images for each kind of error."
        )
        return [first, *self.limits(rows)]

    def limits(self, rows: Sequence[int]) -> list[str]:
        """Say how many of these images have more predictions than are drawn."""
        full = sum(self.matches.predictions.lengths[row] > MOST_PREDICTIONS for row in rows)
        if not full:
            return []
        images = counted(full, "image has", "images have")
        return [
            f"{images} more than {MOST_PREDICTIONS} predictions; those with the highest scores are drawn."
        ]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:
        """Return the objects of an image in its pixels.

        Args:
            row: position of the image.
            size: its width and height; None if unknown.
        """
        predictions, truths = self._places(row)
        boxes = np.concatenate(
            [self.matches.predictions.boxes[predictions], self.matches.truths.boxes[truths]]
        )
        known = size or _extent(boxes, self._shares)
        scale = known if self._shares else (1, 1)
        sides = ("p", self._drawn.predictions, predictions), ("t", self._drawn.truths, truths)
        outlines = {
            f"{name}{at}": rings
            for name, side, places in sides
            for at, place in enumerate(places.tolist() if side.geometries else ())
            if (rings := _rings(side.geometries[place], known, scale)) is not None
        }
        points = {
            f"{name}{at}": _rounded(joints[(joints[:, 2] > 0) | (name == "p"), :2] * scale, known)
            for name, side, places in sides
            for at, joints in enumerate([] if side.keypoints is None else side.keypoints.of_objects(places))
        }
        return {
            "size": list(known),
            "predictions": self._predicted(predictions, known, scale),
            "truths": self._true(truths, known, scale),
            "outlines": outlines,
            "points": points,
        }

    def _places(self, row: int) -> tuple[Int64s, Int64s]:
        """Positions of an image's predictions by falling score, at most so many, and of its true objects."""
        starts = [side.offsets[row : row + 2] for side in (self.matches.predictions, self.matches.truths)]
        predictions, truths = (np.arange(start, stop) for start, stop in starts)
        order = np.argsort(-scores_of(self.matches.predictions)[predictions], kind="stable")
        return predictions[order[:MOST_PREDICTIONS]], truths

    def _predicted(self, places: Int64s, size: Sequence[int], scale: Sequence[int]) -> list[list[Any]]:
        side, outcomes = self._drawn.predictions, self._outcomes
        further = (
            scores_of(side)[places].round(3).tolist(),
            outcomes.outcome[places].tolist(),
            outcomes.iou[places].round(2).tolist(),
        )
        return _rows(side, places, size, scale, *further)

    def _true(self, places: Int64s, size: Sequence[int], scale: Sequence[int]) -> list[list[Any]]:
        outcomes = self._outcomes
        further = (
            _or_none(outcomes.hit_score[places]),
            _or_none(outcomes.covered_score[places]),
            outcomes.ignored[places].astype(int).tolist(),
        )
        return _rows(self._drawn.truths, places, size, scale, *further)


def _objects_of(side: DetectionColumns, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Positions of the objects of some images, and the place of each one's image in `rows`."""
    lengths = side.lengths[rows]
    owners = np.repeat(np.arange(len(rows)), lengths)
    first = np.repeat(side.offsets[rows] - (np.cumsum(lengths) - lengths), lengths)
    return first + np.arange(len(owners)), owners


def _matcher_options(settings: Mapping[str, str]) -> dict[str, Any]:
    """The options of the matcher, from the settings of a signature."""
    stated = {name: value for name, value in settings.items() if value != "none"}
    options: dict[str, Any] = {
        name: stated[name] for name in ("compare_as", "raster_to_polygon") if name in stated
    }
    if "dilation_ratio" in stated:
        options["dilation_ratio"] = float(stated["dilation_ratio"])
    if "sigmas" in stated:
        options["sigmas"] = _sigmas(stated["sigmas"])
    return options


def _sigmas(stated: str) -> Sigmas:
    """The standard deviations of all labels, or those of each."""
    if stated.startswith("{"):
        given: dict[str, list[float]] = literal_eval(unescaped(stated))
        return given
    return list(map(float, stated.split(",")))


def _settings(run: RunData) -> dict[str, str]:
    """Return the settings of the run's kinds of errors, else of its other metrics, else defaults."""
    signatures = [dict(measure.signature.settings) for result in run.results for measure in result.measures]
    known = sorted(
        (settings for settings in signatures if "matching" in settings and "iou_threshold" in settings),
        key=lambda settings: "background_threshold" not in settings,
    )
    others = [settings for settings in signatures if "compare_as" in settings]
    return _DEFAULTS | next(iter([*known, *others]), {})


def _best_threshold(matches: DetectionMatches, rule: str, iou_threshold: float) -> float:
    """The score from which on predictions have the highest F1 over all objects."""
    ranked = ranked_decisions(decision_statistics(matches, rule, iou_threshold))
    return chosen_threshold(ranked, BestF(), "micro", np.ones(len(matches)))


def _extent(boxes: Any, shares: bool) -> tuple[int, int]:
    """The size of an image of which only the objects are known."""
    if shares or not len(boxes):
        return (640, 640)
    width, height = np.ceil(boxes[:, 2:].max(axis=0) * 1.02).astype(int).tolist()
    return max(width, 1), max(height, 1)


def _rows(
    side: DetectionColumns, places: Int64s, size: Sequence[int], scale: Sequence[int], *further: list[Any]
) -> list[list[Any]]:
    """One row per object: label, size, corners, and the further values."""
    boxes = _rounded(side.boxes[places] * [*scale, *scale], size)
    areas = side.areas[places]
    sizes = np.where(areas == UNKNOWN_AREA, _NO_SIZE, np.searchsorted(_SIZES, areas)).tolist()
    labels = side.label[places].tolist()
    return [
        [label, area, *box, *rest]
        for label, area, box, *rest in zip(labels, sizes, boxes, *further, strict=True)
    ]


def _rounded(values: Any, size: Sequence[int]) -> Any:
    if max(size) >= _COARSE:
        return np.asarray(values).round().astype(int).tolist()
    return np.asarray(values).round(1).tolist()


def _rings(shape: Geometry, size: Sequence[int], scale: Sequence[int]) -> list[list[float]] | None:
    """The outlines of a polygon or mask as x, y, x, y, ...; None for a box."""
    outline = polygons.outline(shape) if isinstance(shape, Raster) else shape
    if not isinstance(outline, Polygons):
        return None
    tolerance = max(size) / max(scale) * _HALF_PIXEL
    fewer = polygons.simplified(outline, tolerance) or outline
    return [_rounded((ring * scale).ravel(), size) for part in fewer.parts for ring in part]


def _or_none(values: Any) -> list[float | None]:
    return [None if value != value else round(value, 3) for value in values.tolist()]  # noqa: PLR0124 (NaN)
