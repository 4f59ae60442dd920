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
    if not isinstance(data, Mapping):
        raise InputError(f'evaluation data are {type(data).__name__}; give {{"inputs": ..., "metrics": ...}}')
    given, metrics = data.get("inputs"), data.get("metrics")
    if not isinstance(data.get("run") or "", str):
        raise InputError(f'"run" is {type(data["run"]).__name__}; give the name of the run as a text')
    if not isinstance(given, Mapping):
        raise InputError('evaluation data need "inputs": a dict of lists, one entry per item')
    if not isinstance(metrics, list | tuple):
        raise InputError('evaluation data need "metrics": a list of {"name": ..., "scores": [...]}')
    for name in given:
        if not isinstance(name, str):
            raise InputError(
                f'"inputs" has the column name {name!r}, which is no text; name columns by texts'
            )
    inputs = {name: _column(f"inputs[{name!r}]", values) for name, values in given.items()}
    return inputs, [_metric(position, entry) for position, entry in enumerate(metrics)]


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
