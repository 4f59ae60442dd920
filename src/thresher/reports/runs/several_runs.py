"""Runs that are compared, as a list."""

from collections.abc import Sequence

from thresher.errors import InputError
from thresher.reports.runs.run_data import RunData

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
