"""The twelve numbers of COCO's evaluation."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from thresher.kernels.detection.assignment import EVERY_AREA
from thresher.kernels.detection.average_precision import (
    LabelPrecisionTable,
    MeanAveragePrecision,
    MeanAverageRecall,
    threshold_name,
)
from thresher.kernels.detection.coco_numbers import AREA_RANGES, COCO_THRESHOLDS, checked_ranges
from thresher.kernels.detection.integration import POINTS
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.mismatch import warn_of_sizes
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics import (
    PositiveCount,
    Share,
    detection_outputs,
    metric,
    read_matches,
    rising,
)
from thresher.metrics.detection import check_iou_thresholds, detection_measures

_REPORTED = (0.5, 0.75)
_NEAR = 1e-9
_Mean = MeanAveragePrecision | MeanAverageRecall


@metric
class DetectionCocoEvaluator:
    """The twelve numbers of COCO for boxes or instance masks.

    With the default options they are `detection_coco_map`, `_map_50`, `_map_75`, `_map_small`, `_map_medium`,
    `_map_large`, `_mar_1`, `_mar_10`, `_mar_100`, `_mar_small`, `_mar_medium` and `_mar_large`. Numbers
    that COCO's tools print as -1 (no object of that size) are undefined (NaN).

    Formula: AP = 1/101 * sum over recalls r in {0, 0.01, ..., 1} of the highest precision at a recall of at
        least r, the mean over labels and the IoU thresholds 0.5, 0.55, ... 0.95; AR = mean over the same of
        the highest recall.
    Source: COCO's evaluation, as pycocotools 2.0.11 computes it: separate matching at each threshold,
        crowd regions and true objects of other sizes ignored, both limits of a size inclusive, equal scores
        in the order of images and predictions.

    Args:
        area_ranges: name of a size -> lowest and highest area in pixels, both inclusive; reported from the
            smallest to the largest.
        max_detections: rising numbers of predictions per image and label; recall is reported for each,
            everything else for the last.
        iou_thresholds: rising; 0.5 and 0.75 have a measure of their own if they are among them.
        recall_points: rising recalls from 0 to 1 at which precision is averaged, compared to the last bit;
            default: COCO's 101.
        name: stem of the measures' names.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionCocoEvaluator().run(matches=matches)["score"]
    ```
    """

    area_ranges: Mapping[str, Sequence[float]] | None = None
    max_detections: Annotated[Sequence[PositiveCount], rising(255)] = (1, 10, 100)
    iou_thresholds: Sequence[float] = COCO_THRESHOLDS
    recall_points: Annotated[Sequence[Share] | None, rising(1001)] = None
    name: str = "detection_coco"

    def __post_init__(self) -> None:
        self._ranges = checked_ranges(self.area_ranges or AREA_RANGES)
        self.area_ranges = self._ranges
        check_iou_thresholds(self.iou_thresholds)

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Compute COCO's numbers.

        Returns:
            `score`: COCO's AP; `individual_scores`: NaN, since one image has none; `result` with the table
            `by_label`.
        """
        read = read_matches(matches)
        warn_of_sizes(read.truths, self._ranges.values())
        ranges = (*EVERY_AREA, *((float(low), float(high)) for low, high in self._ranges.values()))
        steps = tuple(self.iou_thresholds)
        statistics = ranked_statistics(read, "coco", steps, ranges)
        measures = detection_measures(self, read, self._reductions(steps), steps, self._unsigned)
        shown = tuple(steps[at] for at in _reported(steps).values())
        view = steps, shown, self.max_detections[-1]
        table = LabelPrecisionTable("by_label", *view, exact=True, points=self._points)
        return detection_outputs(read, measures, statistics, [table])

    @property
    def _points(self) -> int | tuple[float, ...]:
        return POINTS if self.recall_points is None else tuple(map(float, self.recall_points))

    @property
    def _unsigned(self) -> tuple[str, ...]:
        """Options with COCO's own values, which signatures leave out."""
        usual = {
            "iou_thresholds": tuple(self.iou_thresholds) == COCO_THRESHOLDS,
            "recall_points": self.recall_points is None,
        }
        return tuple(option for option, is_usual in usual.items() if is_usual)

    def _reductions(self, steps: tuple[float, ...]) -> dict[str, _Mean]:
        width, last = len(steps), self.max_detections[-1]

        def precision(first: int = 0, stop: int = width, area: int = 0) -> _Mean:
            return MeanAveragePrecision((width, first, stop, area, last), exact=True, points=self._points)

        def recall(area: int, most: int) -> _Mean:
            return MeanAverageRecall((width, 0, width, area, most))

        reductions: dict[str, _Mean] = {f"{self.name}_map": precision()}
        for threshold, at in _reported(steps).items():
            reductions[threshold_name(f"{self.name}_map", threshold)] = precision(at, at + 1)
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_map_{size}"] = precision(area=area)
        reductions |= {f"{self.name}_mar_{most}": recall(0, most) for most in self.max_detections}
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_mar_{size}"] = recall(area, last)
        return reductions


def _reported(steps: Sequence[float]) -> dict[float, int]:
    """The thresholds with their own measure, and their positions."""
    return {
        threshold: at
        for threshold in _REPORTED
        for at, step in enumerate(steps)
        if abs(step - threshold) < _NEAR
    }
