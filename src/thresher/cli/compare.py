"""`thresher compare`."""

import argparse
from typing import Any

from thresher.cli.report_options import analysis_of, check_one_of
from thresher.cli.show import chosen_format, remark, show
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.report import Report
from thresher.reports.slices.slice_comparison import SliceComparison


def run(options: argparse.Namespace) -> int:
    """Show runs side by side, joined by item; differences are to the first run.

    Returns:
        0, or 3 where none of the tested measures could be compared.
    """
    if len(options.runs) < 2:  # noqa: PLR2004
        raise InputError("compare needs two or more runs")
    check_one_of(options)
    runs = [open_run(path) for path in options.runs]
    analysis = Analysis(**analysis_of(options))
    report = (
        SliceComparison(runs, options.slice, analysis) if options.slice else ComparisonReport(runs, analysis)
    )
    show(options, _shown(options, report))
    obstacles = report.obstacles
    if obstacles:
        remark(f"thresher: no tested measure could be compared: {' '.join(obstacles)}")
    return 3 if obstacles else 0


def _shown(options: argparse.Namespace, report: ComparisonReport) -> Report[Any]:
    if not options.detailed or chosen_format(options).is_page:  # a page shows every item anyway
        return report
    if len(report.runs) > 2:  # noqa: PLR2004
        raise InputError("compare --detailed shows two runs; leave the others out")
    return item_comparison(report.runs[0], report.runs[1], options.metric)
