"""Runs of which only some metrics are shown."""

import copy
from collections.abc import Sequence
from types import MappingProxyType

from thresher.reports.run_data import RunData
from thresher.reports.single import chosen_metrics


def with_metrics(runs: Sequence[RunData], metrics: Sequence[str] | None) -> Sequence[RunData]:
    """The runs with these metrics only; as they are where none are named.

    Args:
        runs: the runs; the first knows the names.
        metrics: names of metrics.

    Raises:
        InputError: for a metric that the first run does not have.
    """
    if metrics is None:
        return runs
    names = chosen_metrics(runs[0], metrics)
    return [_with(run, [name for name in names if name in run.metrics]) for run in runs]


def _with(run: RunData, names: Sequence[str]) -> RunData:
    shown = copy.copy(run)
    shown.metrics = MappingProxyType({name: run.metrics[name] for name in names})
    kept = {id(metric.result) for metric in shown.metrics.values()}
    shown.results = tuple(result for result in run.results if id(result) in kept)
    return shown
