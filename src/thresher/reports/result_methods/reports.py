"""Reports of a run and of its comparison with others, to render or to save."""

from pathlib import Path
from typing import Unpack

from thresher.reports.analysis import Analysis, ComparisonOptions, RunOptions, takes
from thresher.reports.by_label.keypoint_comparison import ByKeypointComparison
from thresher.reports.by_label.keypoint_report import ByKeypointReport
from thresher.reports.by_label.label_comparison import ByLabelComparison
from thresher.reports.by_label.label_report import ByLabelReport
from thresher.reports.by_label.label_sort import DifferenceSort, LabelSort
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.leaderboards.ranked_comparison import comparison_of
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport
from thresher.reports.runs.several_runs import Runs, other_runs


class ReportMethods(RunData):
    """Reports as objects, and the files that a report becomes."""

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
            sort: `worst` or `best` value first, by `label`, most `objects` or narrowest `interval` first.
            options: `metrics` (default: the primary measures), `cluster`, `repeats`, `level`; see `Analysis`.

        Raises:
            InputError: for an unknown metric or column, and a metric without values per label.
        """
        return ByLabelReport(self, Analysis(**options), sort)

    @takes(RunOptions)
    def report_by_keypoint(
        self, sort: LabelSort = "worst", **options: Unpack[RunOptions]
    ) -> ByKeypointReport:
        """Return the similarity of each keypoint in detected objects with its interval.

        Args:
            sort: as for `report_by_label`.
            options: `metrics` (default: the similarity), `cluster`, `repeats`, `level`; see `Analysis`.

        Raises:
            InputError: for a run without a metric of keypoints, and as for `report_by_label`.
        """
        return ByKeypointReport(self, Analysis(**options), sort)

    @takes(ComparisonOptions)
    def compare_by_label(
        self, other: Runs, sort: DifferenceSort = "worst", **options: Unpack[ComparisonOptions]
    ) -> ByLabelComparison:
        """Return the comparison of other runs with this one label by label, the largest loss first.

        Args:
            other: another run, or several.
            sort: `worst` (largest loss) or `best` (largest gain) first, by `label`, or narrowest `interval`
                first.
            options: as for `compare`.

        Raises:
            InputError: as for `compare`, and for a metric without values per label.
        """
        return ByLabelComparison([self, *other_runs(other)], Analysis(**options), sort)

    @takes(ComparisonOptions)
    def compare_by_keypoint(
        self, other: Runs, sort: DifferenceSort = "worst", **options: Unpack[ComparisonOptions]
    ) -> ByKeypointComparison:
        """Return the comparison of other runs with this one keypoint by keypoint, the largest loss first.

        Args:
            other: another run, or several.
            sort: as for `compare_by_label`.
            options: as for `compare`; `metrics` (default: the similarity) as for `report_by_keypoint`.

        Raises:
            InputError: for a run without a metric of keypoints, and as for `compare_by_label`.
        """
        return ByKeypointComparison([self, *other_runs(other)], Analysis(**options), sort)

    @takes(RunOptions)
    def to_html(
        self,
        path: str | Path,
        *,
        images: str | Path | None = None,
        image_bytes: int | None = None,
        image_pixels: int | None = None,
        **options: Unpack[RunOptions],
    ) -> None:
        """Write the report of the run as one HTML file with figures and items; options as for `report`.

        Args:
            path: the file.
            images: folder of the run's images, to show the worst with what is right, wrong and missed.
            image_bytes: bytes of the file for these pictures (default: 2,500,000); if needed, they are made
                smaller, then fewer.
            image_pixels: pixels of the longer side of large pictures, which the worst images get as far as
                they fit (default: 640).
            options: `metrics` and the others of `report`.

        Raises:
            InputError: for `images` that is not a folder, and as for `report`.
        """
        report = self.report(**options)
        report.save(path, "html", images=images, image_bytes=image_bytes, image_pixels=image_pixels)

    @takes(RunOptions)
    def to_latex(self, **options: Unpack[RunOptions]) -> str:
        """Return the values as a LaTeX table; options as for `report`."""
        return self.report(**options).render("latex")

    @takes(RunOptions)
    def to_excel(self, path: str | Path, **options: Unpack[RunOptions]) -> None:
        """Write the values as a workbook; options as for `report`."""
        self.report(**options).save(path, "excel")
