"""The items that score below a threshold inside a pipeline."""

from typing import Any

from haystack import component

from thresher.metrics import PositiveCount, check_option
from thresher.pipelines.reporting._outputs import outputs
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import TableReport
from thresher.reports.runs.export_rows import export_rows
from thresher.reports.runs.item_tables import rows_of
from thresher.reports.thresholds.percentiles import items_below


@component
class LowScoringInputs:
    """The items with a score below a threshold, the lowest first, as `thresher inputs-below` prints them.

    Args:
        metric: name of a metric with item scores.
        threshold: items with a score below it are listed; those without a score are not.
        limit: most items to list; None for all.

    Raises:
        InputError: for a limit below 1, and from `run` for an unknown metric or a threshold that is not a
            number.
    """

    def __init__(self, metric: str, threshold: float, limit: int | None = None) -> None:
        if limit is not None:
            check_option("limit", limit, PositiveCount)
        self.metric, self.threshold, self.limit = metric, threshold, limit

    @component.output_types(rows=list[dict[str, Any]], dataset=list[dict[str, Any]], count=int, markdown=str)
    def run(self, results: EvaluationResults) -> dict[str, Any]:
        """List the items.

        Returns:
            `rows`: inputs and scores of each item; `dataset`: the same items as `thresher run` and `evaluate`
            accept them, with the scores under `_thresher`; `count`: number of items below the threshold,
            listed or not; `markdown`.
        """
        items = items_below(results, self.metric, self.threshold)
        listed = items[: self.limit]
        shown = outputs(TableReport.of(rows_of(results, listed), wide=True))
        dataset = export_rows(results, listed)
        return {
            "rows": shown["report"],
            "dataset": dataset,
            "count": len(items),
            "markdown": shown["markdown"],
        }
