"""The ten numbers of COCO's keypoint evaluation."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from thresher.errors import InputError
from thresher.kernels.detection.assignment import EVERY_AREA
from thresher.kernels.detection.average_precision import LabelPrecisionTable, MeanAverageRecall
from thresher.kernels.detection.coco_numbers import (
    AREA_RANGES,
    COCO_THRESHOLDS,
    WIDTH,
    at_threshold,
    checked_ranges,
    precision_numbers,
)
from thresher.kernels.detection.keypoint_errors import KeypointTable, with_keypoint_errors
from thresher.kernels.detection.keypoint_names import names_by_label
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics import PositiveCount, Share, detection_outputs, metric, read_matches
from thresher.metrics.detection import KEYPOINT_DEFAULTS, detection_measures
from thresher.metrics.options import distinct
from thresher.results import Reduction
from thresher.surface import option

_SIZES = {name: AREA_RANGES[name] for name in ("medium", "large")}
"""COCO has no small persons: their keypoints are not annotated."""

Names = Annotated[Sequence[str], distinct]


@metric
class DetectionKeypointsEvaluator:
    """The ten numbers of COCO for keypoints, such as those of human poses.

    With the default options they are `detection_keypoints_map`, `_map_50`, `_map_75`, `_map_medium`,
    `_map_large`, and the same of `_mar`. Objects are matched by object keypoint similarity (OKS), so the
    `DetectionMatcher` has `compare_as="keypoints"`. Numbers that COCO's tools print as -1 (no object of that
    size) are undefined (NaN).

    The table `by_keypoint` shows where poses are wrong: for each keypoint that is labelled in a true object
    with a hit at OKS 0.5, its mean distance in pixels, its mean similarity exp(-d^2 / (2 area (2 sigma)^2)),
    and the share of those within the tolerance. If sigmas or names are given by label, it has one row per
    label and keypoint.

    Formula: OKS = mean over labelled keypoints of exp(-d^2 / (2 area (2 sigma)^2)); AP = 1/101 * sum over
        recalls r in {0, 0.01, ..., 1} of the highest precision at a recall of at least r, the mean over
        labels and the OKS thresholds 0.5, 0.55, ... 0.95; AR = mean over the same of the highest recall.
    Source: COCO's evaluation, as pycocotools 2.0.11 computes it: true objects without a labelled keypoint,
        crowd regions and objects of other sizes ignored, both limits of a size inclusive, equal scores in the
        order of images and predictions.

    Args:
        area_ranges: name of a size -> lowest and highest area in pixels, both inclusive; default: medium and
            large. The area of a true object is that of its segment, that of a prediction that of its box, or
            of the box around its keypoints.
        max_detections: number of predictions per image and label that count.
        tolerance: similarity from which on a single keypoint is correct, for `by_keypoint`.
        keypoint_names: names of the keypoints in `by_keypoint`, or label -> names if labels have different
            skeletons; default: COCO's with COCO's sigmas, else numbers from 1.
        name: stem of the measures' names.

    ```python
    person = {"labels": ["person"], "keypoints": [[[10 * at, 5, 2] for at in range(17)]], "areas": [9000]}
    matcher = DetectionMatcher(compare_as="keypoints")
    matches = matcher.run(predictions=[{**person, "scores": [0.9]}], ground_truths=[person])["matches"]
    DetectionKeypointsEvaluator().run(matches=matches)["score"]
    ```
    """

    matcher_options: ClassVar[dict[str, Any]] = {"compare_as": "keypoints"}

    area_ranges: Mapping[str, Sequence[float]] | None = None
    max_detections: PositiveCount = 20
    tolerance: Share = 0.5
    keypoint_names: Names | Mapping[str, Names] | None = None
    name: str = "detection_keypoints"

    def __post_init__(self) -> None:
        self._ranges = checked_ranges(self.area_ranges or _SIZES)
        self.area_ranges = self._ranges

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Compute COCO's numbers.

        Returns:
            `score`: COCO's AP; `individual_scores`: NaN, since one image has none; `result` with the tables
            `by_label` and `by_keypoint`.
        """
        read = read_matches(matches, KEYPOINT_DEFAULTS)
        if not read.compares_keypoints:
            remedy = option(
                "run the recipe keypoint_detection", "use DetectionMatcher(compare_as='keypoints')"
            )
            raise InputError(f"matches compare no keypoints; {remedy}")
        ranges = (*EVERY_AREA, *((float(low), float(high)) for low, high in self._ranges.values()))
        statistics = ranked_statistics(read, "coco", COCO_THRESHOLDS, ranges)
        measures = detection_measures(
            self, read, self._reductions(), COCO_THRESHOLDS, ("tolerance", "keypoint_names")
        )
        names, names_of = names_by_label(self.keypoint_names, read.settings["sigmas"])
        tables = [
            LabelPrecisionTable("by_label", COCO_THRESHOLDS, (0.5, 0.75), self.max_detections, exact=True),
            KeypointTable("by_keypoint", names, self.tolerance, names_of),
        ]
        by_label = names_of is not None
        statistics = with_keypoint_errors(statistics, read, self.max_detections, by_label=by_label)
        return detection_outputs(read, measures, statistics, tables)

    def _reductions(self) -> dict[str, Reduction]:
        last = self.max_detections
        reductions = precision_numbers(self.name, [*self._ranges], last)
        reductions[f"{self.name}_mar"] = MeanAverageRecall((WIDTH, 0, WIDTH, 0, last))
        for threshold in (0.5, 0.75):
            view = (WIDTH, *at_threshold(threshold), 0, last)
            reductions[f"{self.name}_mar_{threshold * 100:g}"] = MeanAverageRecall(view)
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_mar_{size}"] = MeanAverageRecall((WIDTH, 0, WIDTH, area, last))
        return reductions
