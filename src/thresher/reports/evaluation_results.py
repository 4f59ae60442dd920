"""Evaluation results: the value that a run returns, and everything that is asked of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from thresher.reports import comparison, single, thresholds
from thresher.reports.output import shaped
from thresher.reports.plain_data import read_plain
from thresher.reports.run_data import RunData
from thresher.reports.table import Table


class EvaluationResults(RunData):
    """The metrics of one run, beside the inputs they were computed from. Immutable.

    Every report method returns the shape that people program against by default; `output_format`
    gives the same as `"df"` (pandas), `"csv"`, `"json"` (strict) or `"markdown"` instead.

    Made by `evaluate`, by the pipeline's collector, by `open_run`, or from plain data with `from_dict`;
    the arguments of the class are those of `RunData`.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str = "") -> Self:
        """Results from plain data, without any pipeline.

        Args:
            data: `{"inputs": {column: [...]}, "metrics": [{"name": ..., "scores": [...]}]}`. A metric may
                also give `direction` (`"higher"` or `"lower"`) and `bounds` (low, high). None and NaN are
                items without a score. `"run"` names the run.
            name: name of the run, instead.

        Raises:
            InputError: if something is missing, malformed or of unequal length.

        >>> results = EvaluationResults.from_dict(
        ...     {"inputs": {"query_id": ["a", "b"]}, "metrics": [{"name": "single_hit", "scores": [1, 0]}]}
        ... )
        >>> results.individual_aggregate_score_report()
        {'Single Hit': 0.5}
        """
        inputs, results = read_plain(data)
        return cls(inputs, results, name=name or str(data.get("run", "")))

    def to_dict(self) -> dict[str, Any]:
        """The plain form: inputs, and each metric's item scores; NaN where an item has none."""
        metrics = [
            {
                "name": metric.name,
                "scores": metric.scores.tolist(),
                "direction": metric.measure.direction,
                "bounds": [None if abs(bound) == float("inf") else bound for bound in metric.measure.bounds],
            }
            for metric in self.metrics.values()
            if metric.measure.item_score is not None
        ]
        inputs = {name: list(column) for name, column in self.inputs.items()}
        return {"run": self.name, "inputs": inputs, "metrics": metrics}

    def individual_aggregate_score_report(self, output_format: str = "default") -> Any:
        """The value of every metric.

        Returns:
            `{display name: value}` by default; the other formats add the interval, the coverage and the
            signature. A CoverageWarning tells of metrics whose value stands on fewer than all items.
        """
        if output_format == "default":
            single.warn_of_gaps(self)
        return shaped(
            output_format,
            lambda: single.aggregate_table(self),
            default=lambda: single.aggregate_values(self),
            data=lambda: single.aggregate_data(self),
        )

    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = "all", output_format: str = "default"
    ) -> Any:
        """Inputs and scores, item by item.

        Args:
            queries: ids or questions of the items wanted; `"all"` for every item.
            output_format: see the class.

        Raises:
            InputError: if a query is neither an id nor a question of this run.
        """
        return shaped(output_format, lambda: single.detailed(self, queries))

    def comparative_aggregate_score_report(
        self, other: "EvaluationResults", output_format: str = "default"
    ) -> Any:
        """The value of every metric in both runs.

        Returns:
            `{run name: {display name: value}}` by default; the other formats add, per metric, the paired
            difference with its interval over the items that both runs scored.
        """
        runs = [self, other]
        return shaped(
            output_format,
            lambda: comparison.aggregate_table(runs),
            default=lambda: comparison.aggregate_values(runs),
            data=lambda: comparison.aggregate_data(runs),
        )

    def comparative_detailed_score_report(
        self, other: "EvaluationResults", output_format: str = "default"
    ) -> Any:
        """Scores of both runs side by side, joined by item id, else by question.

        Columns that both runs share stand once; the others, and all scores, carry the run's name.
        """
        return shaped(output_format, lambda: comparison.detailed(self, other))

    def find_thresholds(self, metrics: Sequence[str] | None = None, output_format: str = "default") -> Any:
        """Quartiles, median and average of the item scores: where to start looking.

        Returns:
            `{"thresholds": ["25th percentile", "75th percentile", "median", "average"], metric: [...]}`.
        """
        return shaped(
            output_format,
            lambda: thresholds.percentile_table(self, metrics),
            default=lambda: thresholds.percentiles(self, metrics),
            data=lambda: thresholds.percentiles(self, metrics),
        )

    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: str = "default"
    ) -> Any:
        """The whole rows of the items that score below a threshold, lowest first.

        Items without a score are not below anything; they are not returned.
        """
        return shaped(output_format, lambda: thresholds.below(self, metric, threshold))

    def to_dataframe(self) -> Any:
        """Every item with its inputs, scores and status, as a pandas data frame."""
        table: Table = single.complete(self)
        return table.to_dataframe()
