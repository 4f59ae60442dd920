"""`thresher export`."""

import argparse

from thresher.cli.project_runs import bars
from thresher.cli.show import remark, unfinished
from thresher.cli.streams import print_data
from thresher.counted import counted
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.exports.item_export import export_format, rows_text, source_rows, write_rows
from thresher.reports.exports.selected_items import Choice, chosen_items


def run(options: argparse.Namespace) -> int:
    """Write the chosen items of a run as a data set."""
    chosen_format = options.format or (export_format(options.output) if options.output else "jsonl")
    if chosen_format == "parquet" and options.output is None:
        raise InputError("parquet cannot be printed: give -o FILE.parquet")
    results = open_run(options.run)
    baseline = None if options.regressed_from is None else open_run(options.regressed_from)
    choice = Choice(
        where=options.where,
        below=bars(options.below),
        regressed_from=baseline,
        metric=options.metric,
        failed=options.failed,
        flaky=options.flaky,
    )
    items = chosen_items(results, choice)
    listed = items[: options.limit]
    rows = source_rows(results, listed, None if options.columns is None else options.columns.split(","))
    if options.output is None:
        print_data(rows_text(rows, chosen_format).rstrip("\n"))
    else:
        write_rows(rows, options.output, chosen_format)
    where = "" if options.output is None else f" in {options.output}"
    remark(f"thresher: {len(rows)} of {counted(len(results), 'item')}{where}")
    for line in unfinished(results):
        remark(line)
    return 0
