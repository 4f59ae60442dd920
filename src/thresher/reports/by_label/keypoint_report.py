"""The values of one run keypoint by keypoint, the worst keypoints first."""

from dataclasses import replace
from typing import Any, ClassVar

from thresher.errors import InputError
from thresher.kernels.detection.keypoint_errors import KeypointMean, KeypointShare, KeypointTable
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.by_label.label_report import ByLabelReport
from thresher.reports.by_label.label_sort import LabelSort
from thresher.reports.runs.run_data import RunData
from thresher.results import Measure, MetricResult, Signature


class ByKeypointReport(ByLabelReport):
    """The keypoints of the objects that were detected, each with its interval, the worst first.

    The measures are those of the table `by_keypoint`: the mean similarity of each keypoint
    (`detection_keypoints_similarity`), and the share of those that are correct within the tolerance
    (`detection_keypoints_correct`).

    Args:
        run: a run with a metric of keypoints.
        analysis: what to compute: `metrics` (default: the similarity), `cluster`, `repeats` and `level`
            apply.
        sort: as for `ByLabelReport`.

    Raises:
        InputError: for a run without a metric of keypoints, and as for `ByLabelReport`.
    """

    page_sections = ("keypoints", "overview", "breakdowns", "provenance")
    part: ClassVar[str] = "keypoint"

    def __init__(self, run: RunData, analysis: Analysis = DEFAULT, sort: LabelSort = "worst") -> None:
        super().__init__(keypoint_run(run), analysis, sort)
        self._whole = run

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": [self._whole], "by_label": self, **vars(replace(self.analysis, metrics=None))}


def keypoint_run(run: RunData) -> RunData:
    """Return the run with measures of its keypoints in place of its metrics.

    Raises:
        InputError: if it has no metric of keypoints.
    """
    tables = keypoint_tables(run)
    if not tables:
        raise InputError(
            f"nothing to report by keypoint: no metric of {run.name or 'this run'} compares keypoints; the "
            "recipe is keypoint_detection"
        )
    return RunData(
        run.inputs,
        [_of_keypoints(result, table) for result, table in tables],
        name=run.name,
        ids=run.ids,
        ids_given=run.ids_given,
        provenance=run.provenance,
    )


def keypoint_tables(run: RunData) -> list[tuple[MetricResult, KeypointTable]]:
    """Return the results of metrics of keypoints, with their tables."""
    return [
        (result, table)
        for result in run.results
        for table in result.breakdowns
        if isinstance(table, KeypointTable)
    ]


def _of_keypoints(result: MetricResult, table: KeypointTable) -> MetricResult:
    signature = result.measures[0].signature
    stem = signature.metric.removesuffix("_map")
    reductions = {
        "similarity": KeypointMean(table.names, table.names_of),
        "correct": KeypointShare(table.names, table.names_of, table.tolerance),
    }
    tolerance = Signature.of("", {"tolerance": table.tolerance}).settings
    further = {"similarity": (), "correct": tolerance}  # runs with other tolerances must not be compared
    measures = [
        Measure(
            replace(signature, metric=f"{stem}_{name}", settings=(*signature.settings, *further[name])),
            reduction,
            item_score=None,
        )
        for name, reduction in reductions.items()
    ]
    return MetricResult(measures, result.statistics, result.status, result.reasons)
