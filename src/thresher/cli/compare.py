"""`thresher compare`."""

import argparse
from typing import Any

from thresher.cli.option_values import analysis_of, check_one_of, names_of, with_stated_bounds
from thresher.cli.run_paths import runs_among
from thresher.cli.show import chosen_format, remark, show
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.analysis import Analysis
from thresher.reports.by_label.keypoint_comparison import ByKeypointComparison
from thresher.reports.by_label.label_comparison import ByLabelComparison
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.leaderboards.ranked_comparison import comparison_of
from thresher.reports.report import Report
from thresher.reports.runs.item_tables import ITEMS_FIRST
from thresher.reports.slices.slice_comparison import SliceComparison


def run(options: argparse.Namespace) -> int:
    """Compare runs item by item with the first run.

    Returns:
        0, or 3 if none of the tested measures could be compared.
    """
    paths = runs_among(options.runs)
    if len(paths) < 2:  # noqa: PLR2004
        raise InputError(f"compare needs two or more runs, not {len(paths)}")
    check_one_of(options)
    runs = with_stated_bounds(options, [open_run(path) for path in paths])
    known = {name for each in runs for name in each.metrics}
    options.metric, options.primary = (names_of(names, known) for names in (options.metric, options.primary))
    analysis = Analysis(**analysis_of(options))
    report = _report(options, runs, analysis)
    show(options, _shown(options, report))
    obstacles = report.obstacles
    if obstacles:
        remark(f"thresher: no tested measure could be compared: {' '.join(obstacles)}")
    return 3 if obstacles else 0


def _report(
    options: argparse.Namespace, runs: list[EvaluationResults], analysis: Analysis
) -> ComparisonReport:
    if options.by:
        kind = ByKeypointComparison if options.by == "keypoint" else ByLabelComparison
        return kind(runs, analysis, options.sort or "worst")
    return SliceComparison(runs, options.slice, analysis) if options.slice else comparison_of(runs, analysis)


def _shown(options: argparse.Namespace, report: ComparisonReport) -> Report[Any]:
    if not options.detailed:
        return report
    if chosen_format(options).is_page:
        return report.with_sections(ITEMS_FIRST)
    if len(report.runs) > 2:  # noqa: PLR2004
        raise InputError(f"compare --detailed shows two runs, not {len(report.runs)}: remove the others")
    return item_comparison(report.runs[0], report.runs[1], options.metric)
