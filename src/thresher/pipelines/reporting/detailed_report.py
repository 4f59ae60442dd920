"""The items of a run, or of two runs side by side, inside a pipeline."""

from typing import Any

from haystack import component

from thresher.pipelines.reporting._outputs import outputs, stored_or_given
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import TableReport
from thresher.reports.runs.item_tables import complete


@component
class DetailedReport:
    """Inputs and scores item by item, as `thresher report --detailed` prints them.

    With a baseline, the items of both runs are joined, as by `thresher compare --detailed`.

    Args:
        metrics: names of the metrics to report; None for all.
        baseline: directory or file of a stored run.

    Raises:
        InputError: from `run`, for an unknown metric, runs that cannot be joined, or two baselines.
        RunDirectoryError: from `run`, if the baseline cannot be read.
    """

    def __init__(self, metrics: list[str] | None = None, baseline: str | None = None) -> None:
        self.metrics, self.baseline = metrics, baseline

    @component.output_types(rows=list[dict[str, Any]], notes=list[str], markdown=str)
    def run(self, results: EvaluationResults, baseline: EvaluationResults | None = None) -> dict[str, Any]:
        """List the items of results.

        Args:
            results: the run.
            baseline: another run, whose scores are shown next to those of this one.

        Returns:
            `rows`: one dict per item, column -> entry, which is JSON data; `notes`: what was left out;
            `markdown`.
        """
        other = stored_or_given("DetailedReport", self.baseline, baseline)
        if other is None:
            report = TableReport.of(complete(results, self.metrics), wide=True)
            shown = outputs(report)
            return {
                "rows": shown["report"],
                "notes": list(report.table().notes),
                "markdown": shown["markdown"],
            }
        shown = outputs(item_comparison(other, results, self.metrics))
        report_data = shown["report"]
        return {"rows": report_data["items"], "notes": report_data["notes"], "markdown": shown["markdown"]}
