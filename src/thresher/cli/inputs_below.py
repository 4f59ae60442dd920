"""`thresher inputs-below`."""

import argparse

from thresher.cli.show import show, unfinished
from thresher.pipelines.run_directory import open_run
from thresher.reports.report import TableReport
from thresher.reports.thresholds.percentiles import below


def run(options: argparse.Namespace) -> int:
    """Show the whole rows of the items below a threshold, lowest first."""
    results = open_run(options.run)
    table = below(results, options.metric, options.threshold)
    metric = results.metric(options.metric)
    count = f"{len(table)} of {len(results)} items have {metric.name} below {options.threshold:g}"
    lines = [f"{count} ({metric.coverage} scored)", *unfinished(results)]
    if metric.measure.direction == "lower" and len(table):
        lines.insert(1, f"Lower is better for {metric.name}: these are the best items.")
    show(options, TableReport.of(table, wide=True), lines)
    return 0
