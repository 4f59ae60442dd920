"""`thresher export`."""

import argparse

from thresher.cli.project_runs import bars
from thresher.cli.show import remark, unfinished, write_lines
from thresher.counted import counted
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.exports.item_export import export_format, source_lines, source_rows, write_rows
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
    items = chosen_items(results, choice)[: options.limit]
    columns = None if options.columns is None else options.columns.split(",")
    if chosen_format == "parquet":
        write_rows(source_rows(results, items, columns), options.output, "parquet")
    else:
        write_lines(options.output, source_lines(results, items, chosen_format, columns))
    where = "" if options.output is None else f" in {options.output}"
    remark(f"thresher: {len(items)} of {counted(len(results), 'item')}{where}")
    for line in unfinished(results):
        remark(line)
    return 0
