"""Reading the plain form of evaluation results: `{"inputs": {...}, "metrics": [{"name", "scores"}]}`."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.results import MetricResult, recorded_result


def read_plain(data: Mapping[str, Any]) -> tuple[dict[str, Sequence[Any]], list[MetricResult]]:
    """Inputs and metrics of the plain form, checked against each other.

    Raises:
        InputError: if a part is missing or malformed, or lists have unequal lengths (both are named).
    """
    given, metrics = data.get("inputs"), data.get("metrics")
    if not isinstance(given, Mapping):
        raise InputError('evaluation data need "inputs": a dict of lists, one entry per item')
    if not isinstance(metrics, list | tuple):
        raise InputError('evaluation data need "metrics": a list of {"name": ..., "scores": [...]}')
    inputs = {str(name): _column(f'inputs["{name}"]', values) for name, values in given.items()}
    return inputs, [_metric(position, entry) for position, entry in enumerate(metrics)]


def _metric(position: int, entry: Any) -> MetricResult:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str) or "scores" not in entry:
        raise InputError(f'metrics[{position}] needs "name" (a text) and "scores" (a list)')
    scores = _column(f"the scores of {entry['name']!r}", entry["scores"])
    return recorded_result(entry["name"], scores, entry.get("direction", "higher"), entry.get("bounds"))


def _column(what: str, values: Any) -> Sequence[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, str | Mapping) or not isinstance(values, Sequence):
        raise InputError(f"{what} is {type(values).__name__}; give a list with one entry per item")
    return values
