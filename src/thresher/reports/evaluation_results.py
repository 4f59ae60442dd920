"""Evaluation results: what a run returns, with its reports, gates, figures and labels."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from thresher.reports.analysis import Verdicts
from thresher.reports.result_methods.exports import ExportMethods
from thresher.reports.result_methods.score_reports import ScoreReportMethods
from thresher.reports.result_methods.sliced_reports import SlicedReportMethods
from thresher.reports.result_methods.thresholds import ThresholdMethods
from thresher.reports.runs.plain_form import read_run, to_plain
from thresher.reports.runs.results_file import (
    is_results_path,
    opened_folder,
    read_json,
    read_results,
    saved_as_folder,
    to_json,
    write_results,
)
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.results import MetricResult
from thresher.results.pydantic_serializer import AsDict

if TYPE_CHECKING:
    from thresher.reports.gates import GateOutcome
    from thresher.reports.gates.gate import DecideBy
    from thresher.reports.labels import LabelReport
    from thresher.reports.labels.label_report import Labels
    from thresher.reports.plots import Plots


class EvaluationResults(ScoreReportMethods, SlicedReportMethods, ThresholdMethods, ExportMethods):
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
            InputError: if the text is not JSON, a newer version wrote it, its checksum differs, or a part is
                missing or malformed.
        """
        return cls.from_dict(read_json(text, "the results"))

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

    def __str__(self) -> str:
        """Return the values with intervals and coverage as a table."""
        from thresher.reports.runs.notebook import printed_report

        return printed_report(self)

    def _repr_html_(self) -> str:
        """Return the values with intervals and coverage for a notebook."""
        from thresher.reports.runs.notebook import notebook_report

        return notebook_report(self)

    @property
    def plot(self) -> "Plots":
        """Figures with matplotlib (the extra `plot`): `results.plot.intervals()` and others."""
        from thresher.reports.plots import Plots

        return Plots(self)

    def gate(
        self,
        requirements: Sequence[str] | str,
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
        choose_on: str | None = None,
    ) -> "GateOutcome":
        """Check one or more requirements, e.g. `valor_faithfulness>=0.8`; see `thresher.reports.gates.gate`.

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
            choose_on=choose_on,
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
