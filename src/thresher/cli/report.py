"""`thresher report`."""

import argparse
from typing import Any

from thresher.cli import tables
from thresher.cli.show import page_options, show, write
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.html.report import html_report
from thresher.reports.rendering.tables import run_table, slice_table
from thresher.reports.runs import run_report as single
from thresher.reports.slices.slice_report import SliceReport


def run(options: argparse.Namespace) -> int:
    """Show what a stored run says; nothing is computed again."""
    tables.check_one_of(options)
    results = open_run(options.run)
    chosen: dict[str, Any] = {
        "metrics": options.metric,
        "cluster": options.cluster,
        "repeats": options.repeats,
    }
    if options.format == "html":
        write(options.output, html_report([results], **chosen, **page_options(options)))
        return 0
    if options.detailed:
        table = single.complete(results, options.metric)
        show(options, table, itemwise=True)
        return 0
    if options.slice:
        sliced = SliceReport(results, options.slice, level=options.level, **chosen)
        table = sliced.table() if options.format in tables.WHOLE else slice_table(sliced)
        show(options, table, sliced.data() if options.format == "json" else None)
        return 0
    report = single.RunReport(results, level=options.level, **chosen)
    table = report.table() if options.format in tables.WHOLE else run_table(report)
    show(options, table, report.data() if options.format == "json" else None, heading(results))
    return 0


def heading(results: EvaluationResults) -> list[str]:
    """What to know beside the table."""
    return [f"{results.name or 'run'}: {len(results)} items"]
