"""Settings of Haystack's own evaluators, which have no signature: their init parameters and class."""

import hashlib
import inspect
import json
from collections.abc import Iterator
from typing import Any

from haystack import Pipeline
from haystack.core.serialization import component_to_dict

from thresher.reports.collector import EvaluationResultsCollector
from thresher.results.redaction import redacted

_NO_NUMBER = frozenset({"device", "progress_bar", "raise_on_failure", "timeout", "max_retries"})
"""Parameters that change how scores are computed, not which."""
_PLAIN = (str, int, float, list, dict, type(None))
_LONGEST = 80
"""Characters of a value that a signature shows; longer ones, such as prompts and examples, as a digest."""


def note_settings(pipeline: Pipeline) -> None:
    """Give each collector of a pipeline the settings of the evaluators whose bare scores it receives."""
    for collector, socket, sender in bare_scores(pipeline):
        part = pipeline.get_component(sender)
        collector.evaluator_settings[socket] = settings_of(part, socket)


def bare_scores(pipeline: Pipeline) -> Iterator[tuple[EvaluationResultsCollector, str, str]]:
    """Yield collector, name of the metric, and name of the evaluator, for each that sends bare scores."""
    for sender, receiver, edge in pipeline.graph.edges(data=True):
        collector = pipeline.get_component(receiver)
        socket = edge["to_socket"].name
        if isinstance(collector, EvaluationResultsCollector) and socket in (collector.haystack_metrics or ()):
            yield collector, socket, sender


def settings_of(part: Any, name: str) -> dict[str, Any]:
    """Init parameters of a component, without credentials, and its class if the metric has another name."""
    kind = type(part).__name__
    parameters = _without_keys(redacted(_parameters(part, name)))
    settings = {key: _short(value) for key, value in parameters.items()}
    return settings if name == kind else {"evaluator": kind, **settings}


def _parameters(part: Any, name: str) -> dict[str, Any]:
    """Init parameters as Haystack serialises them; if it cannot, those that are plain data."""
    try:
        return dict(component_to_dict(part, name)["init_parameters"])
    except Exception:  # noqa: BLE001  (any `to_dict` of a foreign component may raise)
        names = inspect.signature(type(part).__init__).parameters
        values = {name: getattr(part, name) for name in names if hasattr(part, name)}
        return {name: value for name, value in values.items() if isinstance(value, _PLAIN)}


def _without_keys(value: Any) -> Any:
    """Plain data without keys of services and parameters that do not change a score."""
    if isinstance(value, list | tuple):
        return [_without_keys(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_keys(entry)
        for key, entry in value.items()
        if key not in _NO_NUMBER and not (isinstance(entry, dict) and "env_vars" in entry)
    }


def _short(value: Any) -> Any:
    """A value that fits a line: objects as JSON, and long texts as a digest."""
    if isinstance(value, dict | list):
        value = json.dumps(value, sort_keys=True, default=lambda entry: type(entry).__name__)
    if not isinstance(value, str) or len(value) <= _LONGEST:
        return value
    return f"sha256:{hashlib.sha256(value.encode(errors='replace')).hexdigest()[:12]}"
