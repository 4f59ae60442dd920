"""The reports of scores that Haystack's evaluation results have too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from thresher.reports.analysis import ComparisonOptions, RunOptions, takes
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default
from thresher.reports.result_methods.reports import ReportMethods
from thresher.reports.runs import item_tables
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.several_runs import Runs, other_runs
from thresher.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd


class ScoreReportMethods(ReportMethods):
    """Values and scores per item, of one run and next to others."""

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
        self, queries: Sequence[str] | str = ..., output_format: AsFrame = ...
    ) -> "pd.DataFrame": ...
    @overload
    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = ..., output_format: AsText = ...
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
