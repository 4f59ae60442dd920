"""The metrics that the page shows, their order, and those that it opens on."""

import copy
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from thresher.reports.comparisons.family import Family
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics


def family_of(
    runs: Sequence[RunData],
    metrics: Sequence[str] | None,
    primary: Sequence[str] | None,
    margins: Mapping[str, float] | None,
) -> Family:
    """Return the measures that a comparison of the runs tests; for one run, those that it declares primary.

    Args:
        runs: the runs; the first knows the names.
        metrics: names of the only metrics that are shown; None for all.
        primary: names of the primary measures; None for those that the runs declare.
        margins: metric -> margin.

    Raises:
        InputError: for a name that the first run does not have.
    """
    requested = None if metrics is None else chosen_metrics(runs[0], metrics)
    names = distinct_run_names([run.name for run in runs])
    return Family.of(runs, names, requested, primary, margins or {})


def arranged(runs: Sequence[RunData], metrics: Sequence[str] | None, family: Family) -> list[RunData]:
    """Return the runs with these metrics only, the tested measures first.

    Args:
        runs: the runs; the first knows the names.
        metrics: names of metrics; None for all.
        family: the tested measures.

    Raises:
        InputError: for a metric that the first run does not have.
    """
    requested = None if metrics is None else chosen_metrics(runs[0], metrics)
    return [_with(run, family.first(_of_run(run, requested))) for run in runs]


def opening_measures(runs: Sequence[RunData], family: Family) -> list[str]:
    """Return the tested measures that the page shows, primary ones before those requested by name."""
    shown = dict.fromkeys(name for run in runs for name in run.metrics)
    tested = [name for name in shown if name in family.measures]
    return sorted(tested, key=lambda name: family.role(name) != "primary")


def _of_run(run: RunData, requested: Sequence[str] | None) -> list[str]:
    return list(run.metrics) if requested is None else [name for name in requested if name in run.metrics]


def _with(run: RunData, names: Sequence[str]) -> RunData:
    shown = copy.copy(run)
    shown.metrics = MappingProxyType({name: run.metrics[name] for name in names})
    results = {id(metric.result) for metric in shown.metrics.values()}
    shown.results = tuple(result for result in run.results if id(result) in results)
    return shown
