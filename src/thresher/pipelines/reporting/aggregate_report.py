"""The aggregate report of a run inside a pipeline."""

from typing import Any

from haystack import component

from thresher.pipelines.reporting._outputs import outputs
from thresher.reports.analysis import Analysis
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.run_report import RunReport


@component
class AggregateReport:
    """Every value with its interval and coverage, as `thresher report` prints it.

    Args:
        metrics: names of the metrics to report; None for all.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats.
        level: nominal coverage of the intervals, 0.5 to 1.

    Raises:
        InputError: for a level out of range, and from `run` for an unknown metric or column.

    ```python
    pipeline.add_component("report", AggregateReport(level=0.9))
    pipeline.connect("collector.results", "report.results")
    ```
    """

    def __init__(
        self,
        metrics: list[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        level: float = 0.95,
    ) -> None:
        self.metrics, self.cluster, self.repeats, self.level = metrics, cluster, repeats, level
        self._analysis = Analysis(metrics=metrics, cluster=cluster, repeats=repeats, level=level)

    @component.output_types(report=dict[str, Any], markdown=str)
    def run(self, results: EvaluationResults) -> dict[str, Any]:
        """Report on results.

        Returns:
            `report`: JSON data; `markdown`.
        """
        return outputs(RunReport(results, self._analysis))
