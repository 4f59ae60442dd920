"""`thresher thresholds`."""

import argparse
from typing import Any

from thresher.cli.show import show, unfinished
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import Report
from thresher.reports.thresholds.best_thresholds import BestThresholds
from thresher.reports.thresholds.percentiles import percentile_report


def run(options: argparse.Namespace) -> int:
    """Show quartiles, median and average of the item scores; with labels, the best thresholds."""
    results = open_run(options.run)
    show(options, _report(options, results), unfinished(results))
    return 0


def _report(options: argparse.Namespace, results: EvaluationResults) -> Report[Any]:
    if options.label is None and options.objective is None:
        return percentile_report(results, options.metric)
    return BestThresholds(
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
