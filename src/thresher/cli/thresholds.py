"""`thresher thresholds`."""

import argparse

from thresher.cli.show import show, unfinished
from thresher.pipelines.run_directory import open_run
from thresher.reports import thresholds


def run(options: argparse.Namespace) -> int:
    """Show quartiles, median and average of the item scores."""
    results = open_run(options.run)
    table = thresholds.percentile_table(results, options.metric)
    show(options, table, thresholds.percentiles(results, options.metric), unfinished(results))
    return 0
