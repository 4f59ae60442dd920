"""Evaluation results from and to plain data, and from the run results of Haystack."""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.errors import DataWarning, InputError
from thresher.reports.rendering.text import plain
from thresher.reports.runs.results_data import RunParts, is_results_data, read_results_data, results_data
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, recorded_result


def read_run(data: Any) -> RunParts:
    """Read a run from plain data.

    Args:
        data: what `to_plain` returned, the plain form alone, or a Haystack `EvaluationRunResult` (any object
            with `run_name`, `inputs` and `results`).

    Raises:
        InputError: if a part is missing or malformed.

    Warns:
        DataWarning: if the plain form of the data was edited, and results that it cannot hold are lost.
    """
    if is_results_data(data):
        parts = read_results_data(data)
        if not _is_edited(data, parts):
            return parts
        _warn_of_loss(parts)
        data = {**data, "inputs": {name: list(column) for name, column in parts.inputs.items()}}
    if _is_run_result(data):
        data = _plain_form(data)
    if not isinstance(data, Mapping):
        remedy = 'give {"inputs": {...}, "metrics": [{"name": ..., "scores": [...]}]}'
        raise InputError(
            f"evaluation data are {type(data).__name__}; {remedy} or a Haystack EvaluationRunResult"
        )
    given, metrics = data.get("inputs"), data.get("metrics")
    if not isinstance(data.get("run") or "", str):
        raise InputError(f'"run" is {type(data["run"]).__name__}; give the name of the run as a string')
    if not isinstance(given, Mapping):
        raise InputError('evaluation data need "inputs": a dict of lists, one entry per item')
    if not isinstance(metrics, list | tuple):
        raise InputError('evaluation data need "metrics": a list of {"name": ..., "scores": [...]}')
    for name in given:
        if not isinstance(name, str):
            raise InputError(
                f'"inputs" has the column name {name!r}, which is not a string; name columns by strings'
            )
    inputs = {name: _column(f"inputs[{name!r}]", values) for name, values in given.items()}
    results = [_metric(position, entry) for position, entry in enumerate(metrics)]
    return RunParts(inputs, results, data.get("run") or "")


def to_plain(run: RunData, further: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the plain form of a run, and everything that the plain form cannot hold.

    Args:
        run: the run.
        further: entries of the file that the run was read from.
    """
    parts = RunParts(
        run.inputs, run.results, run.name, run.ids, run.ids_given, run.provenance, further=further
    )
    return {**results_data(parts), "metrics": _plain_metrics(run.results)}


def _plain_metrics(results: Iterable[MetricResult]) -> list[dict[str, Any]]:
    """The plain form of the measures that are means of item scores."""
    return [
        {
            "name": measure.name,
            "scores": result.item_scores(measure.name).tolist(),
            "direction": measure.direction,
            "bounds": [bound if math.isfinite(bound) else None for bound in measure.bounds],
            "primary": measure.name in result.primary,
        }
        for result in results
        for measure in result.measures
        if measure.is_item_mean
    ]


def _is_edited(data: Mapping[str, Any], parts: RunParts) -> bool:
    """Whether the plain form in data differs from their results, or has other items."""
    metrics, sizes = data.get("metrics"), {len(column) for column in parts.inputs.values()}
    same_items = sizes <= {len(parts.ids or ())}
    return metrics is not None and not (same_items and plain(metrics) == plain(_plain_metrics(parts.results)))


def _warn_of_loss(parts: RunParts) -> None:
    """Warn of results that item scores do not describe completely."""
    lost = [result.name for result in parts.results if not _is_recorded(result)]
    if lost:
        warnings.warn(
            f"`metrics` or `inputs` were edited, so `results` are not read: {', '.join(lost)} lose what is "
            "not in `metrics`: statuses, reasons, evidence, values that are not means of scores",
            DataWarning,
            stacklevel=5,
        )


def _is_recorded(result: MetricResult) -> bool:
    """Whether the plain form describes a result completely."""
    plain_metrics = _plain_metrics([result])
    return len(plain_metrics) == 1 and _metric(0, plain_metrics[0]).to_dict() == result.to_dict()


def _is_run_result(data: Any) -> bool:
    parts = [getattr(data, name, None) for name in ("inputs", "results")]
    return (
        not isinstance(data, Mapping)
        and hasattr(data, "run_name")
        and all(isinstance(part, Mapping) for part in parts)
    )


def _plain_form(run: Any) -> dict[str, Any]:
    """The plain form of a Haystack `EvaluationRunResult`."""
    metrics = []
    for name, outputs in run.results.items():
        if not (isinstance(outputs, Mapping) and "individual_scores" in outputs):
            raise InputError(f"the result of {name!r} has no individual_scores; give one score per input")
        metrics.append({"name": name, "scores": outputs["individual_scores"]})
        _compare_aggregate(name, outputs)
    return {"run": run.run_name, "inputs": run.inputs, "metrics": metrics}


def _compare_aggregate(name: str, outputs: Mapping[str, Any]) -> None:
    """Warn where Haystack's aggregate is not the mean of the scores, which is what reports show."""
    score, scores = outputs.get("score"), outputs["individual_scores"]
    if not isinstance(score, int | float) or not isinstance(scores, list | tuple) or not scores:
        return
    if not all(isinstance(entry, int | float) for entry in scores):
        return
    mean = sum(scores) / len(scores)
    if not math.isclose(score, mean, rel_tol=1e-6, abs_tol=1e-9) and not math.isnan(mean):
        difference = f"the score of {name!r} is {score:.6g}, the mean of its individual_scores {mean:.6g}"
        warnings.warn(f"{difference}; reports show the mean", stacklevel=5)


def _metric(position: int, entry: Any) -> MetricResult:
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not (isinstance(name, str) and len(name.splitlines()) == 1 and "scores" in entry):
        raise InputError(f'metrics[{position}] needs "name" (one line of text) and "scores" (a list)')
    scores = _column(f"the scores of {entry['name']!r}", entry["scores"])
    result = recorded_result(entry["name"], scores, entry.get("direction", "higher"), entry.get("bounds"))
    primary = entry.get("primary", True)
    if not isinstance(primary, bool):
        raise InputError(f'the metric {name!r} has "primary": {primary!r}; give true or false')
    return result if primary else result.with_primary(())


def _column(what: str, values: Any) -> Sequence[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Sequence):
        raise InputError(f"{what} is {type(values).__name__}; give a list with one entry per item")
    return values
