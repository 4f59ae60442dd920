"""Runs that are compared: as a list, under shared names of their metrics."""

from collections.abc import Sequence
from typing import TypeVar

from thresher.errors import InputError
from thresher.reports.runs.run_data import RunData
from thresher.results.renamed_measures import current_name

R = TypeVar("R", bound=RunData)
Runs = RunData | Sequence[RunData]


def other_runs(other: object) -> list[RunData]:
    """Return one run or several as a list.

    Raises:
        InputError: if one of them is not a run.
    """
    runs: list[RunData] = []
    for run in other if isinstance(other, list | tuple) else [other]:
        if not isinstance(run, RunData):
            raise InputError(f"the run to compare with is {type(run).__name__}; give EvaluationResults")
        runs.append(run)
    return runs


def with_shared_names(runs: Sequence[R]) -> list[R]:
    """The runs, with present names for measures that another of them has under its present name.

    So a run directory written before a metric was renamed is compared with a new run.
    """
    present = {name for run in runs for name in run.metrics}
    names = [{old: current_name(old) for old in run.metrics} for run in runs]
    return [
        run.renamed({old: new for old, new in of_run.items() if new in present})
        for run, of_run in zip(runs, names, strict=True)
    ]
