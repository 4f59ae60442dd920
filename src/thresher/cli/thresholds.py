"""`thresher thresholds`."""

import argparse

from thresher.cli import tables
from thresher.cli.show import show, unfinished
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.tables import best_table
from thresher.reports.thresholds import percentiles as thresholds
from thresher.reports.thresholds.best_thresholds import BestThresholds


def run(options: argparse.Namespace) -> int:
    """Show quartiles, median and average of the item scores; with labels, the best thresholds."""
    results = open_run(options.run)
    if options.label is not None or options.objective is not None:
        return _best(options, results)
    table = thresholds.percentile_table(results, options.metric)
    show(options, table, thresholds.percentiles(results, options.metric), unfinished(results))
    return 0


def _best(options: argparse.Namespace, results: EvaluationResults) -> int:
    report = BestThresholds(
        results,
        options.label,
        metrics=options.metric,
        positive=options.positive,
        objective=options.objective or "f1",
        split=options.split,
        seed=options.seed,
        cluster=options.cluster,
        direction=options.direction,
    )
    table = report.table() if options.format in tables.WHOLE else best_table(report)
    show(options, table, report.data() if options.format == "json" else None, unfinished(results))
    return 0
