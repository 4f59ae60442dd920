"""Runs compared with the first keypoint by keypoint."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.by_label.keypoint_report import keypoint_run
from thresher.reports.by_label.label_comparison import ByLabelComparison
from thresher.reports.by_label.label_sort import DifferenceSort
from thresher.reports.runs.run_data import RunData


class ByKeypointComparison(ByLabelComparison):
    """A comparison with the first run on each keypoint of the objects that each run detected.

    The measures are those of `ByKeypointReport`. P-values are corrected (Holm) over all keypoints and runs.

    Args:
        runs: two or more runs with a metric of keypoints; the first is the baseline.
        analysis: what to compute; `metrics` and `primary` (default: the similarity) and `margins` name these
            measures.
        sort: as for `ByLabelComparison`.

    Raises:
        InputError: for a run without a metric of keypoints, and as for `ByLabelComparison`.
    """

    page_sections = ("keypoints", "comparison", "overview", "breakdowns", "provenance")
    part: ClassVar[Literal["label", "keypoint"]] = "keypoint"

    def __init__(
        self, runs: Sequence[RunData], analysis: Analysis = DEFAULT, sort: DifferenceSort = "worst"
    ) -> None:
        super().__init__([keypoint_run(run) for run in runs], analysis, sort)
        self._whole_runs = tuple(runs)

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        whole = replace(self._whole, metrics=None, primary=None, margins=None)
        return {"runs": self._whole_runs, "by_label": self, **vars(whole)}
