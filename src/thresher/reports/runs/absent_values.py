"""Measures without a value: no item is scored, or the scored items hold nothing to measure."""

import math
from collections.abc import Iterable

from thresher.counted import counted
from thresher.reports.runs.run_data import RunData


def absent_value_notes(run: RunData, metrics: Iterable[str]) -> list[str]:
    """One sentence per reason for which measures have no value.

    Args:
        run: the run.
        metrics: names of the measures that are shown.
    """
    reasons: dict[str, list[str]] = {}
    for name in metrics:
        metric = run.metrics[name]
        if math.isnan(metric.value):
            lacks = metric.measure.reduction.lacking(metric.result.statistics)
            reasons.setdefault(_reason(lacks, metric.result.n_scored), []).append(name)
    return [f"No value for {', '.join(names)}: {reason}." for reason, names in reasons.items()]


def _reason(lacks: str, scored: int) -> str:
    if not scored:
        return "no item is scored"
    return f"{lacks} in the {'scored item' if scored == 1 else counted(scored, 'scored item')}"
