"""What components of reports have in common: their outputs, and stored baselines."""

import json
from typing import Any

from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import Report


def outputs(report: Report[Any]) -> dict[str, Any]:
    """The outputs of a report: its JSON, exactly as the command line prints it, and Markdown."""
    return {"report": json.loads(report.render("json")), "markdown": report.render("markdown")}


def stored_or_given(name: str, path: str | None, given: EvaluationResults | None) -> EvaluationResults | None:
    """Return the baseline: the given results, or those stored at a path, which is read at each run.

    Raises:
        InputError: if there are both.
        RunDirectoryError: if the path cannot be read.
    """
    if path is not None and given is not None:
        raise InputError(f"{name} has two baselines, {path} and its input `baseline`; remove one of them")
    return given if path is None else open_run(path)
