"""Values of the primary measures of a run, stored in `run.json` so that a list of runs opens no part."""

from typing import Any

from thresher.errors import InputError
from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.interval import finite
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.metric import Metric
from thresher.results import Mean

SUMMARY = "summary"
"""Key of the summary in the manifest. It is derived from the parts, so it is not part of the provenance."""


def summary_of(results: EvaluationResults, *, quick: bool = False) -> dict[str, Any]:
    """Return the primary measures of a run as JSON data: value, 95 % interval, direction, scored items.

    Args:
        results: the run.
        quick: leave out measures that are not means: their intervals come from a jackknife, which can take
            longer than the evaluation itself.
    """
    metrics = [metric for metric in results.metrics.values() if metric.is_primary]
    shown = [metric for metric in metrics if not quick or isinstance(metric.measure.reduction, Mean)]
    return {metric.name: _measured(results, metric) for metric in shown}


def _measured(results: EvaluationResults, metric: Metric) -> dict[str, Any]:
    try:
        units = Grouping.of(results).units
    except InputError:  # a column of clusters with missing entries; reports name it
        interval = None
    else:
        interval = estimate(Target(metric.result, metric.name), **units).interval
    return {
        "value": finite(metric.value),
        "low": None if interval is None else finite(interval.low),
        "high": None if interval is None else finite(interval.high),
        "direction": metric.measure.direction,
        "scored": metric.result.n_scored,
    }
