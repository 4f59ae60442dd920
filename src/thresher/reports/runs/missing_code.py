"""Measures whose code is not installed, so that only their stored value is known."""

from collections.abc import Iterable

from thresher.reports.runs.run_data import RunData
from thresher.results.stored_values import StoredValue


def missing_code_notes(run: RunData, metrics: Iterable[str]) -> list[str]:
    """One sentence per module that a measure needs and that could not be imported.

    Args:
        run: the run.
        metrics: names of the measures that are shown.
    """
    needed: dict[str, list[str]] = {}
    for name in metrics:
        reduction = run.metrics[name].measure.reduction
        if isinstance(reduction, StoredValue):
            needed.setdefault(reduction.module, []).append(name)
    return [
        f"{', '.join(names)}: no interval and no slices, because the value is as stored; import {module} "
        "(command line: --plugin) to compute them."
        for module, names in needed.items()
    ]
