"""`thresher inputs-below`."""

import argparse

from thresher.cli.report_options import PRINTED_ROWS
from thresher.cli.show import chosen_format, show, unfinished
from thresher.pipelines.run_directory import open_run
from thresher.reports.thresholds.percentiles import below_report, items_below


def run(options: argparse.Namespace) -> int:
    """List the items below a threshold with all their columns, the lowest first."""
    results = open_run(options.run)
    total = len(items_below(results, options.metric, options.threshold))
    report = below_report(results, options.metric, options.threshold, _row_limit(options))
    listed = len(report.table())
    metric = results.metric(options.metric)
    count = f"{total} of {len(results)} items have {metric.name} below {options.threshold:g}"
    lines = [f"{count} ({metric.coverage} scored)", *unfinished(results)]
    if metric.measure.direction == "lower" and total:
        lines.insert(1, f"Lower is better for {metric.name}: these are the best items.")
    if listed < total:
        lines.append(f"Listed are the {listed} lowest; --max-rows {total} or -o FILE lists all.")
    show(options, report, lines)
    return 0


def _row_limit(options: argparse.Namespace) -> int | None:
    """Return the most rows to list. Programs and files get all rows by default."""
    is_printed_text = options.output is None and chosen_format(options).name == "table"
    return options.max_rows or (PRINTED_ROWS if is_printed_text else None)
