"""The thirteen numbers of LVIS's evaluation."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from thresher.kernels.detection.assignment import EVERY_AREA
from thresher.kernels.detection.average_precision import LabelPrecisionTable, MeanAverageRecall
from thresher.kernels.detection.coco_numbers import (
    AREA_RANGES,
    COCO_THRESHOLDS,
    WIDTH,
    checked_ranges,
    precision_numbers,
)
from thresher.kernels.detection.federated import FREQUENCIES
from thresher.kernels.detection.lvis import GroupAveragePrecision, lvis_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import TopK, detection_outputs, metric
from thresher.metrics.detection import detection_measures, read_federated
from thresher.results import Reduction


@metric
class DetectionLvisEvaluator:
    """The thirteen numbers of LVIS for boxes or instance masks.

    With the default options they are `detection_lvis_map`, `_map_50`, `_map_75`, `_map_small`, `_map_medium`,
    `_map_large`, `_map_rare`, `_map_common`, `_map_frequent`, `_mar`, `_mar_small`, `_mar_medium` and
    `_mar_large`. Numbers that LVIS's tools print as -1 (no such object) are undefined (NaN).

    LVIS is federated: an image is checked for some labels only. So predictions of labels that are neither
    annotated nor verified to be absent in their image are left out, and predictions that match nothing are
    ignored if their label is not annotated exhaustively there. COCO's numbers of the same files are lower.

    Formula: AP = 1/101 * sum over recalls r in {0, 0.01, ..., 1} of the highest precision at a recall of at
        least r, the mean over labels and the IoU thresholds 0.5, 0.55, ... 0.95; AR = mean over the same of
        the highest recall.
    Source: LVIS's evaluation, as lvis 0.5.3 computes it (Gupta et al. 2019, "LVIS: A Dataset for Large
        Vocabulary Instance Segmentation"): the best 300 predictions of an image over all labels, true objects
        with `ignore` ignored, no crowd regions, objects without area (empty masks) left out on both sides,
        otherwise as COCO.

    Args:
        area_ranges: name of a size -> lowest and highest area in pixels, both inclusive; reported from the
            smallest to the largest.
        max_detections: number of predictions per image, over all labels, that count; None for all.
        name: stem of the measures' names.

    ```python
    checked = {"absent": ["dog"], "not_exhaustive": [], "frequency": ["rare"]}
    truth = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]], "federated": checked}
    found = {"labels": ["cat", "cow"], "boxes": [[0, 0, 10, 10], [5, 5, 9, 9]], "scores": [0.8, 0.9]}
    matches = DetectionMatcher().run(predictions=[found], ground_truths=[truth])["matches"]
    DetectionLvisEvaluator().run(matches=matches)["score"]
    ```
    """

    reads_protocol: ClassVar[str] = "lvis"

    area_ranges: Mapping[str, Sequence[float]] | None = None
    max_detections: TopK = 300
    name: str = "detection_lvis"

    def __post_init__(self) -> None:
        self._ranges = checked_ranges(self.area_ranges or AREA_RANGES)
        self.area_ranges = self._ranges

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Compute LVIS's numbers.

        Returns:
            `score`: LVIS's AP; `individual_scores`: NaN, since one image has none; `result` with the table
            `by_label`.
        """
        read = read_federated(matches)
        ranges = (*EVERY_AREA, *((float(low), float(high)) for low, high in self._ranges.values()))
        statistics = lvis_statistics(read, COCO_THRESHOLDS, ranges, self.max_detections)
        measures = detection_measures(self, read, self._reductions(), COCO_THRESHOLDS, matching="LVIS")
        table = LabelPrecisionTable("by_label", COCO_THRESHOLDS, (0.5, 0.75), exact=True)
        return detection_outputs(read, measures, statistics, [table])

    def _reductions(self) -> dict[str, Reduction]:
        whole = (WIDTH, 0, WIDTH, 0, None)
        reductions = precision_numbers(self.name, [*self._ranges], None)
        for frequency in FREQUENCIES:
            group = GroupAveragePrecision(whole, exact=True, frequency=frequency)
            reductions[f"{self.name}_map_{frequency}"] = group
        reductions[f"{self.name}_mar"] = MeanAverageRecall(whole)
        for area, size in enumerate(self._ranges, start=1):
            reductions[f"{self.name}_mar_{size}"] = MeanAverageRecall((WIDTH, 0, WIDTH, area, None))
        return reductions
