"""`thresher inputs-below`."""

import argparse
from pathlib import Path

from thresher.cli.report_options import PRINTED_ROWS
from thresher.cli.show import chosen_format, remark, show, unfinished, write_lines
from thresher.counted import counted
from thresher.pipelines.run_directory import open_run
from thresher.reports.exports.item_export import source_lines
from thresher.reports.thresholds.percentiles import below_report, items_below


def run(options: argparse.Namespace) -> int:
    """List the items below a threshold with all their columns, the lowest first."""
    results = open_run(options.run)
    items = items_below(results, options.metric, options.threshold)
    total, listed = len(items), len(items[: _row_limit(options)])
    metric = results.metric(options.metric)
    every = counted(len(results), "item has", "items have")
    count = f"{total} of {every} {metric.name} below {options.threshold:g}"
    lines = [f"{count} ({metric.coverage} scored)", *unfinished(results)]
    if metric.measure.direction == "lower" and total:
        lines.insert(1, f"Lower is better for {metric.name}: these are the best items.")
    if listed < total:
        lines.append(f"Listed are the {listed} lowest; --max-rows {total} or -o FILE lists all.")
    if _is_data_set(options):
        # As rows that `thresher run` accepts; as columns, scores would collide with its own.
        write_lines(options.output, source_lines(results, items[: options.max_rows]))
        remark(f"thresher: {count}{f' in {options.output}' if options.output else ''}")
    else:
        show(options, below_report(results, options.metric, options.threshold, _row_limit(options)), lines)
    return 0


def _is_data_set(options: argparse.Namespace) -> bool:
    return (options.format or Path(options.output or "").suffix.lower().removeprefix(".")) == "jsonl"


def _row_limit(options: argparse.Namespace) -> int | None:
    """Return the most rows to list. Programs and files get all rows by default."""
    is_printed_text = (
        options.output is None and not _is_data_set(options) and chosen_format(options).name == "table"
    )
    return options.max_rows or (PRINTED_ROWS if is_printed_text else None)
