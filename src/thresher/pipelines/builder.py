"""`build`: connect metrics to a collector, and detection metrics to the matcher that they share."""

import inspect
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from haystack import Pipeline

from thresher.components import metric_class, metric_name
from thresher.components._names import others
from thresher.errors import InputError, PluginWarning
from thresher.pipelines.evaluator_settings import note_settings
from thresher.pipelines.twin import add_component
from thresher.plugins import top_package
from thresher.reports.collector import EvaluationResultsCollector
from thresher.surface import option

COLLECTOR = "collector"
"""Name of the component that ends a built pipeline; its output is `results`."""
MATCHER = "matcher"
"""Name of the component whose overlaps detection metrics share."""
MATCHES = "matches"
"""The socket between them."""


def build(
    metrics: Sequence[Any] | Mapping[str, Any],
    *,
    run_name: str = "",
    primary: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Pipeline:
    """Build an evaluation pipeline of metrics that are all connected to one collector.

    Detection metrics share the overlaps of a `DetectionMatcher`, which is added if there is none. A matcher
    with other options, given among the metrics, feeds the detection metrics after it (up to the next
    matcher).

    Args:
        metrics: names (`"token_f1"`, or another one that `metric_name` knows) and components
            (`RetrievalRecallEvaluator(top_k=5)`) or their classes, or a mapping from component names to
            these. Haystack's own evaluators work too. A component of another pipeline is copied; the copy
            shares its judge and its models.
        run_name: name of the run in reports.
        primary: names of the measures that comparisons test, e.g. `["token_f1"]`; default: those that each
            metric declares.
        columns: names of further input columns for reports and gates of the pipeline, e.g. `["language"]`.

    Returns:
        A Haystack pipeline whose output is `{"collector": {"results": EvaluationResults}}`.

    Raises:
        InputError: without metrics, for an unknown name, or for an object that is not a metric.
    """
    parts = _with_matcher(_components(metrics))
    evaluators = {name: part for name, part in parts.items() if not is_matcher(part)}
    if not evaluators:
        raise InputError("a pipeline needs at least one metric; `thresher list` shows them")
    haystack_metrics = [name for name, part in evaluators.items() if not _outputs(part).get("result")]
    pipeline = Pipeline()
    collector = EvaluationResultsCollector(run_name, haystack_metrics or None, primary, columns)
    pipeline.add_component(COLLECTOR, collector)
    matcher = MATCHER
    for name, part in parts.items():
        add_component(pipeline, name, part)
        if is_matcher(part):
            matcher = name
            continue
        if MATCHES in _inputs(part):
            pipeline.connect(f"{matcher}.{MATCHES}", f"{name}.{MATCHES}")
        if name in haystack_metrics:
            pipeline.connect(f"{name}.individual_scores", f"{COLLECTOR}.{name}")
        else:
            pipeline.connect(f"{name}.result", f"{COLLECTOR}.results")
    note_settings(pipeline)
    return pipeline


def _with_matcher(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts, with a matcher in front if a detection metric comes before any."""
    for part in parts.values():
        if is_matcher(part):
            return parts
        if MATCHES in _inputs(part):
            from thresher.components.detection.matcher import DetectionMatcher

            matcher = DetectionMatcher(**getattr(part, "matcher_options", {}))
            return {_free_name(matcher, None, parts): matcher, **parts}
    return parts


def _components(metrics: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(metrics, str):
        raise InputError(f"metrics={metrics!r} is one name; give a list: [{metrics!r}]")
    pairs = metrics.items() if isinstance(metrics, Mapping) else ((None, metric) for metric in metrics)
    parts: dict[str, Any] = {}
    for name, metric in pairs:
        part = make_metric(metric)
        if not is_matcher(part) and not _outputs(part).keys() & {"result", "individual_scores"}:
            raise InputError(_not_a_metric(name, metric))
        parts[name or _free_name(part, metric, parts)] = part
    return parts


def _not_a_metric(name: str | None, metric: Any) -> str:
    if inspect.isroutine(metric):
        return f"{metric.__name__} is a plain function; decorate it with @item_metric"
    if name and isinstance(metric, Mapping):
        options = ", ".join(f"{word}={value!r}" for word, value in metric.items())
        return f"{name!r} has its options as a mapping; write metric_class({name!r})({options})"
    if isinstance(metric, type):
        return f"{metric.__name__} is not a metric; decorate the class with @metric"
    if _outputs(metric):
        known = ", ".join(_outputs(metric))
        return f"{type(metric).__name__} is not a metric: its outputs are {known}, without individual_scores"
    return f"{metric!r} is not a metric: give a short name or an evaluator component"


def _free_name(part: Any, metric: Any, taken: Mapping[str, Any]) -> str:
    """The metric's own name, numbered if it is taken."""
    default = MATCHER if is_matcher(part) else getattr(part, "name", "") or type(part).__name__
    stem = metric_name(metric) if isinstance(metric, str) else default
    name, number = stem, 1
    while name in taken or name == COLLECTOR:
        number += 1
        name = f"{stem}_{number}"
    return name


def make_metric(metric: Any) -> Any:
    """Build a metric from its name or class with default options; return other objects unchanged.

    Raises:
        InputError: for an unknown name, or a metric that needs options.
    """
    if not isinstance(metric, str) and not (isinstance(metric, type) and hasattr(metric, "run")):
        return metric
    kind: Any = metric_class(metric) if isinstance(metric, str) else metric
    if isinstance(metric, str):
        _warn_of_same_name(metric, kind)
    _, *parameters = inspect.signature(kind.__init__).parameters.values()
    variadic = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    required = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind not in variadic
    ]
    if required:
        name = metric if isinstance(metric, str) else kind.__name__
        made = f"{kind.__name__}({', '.join(f'{word}=...' for word in required)})"
        file = f"set them in a pipeline file, which `thresher.build([{made}]).dumps()` returns as text"
        remedy = option(file, f"give {made}")
        raise InputError(f"{name} has no default for {', '.join(required)}: {remedy}")
    return kind()


def _warn_of_same_name(name: str, kind: type[Any]) -> None:
    """Warn if another package has a metric of that name: the built-in one is used."""
    hidden = [other.qualified for other in others().values() if other.name == name and other.cls is not kind]
    if hidden and top_package(kind.__module__) == "thresher":
        warnings.warn(
            f"{name} is the built-in metric; the other metric of that name is {' or '.join(hidden)}",
            PluginWarning,
            stacklevel=2,
        )


def is_matcher(part: Any) -> bool:
    """Whether a component computes the overlaps for detection metrics."""
    return MATCHES in _outputs(part)


def _inputs(part: Any) -> dict[str, Any]:
    sockets = getattr(part, "__haystack_input__", None)
    return dict(sockets._sockets_dict) if sockets is not None else {}  # noqa: SLF001


def _outputs(part: Any) -> dict[str, Any]:
    sockets = getattr(part, "__haystack_output__", None)
    return dict(sockets._sockets_dict) if sockets is not None else {}  # noqa: SLF001
