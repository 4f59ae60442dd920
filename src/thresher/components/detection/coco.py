"""The twelve numbers of COCO's evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from thresher.components._renamed import formerly
from thresher.errors import InputError
from thresher.kernels.detection.assignment import EVERY_AREA
from thresher.kernels.detection.average_precision import (
    LabelPrecisionTable,
    MeanAveragePrecision,
    MeanAverageRecall,
)
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.kernels.detection.ranked import View
from thresher.metrics import PositiveCount, detection_measure, detection_outputs, metric, read_matches, rising
from thresher.metrics.detection import rule_name

IOU_THRESHOLDS: tuple[float, ...] = tuple(np.linspace(0.5, 0.95, 10).tolist())
"""As COCO's tools compute them: some differ from 0.55, 0.6, ... in the last bit."""
AREA_RANGES = {"small": [0.0, 1024.0], "medium": [1024.0, 9216.0], "large": [9216.0, 1e10]}
_PAIR = 2


@formerly("CocoDetectionEvaluator", "coco")
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
        name: stem of the measures' names.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionCocoEvaluator().run(matches=matches)["score"]
    ```
    """

    area_ranges: Mapping[str, Sequence[float]] | None = None
    max_detections: Annotated[Sequence[PositiveCount], rising(255)] = (1, 10, 100)
    name: str = "detection_coco"

    def __post_init__(self) -> None:
        ranges = {name: [*limits] for name, limits in (self.area_ranges or AREA_RANGES).items()}
        for name, limits in ranges.items():
            if len(limits) != _PAIR or not 0 <= limits[0] <= limits[1]:
                raise InputError(f"area_ranges: {name} is {limits}; give [lowest, highest], at least 0")
        self._ranges = dict(sorted(ranges.items(), key=lambda named: named[1]))
        self.area_ranges = self._ranges

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Compute COCO's numbers.

        Returns:
            `score`: COCO's AP; `individual_scores`: NaN, since one image has none; `result` with the table
            `by_label`.
        """
        read = read_matches(matches)
        ranges = (*EVERY_AREA, *((float(low), float(high)) for low, high in self._ranges.values()))
        statistics = ranked_statistics(read, "coco", IOU_THRESHOLDS, ranges)
        (name, reduction), *others = self._reductions().items()
        measures = [detection_measure(self, read, name, reduction, rule=_rule(reduction))]
        signature = measures[0].signature  # of equal settings; printing them twelve times takes a millisecond
        measures += [
            replace(
                measures[0],
                signature=replace(signature, metric=name),
                reduction=reduction,
                rule=_rule(reduction),
            )
            for name, reduction in others
        ]
        last = self.max_detections[-1]
        table = LabelPrecisionTable("by_label", IOU_THRESHOLDS, (0.5, 0.75), last, exact=True)
        return detection_outputs(read, measures, statistics, [table])

    def _reductions(self) -> dict[str, MeanAveragePrecision | MeanAverageRecall]:
        width, last = len(IOU_THRESHOLDS), self.max_detections[-1]
        reductions: dict[str, MeanAveragePrecision | MeanAverageRecall] = {
            f"{self.name}_map": MeanAveragePrecision((width, 0, width, 0, last), exact=True)
        }
        for threshold in (0.5, 0.75):
            at = IOU_THRESHOLDS.index(threshold)
            name = f"{self.name}_map_{threshold * 100:g}"
            reductions[name] = MeanAveragePrecision((width, at, at + 1, 0, last), exact=True)
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_map_{size}"] = MeanAveragePrecision(
                (width, 0, width, area, last), exact=True
            )
        for most in self.max_detections:
            reductions[f"{self.name}_mar_{most}"] = MeanAverageRecall((width, 0, width, 0, most))
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_mar_{size}"] = MeanAverageRecall((width, 0, width, area, last))
        return reductions


def _rule(reduction: MeanAveragePrecision | MeanAverageRecall) -> str:
    view = View(*reduction.view)
    points = reduction.points if isinstance(reduction, MeanAveragePrecision) else None
    return rule_name("coco", IOU_THRESHOLDS[view.first : view.last], points)
