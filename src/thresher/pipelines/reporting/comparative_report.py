"""The comparison of a run with a baseline inside a pipeline."""

from collections.abc import Mapping
from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.pipelines.reporting._outputs import outputs, stored_or_given
from thresher.reports.analysis import Analysis, Verdicts
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults


@component
class ComparativeReport:
    """The paired comparison of results with a baseline, as `thresher compare BASELINE RUN` prints it.

    Args:
        baseline: directory or file of a stored run; None if the input `baseline` is connected.
        metrics: names of the metrics to compare; None for all; the primary ones are tested.
        primary: measures to test instead of those that the runs declare.
        margin: difference that does not matter, in units of the metric.
        margins: the same for single metrics.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats.
        level: nominal coverage of the intervals, 0.5 to 1.
        verdicts: `comparable` gives no verdict where settings or data differ; `always` does.

    Raises:
        InputError: for an option out of range, and from `run` without a baseline, with two, or if the runs
            have no items or metrics in common.
        RunDirectoryError: from `run`, if the baseline cannot be read.
    """

    def __init__(
        self,
        baseline: str | None = None,
        *,
        metrics: list[str] | None = None,
        primary: list[str] | None = None,
        margin: float | None = None,
        margins: Mapping[str, float] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        level: float = 0.95,
        verdicts: Verdicts = "comparable",
    ) -> None:
        self.baseline, self.metrics, self.primary = baseline, metrics, primary
        self.margin, self.margins = margin, margins
        self.cluster, self.repeats, self.level, self.verdicts = cluster, repeats, level, verdicts
        self._analysis = Analysis(
            metrics=metrics,
            primary=primary,
            margin=margin,
            margins=margins,
            cluster=cluster,
            repeats=repeats,
            level=level,
            verdicts=verdicts,
        )

    @component.output_types(report=dict[str, Any], markdown=str, verdict=str, verdicts=dict[str, str])
    def run(self, results: EvaluationResults, baseline: EvaluationResults | None = None) -> dict[str, Any]:
        """Compare results with the baseline.

        Args:
            results: the run.
            baseline: the run to compare with.

        Returns:
            `report`: JSON data; `markdown`; `verdicts`: tested measure -> `better`, `worse`, `equivalent`,
            `inconclusive`, or `withheld` where settings or data differ; `verdict`: all of them in one word,
            which is `mixed` if some are better and others worse.
        """
        other = stored_or_given("ComparativeReport", self.baseline, baseline)
        if other is None:
            raise InputError(
                "ComparativeReport needs a run to compare with: give baseline=RUN, or connect it"
            )
        report = ComparisonReport([other, results], self._analysis)
        verdicts = {row.metric: row.verdict or "withheld" for row in report.rows if row.tested}
        return {**outputs(report), "verdict": _overall(set(verdicts.values())), "verdicts": verdicts}


def _overall(verdicts: set[str]) -> str:
    if {"better", "worse"} <= verdicts:
        return "mixed"
    order = ("worse", "better", "inconclusive", "withheld", "equivalent")
    return next((verdict for verdict in order if verdict in verdicts), "withheld")
