"""`thresher compare`."""

import argparse

from thresher.cli import tables
from thresher.cli.show import show, unfinished, write
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports import comparison
from thresher.reports.html.report import html_report


def run(options: argparse.Namespace) -> int:
    """Show runs side by side, joined by item; differences are to the first run."""
    if len(options.runs) < 2:  # noqa: PLR2004
        raise InputError("compare needs two or more runs")
    runs = [open_run(path) for path in options.runs]
    if options.format == "html":
        remarks = [line for each in runs for line in unfinished(each)]
        write(options.output, html_report(runs, max_rows=options.max_rows, remarks=remarks))
        return 0
    notes = [*comparison.notes(runs), *(line for each in runs for line in unfinished(each))]
    if options.detailed:
        if len(runs) > 2:  # noqa: PLR2004
            raise InputError("compare --detailed shows two runs; leave the others out")
        show(options, comparison.detailed(*runs), lines=notes)
        return 0
    table, data = tables.compared(runs)
    lines = [*tables.reading(data), *notes]
    show(options, comparison.aggregate_table(runs) if options.format == "csv" else table, data, lines)
    return 0
