"""Evaluation results: the value that a run returns, and everything that is asked of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from thresher.errors import InputError
from thresher.kernels.inference import LEVEL
from thresher.reports.comparisons import comparison_report as comparison
from thresher.reports.comparisons import item_comparison as side_by_side
from thresher.reports.exploration import Exploration
from thresher.reports.rendering import tables as readable
from thresher.reports.rendering.output import shaped
from thresher.reports.runs import run_report as single
from thresher.reports.runs.plain_form import read_plain
from thresher.reports.runs.run_data import other_runs
from thresher.reports.table import Table
from thresher.reports.thresholds import percentiles as thresholds
from thresher.results import MetricResult


class EvaluationResults(Exploration):
    """The metrics of one run, beside the inputs they were computed from. Immutable.

    Every report method returns the shape that people program against by default; `output_format`
    gives the same as `"df"` (pandas), `"csv"`, `"json"` (strict) or `"markdown"` instead.

    Made by `evaluate`, by the pipeline's collector, by `open_run`, or from data that something else computed.

    Args:
        inputs: input columns, name -> one entry per item, beside `results`; or all of a run in one argument:
            `{"inputs": {...}, "metrics": [{"name": ..., "scores": [...]}]}` or a Haystack
            `EvaluationRunResult`, as for `from_dict`.
        results: what the metrics said; measures need distinct names.
        name: name of the run; may be empty.
        ids: ids of the items; taken from an id column of the inputs without.
        ids_given: False if the ids were made up and say nothing to another run.
        provenance: plain data about how the run came about.

    Raises:
        InputError: if something is missing or malformed, lists have unequal lengths, an id is missing or
            repeats, or names collide; the message says which.

    >>> metrics = [{"name": "reciprocal_rank", "scores": [1, 0.5]}]
    >>> results = EvaluationResults({"inputs": {"query_id": ["a", "b"]}, "metrics": metrics})
    >>> results.individual_aggregate_score_report()
    {'Reciprocal Rank': 0.75}
    """

    def __init__(
        self,
        inputs: Any,
        results: Iterable[MetricResult] | None = None,
        *,
        name: str = "",
        ids: Sequence[Any] | None = None,
        ids_given: bool = True,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        if results is None:
            inputs, results, given = read_plain(inputs)
            name = name or given
        super().__init__(inputs, results, name=name, ids=ids, ids_given=ids_given, provenance=provenance)

    @classmethod
    def from_dict(cls, data: Any, name: str = "") -> Self:
        """Results from plain data, without any pipeline.

        Args:
            data: `{"inputs": {column: [...]}, "metrics": [{"name": ..., "scores": [...]}]}`. A metric may
                also give `direction` (`"higher"` or `"lower"`), `bounds` (low, high) and `primary` (whether
                comparisons test it; true without). None and NaN are items without a score. `"run"` names
                the run. Or a Haystack `EvaluationRunResult`, whose individual scores are read.
            name: name of the run, instead.

        Raises:
            InputError: if something is missing, malformed or of unequal length.

        >>> results = EvaluationResults.from_dict(
        ...     {"inputs": {"query_id": ["a", "b"]}, "metrics": [{"name": "single_hit", "scores": [1, 0]}]}
        ... )
        >>> results.individual_aggregate_score_report()
        {'Single Hit': 0.5}
        """
        return cls(data, name=name)

    def to_dict(self) -> dict[str, Any]:
        """The plain form: inputs, and each metric's item scores; NaN where an item has none.

        Metrics whose value is no mean of item scores (a pooled F1, mAP) are left out: their value could not
        be had again from scores. A run directory keeps them.
        """
        metrics = [
            {
                "name": metric.name,
                "scores": metric.scores.tolist(),
                "direction": metric.measure.direction,
                "bounds": [None if abs(bound) == float("inf") else bound for bound in metric.measure.bounds],
                "primary": metric.is_primary,
            }
            for metric in self.metrics.values()
            if metric.measure.is_item_mean
        ]
        inputs = {name: list(column) for name, column in self.inputs.items()}
        return {"run": self.name, "inputs": inputs, "metrics": metrics}

    def to_valor(self, *, label_key: str = "", parts: bool = False) -> list[dict[str, Any]]:
        """Return the whole run as a list of Valor's metric dictionaries.

        The metrics come in the order of `metrics`. Those that Valor does not define (COCO's twelve numbers,
        token F1, rankings, ...) are left out. Examples are named by the ids of the run and its name.

        Args:
            label_key: key of plain labels, which have none of their own.
            parts: whether ROUGE is one entry per type instead of one whose value is a dictionary.

        Returns:
            One dictionary per metric and label: `type`, `value`, and `parameters` and `label` where Valor
            has them.
        """
        ids, dataset = list(self.ids), self.name or "dataset"
        lists = [
            result.to_valor(label_key=label_key, ids=ids, dataset=dataset, parts=parts)
            for result in self.results
        ]
        return [metric for metrics in lists for metric in metrics]

    def individual_aggregate_score_report(
        self,
        output_format: str = "default",
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        level: float = LEVEL,
    ) -> Any:
        """The value of every metric.

        Args:
            output_format: see the class.
            metrics: names of metrics; all without.
            cluster: name of the input column that says which items belong together and are not
                independent; without, the column `cluster` if there is one. Empty for none.
            repeats: name of the input column that says which items repeat one another and are averaged
                first; without, the column `repeat_of` if there is one. Empty for none.
            level: of the intervals, 0.5 to 1.

        Returns:
            `{display name: value}` by default; the other formats add the interval, the coverage and the
            signature. A CoverageWarning tells of metrics whose value stands on fewer than all items.

        Raises:
            InputError: for an unknown column, or an item without an entry in it.
        """
        if output_format == "default":
            single.warn_of_gaps(self)
        report = single.RunReport(self, metrics=metrics, cluster=cluster, repeats=repeats, level=level)
        return shaped(
            output_format,
            report.table,
            default=report.values,
            data=report.data,
            readable=lambda: readable.run_table(report),
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
        self,
        other: "EvaluationResults | Sequence[EvaluationResults]",
        output_format: str = "default",
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        margins: Mapping[str, float] | None = None,
        margin: float | None = None,
        verdicts: comparison.Verdicts = "comparable",
        level: float = LEVEL,
        primary: Sequence[str] | None = None,
    ) -> Any:
        """The value of every metric in this run and in others, which are compared with it.

        Args:
            other: another run, or several.
            output_format: see the class.
            metrics: names of the metrics to show and to test. Without, all are shown, and the primary ones
                are tested: those that the runs declare. P-values are corrected for the tests that are made.
            cluster: as for `individual_aggregate_score_report`.
            repeats: likewise.
            margins: metric -> difference that does not matter, in the units of the metric. A metric is
                `equivalent` only if it has a margin and the 90 % interval (of level 2 * level - 1) lies
                within it.
            margin: the same for all metrics that `margins` does not name.
            verdicts: `comparable` judges no metric whose settings or data differ between the runs;
                `always` does.
            level: of the intervals; verdicts err with a chance of at most 1 - level.
            primary: names of the measures to test. If they are not those that the runs declare, they were
                chosen afterwards: the report says so, and corrects for all measures compared.

        Returns:
            `{run name: {display name: value}}` by default; the other formats hold, per metric, the paired
            difference over the items that both runs scored with interval, p-value, effect and verdict, and
            first of all notes: other settings or data, items left out.

        Raises:
            InputError: for runs without items or metrics in common, an unknown column or metric, a margin
                that is not a positive number, or `margin`, `margins` or `primary` with the default format,
                which has no verdicts.
        """
        tests = {"margins": margins, "margin": margin, "primary": primary}
        unused = [name for name, value in tests.items() if value is not None]
        if output_format == "default" and unused:
            raise InputError(
                f"{unused[0]}= decides about verdicts, which the default format does not show; "
                "pass output_format='df', 'csv', 'json' or 'markdown'"
            )
        runs = [self, *other_runs(other)]
        report = comparison.ComparisonReport(
            runs,
            metrics=metrics,
            cluster=cluster,
            repeats=repeats,
            margins=margins,
            margin=margin,
            verdicts=verdicts,
            level=level,
            primary=primary,
        )
        return shaped(
            output_format,
            report.table,
            default=report.values,
            data=report.data,
            readable=lambda: readable.comparison_table(report),
        )

    def comparative_detailed_score_report(
        self, other: "EvaluationResults", output_format: str = "default"
    ) -> Any:
        """Scores of both runs side by side, joined by item id, else by question.

        Columns that both runs share stand once; the others, and all scores, carry the run's name. What to
        know of the join is in the table's `notes`, which every format tells.
        """
        (second,) = other_runs([other])
        return shaped(
            output_format,
            lambda: side_by_side.detailed(self, second),
            data=lambda: side_by_side.detailed_data(self, second),
        )

    def find_thresholds(self, metrics: Sequence[str] | None = None, output_format: str = "default") -> Any:
        """Quartiles, median and average of the item scores: where to start looking.

        Returns:
            `{"thresholds": ["25th percentile", "75th percentile", "median", "average"], metric: [...]}`;
            the average is None for a metric that is no mean of its item scores.
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
