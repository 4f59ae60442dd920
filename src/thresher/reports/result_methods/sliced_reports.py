"""Reports of slices of the items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from thresher.reports.analysis import Analysis, SliceComparisonOptions, SliceOptions, takes
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.several_runs import Runs, other_runs
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.slices.slice_search import SliceSearch
from thresher.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd

By = Sequence[str] | str


class SlicedReportMethods(RunData):
    """Values on each slice, of one run and next to others."""

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
            A table: value with interval, the value of all other items, the difference, and of the primary
            measures, or of `metrics`, a p-value corrected for all their slices and a verdict.

        Raises:
            InputError: for an unknown column or metric, or a condition that cannot be read.
        """
        return rendered(SliceReport(self, by, Analysis(**options)), output_format)

    @overload
    def find_slices(
        self, columns: By = ..., output_format: Default = ..., **options: Unpack[SliceOptions]
    ) -> Table: ...
    @overload
    def find_slices(
        self, columns: By, output_format: AsFrame, **options: Unpack[SliceOptions]
    ) -> "pd.DataFrame": ...
    @overload
    def find_slices(self, columns: By, output_format: AsText, **options: Unpack[SliceOptions]) -> str: ...
    @takes(SliceOptions)
    def find_slices(
        self, columns: By = (), output_format: str = "default", **options: Unpack[SliceOptions]
    ) -> Any:
        """Search for weak slices: values of columns and pairs of them that look worse than all other items.

        They are candidates, to be confirmed on other items; see `thresher.reports.slices.slice_search.SliceSearch`.

        Args:
            columns: columns to search; none for all whose entries make slices.
            output_format: see the class.
            options: `metrics`, `cluster`, `repeats`, `bins`, `fewest` (15 if less), `level`; see `Analysis`.

        Raises:
            InputError: for an unknown column or metric, and without a tested measure that has scores per item.
        """
        names = [columns] if isinstance(columns, str) else columns
        return rendered(SliceSearch(self, names, Analysis(**options)), output_format)

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
