"""The report on slices of a run inside a pipeline."""

from typing import Any

from haystack import component

from thresher.pipelines.reporting._outputs import outputs
from thresher.reports.analysis import Analysis
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.slices.slice_report import SliceReport


@component
class SlicedReport:
    """Every metric on each slice, the worst slices first, as `thresher report --slice` prints it.

    Args:
        by: input columns, metrics with item scores, and conditions such as `language == "de"`.
        metrics: names of the metrics to report and test; None reports all and tests the primary ones.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats.
        level: nominal coverage of the intervals, 0.5 to 1.

    Raises:
        InputError: for a level out of range, and from `run` for an unknown column or metric.
    """

    def __init__(
        self,
        by: list[str],
        metrics: list[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        level: float = 0.95,
    ) -> None:
        self.by = by
        self.metrics, self.cluster, self.repeats, self.level = metrics, cluster, repeats, level
        self._analysis = Analysis(metrics=metrics, cluster=cluster, repeats=repeats, level=level)

    @component.output_types(report=dict[str, Any], markdown=str)
    def run(self, results: EvaluationResults) -> dict[str, Any]:
        """Report on slices of results.

        Returns:
            `report`: JSON data; `markdown`.
        """
        return outputs(SliceReport(results, self.by, self._analysis))
