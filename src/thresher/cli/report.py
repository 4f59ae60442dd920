"""`thresher report`."""

import argparse

from thresher.cli import tables
from thresher.cli.show import show, unfinished, write
from thresher.pipelines.run_directory import open_run
from thresher.reports import single
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.html.report import html_report


def run(options: argparse.Namespace) -> int:
    """Show what a stored run says; nothing is computed again."""
    results = open_run(options.run)
    if options.format == "html":
        write(options.output, html_report([results], max_rows=options.max_rows, remarks=unfinished(results)))
        return 0
    if options.detailed:
        show(options, single.complete(results), lines=unfinished(results))
        return 0
    table, data = tables.aggregate(results)
    show(
        options, single.aggregate_table(results) if options.format == "csv" else table, data, heading(results)
    )
    return 0


def heading(results: EvaluationResults) -> list[str]:
    """What to know beside the table."""
    return [f"{results.name or 'run'}: {len(results)} items", *unfinished(results)]
