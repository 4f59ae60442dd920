"""`thresher report`."""

import argparse
from typing import Any

from thresher.cli.option_values import analysis_of, check_one_of, names_of, with_stated_bounds
from thresher.cli.show import chosen_format, show
from thresher.counted import counted
from thresher.pipelines.run_directory import open_run
from thresher.reports.analysis import Analysis
from thresher.reports.by_label.keypoint_report import ByKeypointReport
from thresher.reports.by_label.label_report import ByLabelReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import Report, TableReport
from thresher.reports.runs.item_tables import ITEMS_FIRST, complete
from thresher.reports.runs.run_report import RunReport
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.slices.slice_search import SliceSearch


def run(options: argparse.Namespace) -> int:
    """Show the report of a stored run; nothing is computed again."""
    check_one_of(options)
    (results,) = with_stated_bounds(options, [open_run(options.run)])
    options.metric = names_of(options.metric, results.metrics)
    shown = options.detailed or options.slice or options.by or options.find_slices is not None
    lines = [] if shown else heading(results)
    show(options, _report(options, results), lines)
    return 0


def _report(options: argparse.Namespace, results: EvaluationResults) -> Report[Any]:
    analysis = Analysis(**analysis_of(options))
    if options.slice:
        return SliceReport(results, options.slice, analysis)
    if options.find_slices is not None:
        return SliceSearch(results, options.find_slices, analysis)
    if options.by:
        kind = ByKeypointReport if options.by == "keypoint" else ByLabelReport
        return kind(results, analysis, options.sort or "worst")
    if options.detailed and not chosen_format(options).is_page:
        return TableReport.of(complete(results, options.metric), wide=True)
    report = RunReport(results, analysis)
    return report.with_sections(ITEMS_FIRST) if options.detailed else report


def heading(results: EvaluationResults) -> list[str]:
    """Return the name of the run and its number of items, in a sentence."""
    return [f"{results.name or 'run'}: {counted(len(results), 'item')}"]
