"""Wiring metrics to the collector."""

from collections.abc import Mapping, Sequence
from typing import Any

from haystack import Pipeline

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.reports.collector import EvaluationResultsCollector

COLLECTOR = "collector"
"""Name of the component that ends a built pipeline; its output is `results`."""


def build(metrics: Sequence[Any] | Mapping[str, Any], *, run_name: str = "") -> Pipeline:
    """An evaluation pipeline: the metrics side by side, each connected to one collector.

    Args:
        metrics: short names (`"token_f1"`) and components (`RecallEvaluator(top_k=5)`), or a mapping from
            component names to either. Haystack's own evaluators may be among them.
        run_name: name of the run in reports.

    Returns:
        A Haystack pipeline whose output is `{"collector": {"results": EvaluationResults}}`.

    Raises:
        InputError: without metrics, for an unknown name, or for something that is no metric.
    """
    parts = _named(metrics)
    haystack_metrics = [name for name, part in parts.items() if not _outputs(part).get("result")]
    pipeline = Pipeline()
    pipeline.add_component(COLLECTOR, EvaluationResultsCollector(run_name, haystack_metrics or None))
    for name, part in parts.items():
        pipeline.add_component(name, part)
        if name in haystack_metrics:
            pipeline.connect(f"{name}.individual_scores", f"{COLLECTOR}.{name}")
        else:
            pipeline.connect(f"{name}.result", f"{COLLECTOR}.results")
    return pipeline


def _named(metrics: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(metrics, str):
        raise InputError(f"metrics={metrics!r} is one name; give a list: [{metrics!r}]")
    given = metrics.items() if isinstance(metrics, Mapping) else ((None, metric) for metric in metrics)
    parts: dict[str, Any] = {}
    for name, metric in given:
        part = metric_class(metric)() if isinstance(metric, str) else metric
        if not _outputs(part).keys() & {"result", "individual_scores"}:
            raise InputError(f"{metric!r} is no metric: give a short name or an evaluator component")
        parts[name or _free_name(part, metric, parts)] = part
    if not parts:
        raise InputError("a pipeline needs at least one metric; `thresher list` shows them")
    return parts


def _free_name(part: Any, metric: Any, taken: Mapping[str, Any]) -> str:
    """The metric's own name, numbered where it stands already."""
    own = metric if isinstance(metric, str) else getattr(part, "name", "") or type(part).__name__
    name, number = own, 1
    while name in taken or name == COLLECTOR:
        number += 1
        name = f"{own}_{number}"
    return name


def _outputs(part: Any) -> dict[str, Any]:
    sockets = getattr(part, "__haystack_output__", None)
    return dict(sockets._sockets_dict) if sockets is not None else {}  # noqa: SLF001
