"""Evaluation results: what a run returns, with its reports, gates, figures and labels."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from thresher.files.parsing import parse_json
from thresher.reports.analysis import (
    Analysis,
    ComparisonOptions,
    RunOptions,
    SliceComparisonOptions,
    SliceOptions,
    Verdicts,
    takes,
)
from thresher.reports.by_label.label_comparison import ByLabelComparison
from thresher.reports.by_label.label_report import ByLabelReport
from thresher.reports.by_label.label_sort import LabelSort
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.leaderboards.ranked_comparison import comparison_of
from thresher.reports.rendering.registry import rendered, write
from thresher.reports.report import AsFrame, AsText, Default
from thresher.reports.runs import item_tables
from thresher.reports.runs.plain_form import read_run, to_plain
from thresher.reports.runs.results_file import (
    is_results_path,
    opened_folder,
    read_results,
    saved_as_folder,
    to_json,
    write_results,
)
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport
from thresher.reports.runs.several_runs import Runs, other_runs
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.table import Table
from thresher.reports.thresholds import percentiles
from thresher.reports.thresholds.best_thresholds import BestThresholds, ThresholdOptions
from thresher.results import MetricResult
from thresher.results.pydantic_serializer import AsDict

if TYPE_CHECKING:
    import pandas as pd
    from haystack.evaluation import EvaluationRunResult

    from thresher.reports.gates import GateOutcome
    from thresher.reports.gates.gate import DecideBy
    from thresher.reports.labels import LabelReport
    from thresher.reports.labels.label_report import Labels
    from thresher.reports.plots import Plots

Percentiles = dict[str, list[Any]]
By = Sequence[str] | str


class EvaluationResults(RunData):
    """The metrics of one run next to the inputs they were computed from. Immutable.

    Report methods return the shape that people program against by default. `output_format` gives the same as
    `"df"` (pandas), or as text: `"csv"`, `"json"` (strict), `"markdown"`, `"latex"`, `"html"` (a page, for
    reports of runs) or `"table"` (aligned, as the command line prints it). Keywords such as `cluster`,
    `level` and `margin` are those of `thresher.reports.Analysis`.

    `evaluate`, the pipeline's collector and `open_run` return results; they can also be made from data that
    something else computed.

    Args:
        inputs: input columns, name -> one entry per item, next to `results`; or all of a run in one argument:
            `{"inputs": {...}, "metrics": [{"name": ..., "scores": [...]}]}` or a Haystack
            `EvaluationRunResult`, as for `from_dict`.
        results: results of the metrics; measures need distinct names.
        name: name of the run; may be empty.
        ids: ids of the items; default: an id column of the inputs.
        ids_given: False if the ids are generated, so that they identify no item in another run.
        provenance: plain data about how the run came about.

    Raises:
        InputError: if something is missing or malformed, lists have unequal lengths, an id is missing or
            repeats, or names collide; the message says which.

    >>> metrics = [{"name": "reciprocal_rank", "scores": [1, 0.5]}]
    >>> results = EvaluationResults({"inputs": {"query_id": ["a", "b"]}, "metrics": metrics})
    >>> results.individual_aggregate_score_report()
    {'Reciprocal Rank': 0.75}
    """

    __pydantic_serializer__ = AsDict()
    _further: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Entries of the file that the results were read from, which this version does not know."""

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
        if results is not None:
            super().__init__(inputs, results, name=name, ids=ids, ids_given=ids_given, provenance=provenance)
            return
        parts = read_run(inputs)
        known = (parts.ids, parts.ids_given) if ids is None else (ids, ids_given)
        super().__init__(
            parts.inputs,
            parts.results,
            name=name or parts.name,
            ids=known[0],
            ids_given=known[1],
            provenance=parts.provenance if provenance is None else provenance,
        )
        self._further = parts.further

    @classmethod
    def from_dict(cls, data: Any, name: str = "") -> Self:
        """Make results from plain data, without any pipeline.

        Args:
            data: `{"inputs": {column: [...]}, "metrics": [{"name": ..., "scores": [...]}]}`. A metric may
                also give `direction` (`"higher"` or `"lower"`), `bounds` (low, high) and `primary` (whether
                comparisons test it; default: true). None and NaN are items without a score. `"run"` names
                the run. Or a Haystack `EvaluationRunResult`, whose individual scores are read.
            name: name of the run; default: that in the data.

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
        """Return everything as plain data, from which `from_dict` makes equal results.

        `inputs` and `metrics` are the plain form of Haystack's proposal: each metric's item scores, NaN where
        an item has none. A metric whose value is not the mean of item scores (a pooled F1, mAP) does not
        follow from scores; it is in `results`, which holds the statistics, statuses, reasons and evidence of
        every metric.
        """
        return to_plain(self, self._further)

    def to_json(self) -> str:
        """Return everything as strict JSON: `to_dict` with null for NaN; see docs/results-files.md."""
        return to_json(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Make results from what `to_json` returned, or from the plain form as JSON.

        Raises:
            InputError: if the text is not JSON, a newer version wrote it, or a part is missing or malformed.
        """
        return cls.from_dict(parse_json(text, "the results"))

    def save(self, path: str | Path) -> None:
        """Save the results, so that `load` and every command that takes a run can read them.

        Args:
            path: a file (`.json`, or `.json.gz` for gzip), or else a folder, which becomes a run directory.

        Raises:
            InputError: if the file cannot be written.
            RunDirectoryError: if the folder exists and is not empty.
            DiskFullError: if there is no room.
        """
        if is_results_path(path):
            write_results(path, self.to_json())
        else:
            saved_as_folder(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read results from a file that `save` wrote, or from a run directory.

        Raises:
            InputError: if the file cannot be read, or holds no results.
            RunDirectoryError: if there is no file, and no run directory.
        """
        if is_results_path(path):
            return cls.from_dict(read_results(path))
        loaded: Self = opened_folder(path)
        return loaded

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
        options: dict[str, Any] = {"label_key": label_key, "ids": list(self.ids), "parts": parts}
        dataset = self.name or "dataset"
        return [entry for result in self.results for entry in result.to_valor(dataset=dataset, **options)]

    def to_haystack(self) -> "EvaluationRunResult":
        """Return inputs, values and item scores (NaN if missing) as Haystack's class."""
        from thresher.reports.exports.haystack import to_haystack

        return to_haystack(self)

    def to_ragas(self) -> list[dict[str, Any]]:
        """Return the items as ragas' samples with their scores, for `ragas.EvaluationDataset.from_list`."""
        from thresher.reports.exports.ragas import to_ragas

        return to_ragas(self)

    def to_datasets(self) -> Any:
        """Return the items, with inputs, scores and statuses, as a `datasets.Dataset` of Hugging Face.

        Raises:
            MissingDependencyError: if the package `datasets` is not installed.
        """
        from thresher.reports.exports.hugging_face import to_datasets

        return to_datasets(self)

    @takes(RunOptions)
    def report(self, **options: Unpack[RunOptions]) -> RunReport:
        """Return every value with its interval and coverage, as a report to render or to save.

        Args:
            options: `metrics`, `cluster`, `repeats`, `level`; see `Analysis`.

        Raises:
            InputError: for an unknown metric or column, or an item without an entry in a column of clusters.
        """
        return RunReport(self, Analysis(**options))

    @takes(ComparisonOptions)
    def compare(self, other: Runs, **options: Unpack[ComparisonOptions]) -> ComparisonReport:
        """Return the comparison of other runs with this one, as a report to render or to save.

        Args:
            other: another run, or several.
            options: `metrics`, `cluster`, `repeats`, `margins`, `margin`, `verdicts`, `level`, `primary`; see
                `Analysis`.

        Raises:
            InputError: for runs without items or metrics in common, an unknown column or metric, or a margin
                that is not a positive number.
        """
        return comparison_of([self, *other_runs(other)], Analysis(**options))

    @takes(RunOptions)
    def report_by_label(self, sort: LabelSort = "worst", **options: Unpack[RunOptions]) -> ByLabelReport:
        """Return the labels of means over labels, such as mean average precision, with their intervals.

        Args:
            sort: `worst` or `best` value first, by `label`, or most `objects` first.
            options: `metrics` (default: the primary measures), `cluster`, `repeats`, `level`; see `Analysis`.

        Raises:
            InputError: for an unknown metric or column, and a metric without values per label.
        """
        return ByLabelReport(self, Analysis(**options), sort)

    @takes(ComparisonOptions)
    def compare_by_label(self, other: Runs, **options: Unpack[ComparisonOptions]) -> ByLabelComparison:
        """Return the comparison of other runs with this one label by label, the largest loss first.

        Args:
            other: another run, or several.
            options: as for `compare`.

        Raises:
            InputError: as for `compare`, and for a metric without values per label.
        """
        return ByLabelComparison([self, *other_runs(other)], Analysis(**options))

    @takes(RunOptions)
    def to_html(
        self,
        path: str | Path,
        *,
        images: str | Path | None = None,
        image_bytes: int | None = None,
        **options: Unpack[RunOptions],
    ) -> None:
        """Write the report of the run as one HTML file with figures and items; options as for `report`.

        Args:
            path: the file.
            images: folder of the run's images, to show the worst with what is right, wrong and missed.
            image_bytes: bytes of the file for these pictures (default: 2,500,000); if needed, they are made
                smaller, then fewer.
            options: `metrics` and the others of `report`.

        Raises:
            InputError: for `images` that is not a folder, and as for `report`.
        """
        further = {"images": images, "image_bytes": image_bytes}
        given = {name: value for name, value in further.items() if value is not None}
        write(self.report(**options), path, "html", **given)

    @takes(RunOptions)
    def to_latex(self, **options: Unpack[RunOptions]) -> str:
        """Return the values as a LaTeX table; options as for `report`."""
        return self.report(**options).render("latex")

    @takes(RunOptions)
    def to_excel(self, path: str | Path, **options: Unpack[RunOptions]) -> None:
        """Write the values as a workbook; options as for `report`."""
        self.report(**options).save(path, "excel")

    def to_dataframe(self) -> "pd.DataFrame":
        """Return every item with its inputs, scores and status."""
        return item_tables.complete(self).to_dataframe()

    def __str__(self) -> str:
        """Return the values with intervals and coverage as a table."""
        from thresher.reports.runs.notebook import printed_report

        return printed_report(self)

    def _repr_html_(self) -> str:
        """Return the values with intervals and coverage for a notebook."""
        from thresher.reports.runs.notebook import notebook_report

        return notebook_report(self)

    @overload
    def individual_aggregate_score_report(
        self, output_format: Default = ..., **options: Unpack[RunOptions]
    ) -> dict[str, float]: ...
    @overload
    def individual_aggregate_score_report(
        self, output_format: AsFrame, **options: Unpack[RunOptions]
    ) -> "pd.DataFrame": ...
    @overload
    def individual_aggregate_score_report(
        self, output_format: AsText, **options: Unpack[RunOptions]
    ) -> str: ...
    @takes(RunOptions)
    def individual_aggregate_score_report(
        self, output_format: str = "default", **options: Unpack[RunOptions]
    ) -> Any:
        """Return the value of every metric.

        Args:
            output_format: see the class.
            options: as for `report`.

        Returns:
            `{display name: value}` by default; the other formats add the interval, the coverage and the
            signature. A CoverageWarning names metrics whose value covers fewer than all items.

        Raises:
            InputError: as for `report`.
        """
        return rendered(self.report(**options), output_format)

    @overload
    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = ..., output_format: Default = ...
    ) -> Table: ...
    @overload
    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = ..., *, output_format: AsFrame
    ) -> "pd.DataFrame": ...
    @overload
    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = ..., *, output_format: AsText
    ) -> str: ...
    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = "all", output_format: str = "default"
    ) -> Any:
        """Return inputs and scores, item by item.

        Args:
            queries: ids or questions of the items; `"all"` for every item.
            output_format: see the class.

        Raises:
            InputError: if a query is neither an id nor a question of this run.
        """
        return rendered(item_tables.detailed_report(self, queries), output_format)

    @overload
    def comparative_aggregate_score_report(
        self, other: Runs, output_format: Default = ..., **options: Unpack[ComparisonOptions]
    ) -> dict[str, dict[str, float]]: ...
    @overload
    def comparative_aggregate_score_report(
        self, other: Runs, output_format: AsFrame, **options: Unpack[ComparisonOptions]
    ) -> "pd.DataFrame": ...
    @overload
    def comparative_aggregate_score_report(
        self, other: Runs, output_format: AsText, **options: Unpack[ComparisonOptions]
    ) -> str: ...
    @takes(ComparisonOptions)
    def comparative_aggregate_score_report(
        self, other: Runs, output_format: str = "default", **options: Unpack[ComparisonOptions]
    ) -> Any:
        """Return the value of every metric in this run and in others, which are compared with it.

        Args:
            other: another run, or several.
            output_format: see the class.
            options: as for `compare`.

        Returns:
            `{run name: {display name: value}}` by default; the other formats hold, per metric, the paired
            difference over the items that both runs scored with interval, p-value, effect and verdict, and
            first of all notes: other settings or data, items left out.

        Raises:
            InputError: as for `compare`, and for `margin`, `margins` or `primary` with the default format,
                which has no verdicts.
        """
        return rendered(self.compare(other, **options), output_format)

    @overload
    def comparative_detailed_score_report(self, other: RunData, output_format: Default = ...) -> Table: ...
    @overload
    def comparative_detailed_score_report(self, other: RunData, output_format: AsFrame) -> "pd.DataFrame": ...
    @overload
    def comparative_detailed_score_report(self, other: RunData, output_format: AsText) -> str: ...
    def comparative_detailed_score_report(self, other: RunData, output_format: str = "default") -> Any:
        """Return scores of both runs side by side, joined by item id, else by question.

        Columns that both runs share appear once; the others, and all scores, carry the run's name. The
        table's `notes`, which every format shows, say what was joined and left out.
        """
        (second,) = other_runs([other])
        return rendered(item_comparison(self, second), output_format)

    @overload
    def individual_sliced_score_report(
        self, by: By, output_format: Default = ..., **options: Unpack[SliceOptions]
    ) -> Table: ...
    @overload
    def individual_sliced_score_report(
        self, by: By, output_format: AsFrame, **options: Unpack[SliceOptions]
    ) -> "pd.DataFrame": ...
    @overload
    def individual_sliced_score_report(
        self, by: By, output_format: AsText, **options: Unpack[SliceOptions]
    ) -> str: ...
    @takes(SliceOptions)
    def individual_sliced_score_report(
        self, by: By, output_format: str = "default", **options: Unpack[SliceOptions]
    ) -> Any:
        """Return every metric on each slice, the worst slices first, each compared with all other items.

        Args:
            by: one or several of: input columns, metrics with item scores, and conditions such as
                `language == "de" and len(contexts) > 3`. A column with many different numbers is cut at its
                quantiles; one with lists has a slice for each of their entries.
            output_format: see the class.
            options: `metrics`, `cluster`, `repeats`, `bins`, `fewest`, `level`; see `Analysis`.

        Returns:
            A table: value with interval, the value of all other items, the difference, its p-value corrected
            for all slices and metrics, and a verdict.

        Raises:
            InputError: for an unknown column or metric, or a condition that cannot be read.
        """
        return rendered(SliceReport(self, by, Analysis(**options)), output_format)

    @overload
    def comparative_sliced_score_report(
        self, other: Runs, by: By, output_format: Default = ..., **options: Unpack[SliceComparisonOptions]
    ) -> Table: ...
    @overload
    def comparative_sliced_score_report(
        self, other: Runs, by: By, output_format: AsFrame, **options: Unpack[SliceComparisonOptions]
    ) -> "pd.DataFrame": ...
    @overload
    def comparative_sliced_score_report(
        self, other: Runs, by: By, output_format: AsText, **options: Unpack[SliceComparisonOptions]
    ) -> str: ...
    @takes(SliceComparisonOptions)
    def comparative_sliced_score_report(
        self, other: Runs, by: By, output_format: str = "default", **options: Unpack[SliceComparisonOptions]
    ) -> Any:
        """Compare other runs with this one on each slice of its items, the largest losses first.

        Arguments are those of `compare` and of `individual_sliced_score_report`. P-values are corrected for
        all tests of the report, those of the primary measures on all slices.

        Raises:
            InputError: as for both.
        """
        report = SliceComparison([self, *other_runs(other)], by, Analysis(**options))
        return report.table() if output_format == "default" else rendered(report, output_format)

    @overload
    def find_thresholds(
        self, metrics: Sequence[str] | None = ..., output_format: Default = ...
    ) -> Percentiles: ...
    @overload
    def find_thresholds(
        self, metrics: Sequence[str] | None = ..., *, output_format: AsFrame
    ) -> "pd.DataFrame": ...
    @overload
    def find_thresholds(self, metrics: Sequence[str] | None = ..., *, output_format: AsText) -> str: ...
    def find_thresholds(self, metrics: Sequence[str] | None = None, output_format: str = "default") -> Any:
        """Return quartiles, median and average of the item scores, to start looking for a threshold.

        Returns:
            `{"thresholds": ["25th percentile", "75th percentile", "median", "average"], metric: [...]}`;
            the average is None for a metric whose value is not the mean of its item scores.
        """
        return rendered(percentiles.percentile_report(self, metrics), output_format)

    @overload
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: Default = ...
    ) -> Table: ...
    @overload
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: AsFrame
    ) -> "pd.DataFrame": ...
    @overload
    def find_inputs_below_threshold(self, metric: str, threshold: float, output_format: AsText) -> str: ...
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: str = "default"
    ) -> Any:
        """Return the whole rows of the items that score below a threshold, lowest first.

        Items without a score are not below anything; they are not returned.
        """
        return rendered(percentiles.below_report(self, metric, threshold), output_format)

    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        output_format: Default = ...,
        **options: Unpack[ThresholdOptions],
    ) -> Table: ...
    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        *,
        output_format: AsFrame,
        **options: Unpack[ThresholdOptions],
    ) -> "pd.DataFrame": ...
    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        *,
        output_format: AsText,
        **options: Unpack[ThresholdOptions],
    ) -> str: ...
    @takes(ThresholdOptions, BestThresholds)
    def find_best_thresholds(
        self,
        label: str | None = None,
        metrics: Sequence[str] | None = None,
        output_format: str = "default",
        **options: Unpack[ThresholdOptions],
    ) -> Any:
        """Return the best threshold of each metric against labels, with its quality on other items.

        Args:
            label: a column or metric that says which items are positive. Not needed for average precision at
                one overlap (`detection_coco_map_50`), whose objects are positive if they match.
            metrics: names of metrics, or of columns with numbers or with dicts label -> score; None for all
                metrics with item scores.
            output_format: see the class.
            options: `positive` (the label that is positive), `objective` (`f1` or any F-beta,
                `precision-at-recall=0.9`, `recall-at-precision=0.9`, `youden`, `cost=1,5` for the costs of a
                false positive and a false negative, `cost=1,5,-2,0` also for those of true ones),
                `split`, `seed`, `cluster`, `direction`; see `BestThresholds`.

        Returns:
            A table: the threshold, precision, recall, specificity, accuracy and F, each with its interval.

        Raises:
            InputError: for an unknown name or objective, labels that are not of two kinds, or where no
                threshold meets the objective.
        """
        return rendered(BestThresholds(self, label, metrics=metrics, **options), output_format)

    @property
    def plot(self) -> "Plots":
        """Figures with matplotlib (the extra `plot`): `results.plot.intervals()` and others."""
        from thresher.reports.plots import Plots

        return Plots(self)

    def export(
        self,
        path: str | Path | None = None,
        *,
        where: str | None = None,
        below: Mapping[str, float] | None = None,
        regressed_from: RunData | None = None,
        metric: str | None = None,
        failed: bool = False,
        flaky: bool = False,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return items as a data set: input columns by their names in the source, scores under `_thresher`.

        `evaluate`, `experiment` and `thresher run` accept the rows. The items meet every condition; all items
        without one.

        Args:
            path: also write the rows to this file: `.jsonl`, `.csv` or `.parquet`.
            where: a condition on columns and scores, such as `language == "de" and token_f1 < 0.5`.
            below: metric -> items with a score below this number, the lowest first.
            regressed_from: items with a worse score than in this run, the largest losses first.
            metric: the metric of `regressed_from` and `flaky`; default: the first primary measure.
            failed: items with a failed or unreadable score in any metric.
            flaky: items whose repeats have different scores.
            columns: input columns to export; default: all.
            limit: most items to export; None for all.

        Raises:
            InputError: for an unknown column or metric, a condition that cannot be read, or another suffix.
        """
        from thresher.reports.exports.item_export import source_rows, write_rows
        from thresher.reports.exports.selected_items import Choice, chosen_items

        choice = Choice(where, below or {}, regressed_from, metric, failed, flaky)
        rows = source_rows(self, chosen_items(self, choice)[:limit], columns)
        if path is not None:
            write_rows(rows, path)
        return rows

    def gate(
        self,
        requirements: Sequence[str],
        *,
        baseline: RunData | None = None,
        decide_by: "DecideBy" = "interval",
        level: float = 0.95,
        cluster: str | None = None,
        repeats: str | None = None,
        verdicts: Verdicts = "comparable",
        margins: Mapping[str, float] | None = None,
        margin: float | None = None,
        allow_missing: float | str = 0.0,
    ) -> "GateOutcome":
        """Check requirements, e.g. `valor_faithfulness>=0.8`; see `thresher.reports.gates.gate`.

        Returns:
            The outcome, true if every requirement is met: `outcome`, `exit_code`, `decisions`,
            `to_markdown()`, `to_junit()`, `to_dict()`.

        Raises:
            InputError: for a requirement that cannot be read, an unknown metric, column or option.
        """
        from thresher.reports.gates import gate

        return gate(
            self,
            requirements,
            baseline=baseline,
            decide_by=decide_by,
            level=level,
            cluster=cluster,
            repeats=repeats,
            verdicts=verdicts,
            margins=margins,
            margin=margin,
            allow_missing=allow_missing,
        )

    def draw_to_label(self, number: int = 100, **options: Any) -> Table:
        """Draw random items for people to label, without scores; see `thresher.reports.labels.draw`.

        Args:
            number: items to draw; all if there are fewer.
            options: `seed`, `metric`, `by`, `raters`, `with_scores`.
        """
        from thresher.reports.labels import draw

        return draw(self, number, **options)

    def judge_by_labels(
        self, labels: "Labels", metric: str, *, threshold: float | None = None, columns: Sequence[str] = ()
    ) -> "LabelReport":
        """Check a metric's scores against human labels; see `thresher.reports.labels.judge_by_labels`.

        Args:
            labels: the sheet with labels filled in (a path), or labels by item id.
            metric: the metric whose scores are the judge's.
            threshold: the lowest good value, of scores and labels alike.
            columns: the sheet's columns of labels, one per rater.

        Raises:
            InputError: if the sheet or the metric cannot be used; says which row and why.
        """
        from thresher.reports.labels import judge_by_labels

        return judge_by_labels(self, labels, metric, threshold=threshold, columns=columns)
