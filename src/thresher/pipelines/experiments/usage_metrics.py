"""Latency, tokens and cost of answers, measured in every experiment."""

from collections.abc import Sequence
from typing import Any

from haystack import Pipeline

from thresher.components import metric_class
from thresher.pipelines.isolation import has_result
from thresher.pipelines.twin import add_component
from thresher.pipelines.unfed import empty_result
from thresher.reports.collector import EvaluationResultsCollector

LATENCY, TOKENS, COST = "latency", "tokens", "cost"


def with_usage(evaluation: Pipeline, names: Sequence[str]) -> Pipeline:
    """Return a pipeline that also measures usage; the given pipeline is not changed.

    The primary measures stay those of the given pipeline: usage is compared, not tested.

    Args:
        evaluation: metrics and a collector; without a collector it is returned unchanged.
        names: `latency`, `tokens` or `cost`.
    """
    parts: dict[str, Any] = {name: evaluation.get_component(name) for name in evaluation.graph.nodes}
    collector = next((n for n, part in parts.items() if isinstance(part, EvaluationResultsCollector)), None)
    missing = [name for name in names if name not in parts]
    if collector is None or not missing:
        return evaluation
    extended = Pipeline()
    for name, part in parts.items():
        add_component(extended, name, part)
    for sender, receiver, ends in evaluation.graph.edges(data=True):
        extended.connect(f"{sender}.{ends['from_socket'].name}", f"{receiver}.{ends['to_socket'].name}")
    for name in missing:
        extended.add_component(name, metric_class(name)())
        extended.connect(f"{name}.result", f"{collector}.results")
    twin: Any = extended.get_component(collector)
    twin.primary = twin.primary or _primary(parts, collector)
    return extended


def _primary(parts: dict[str, Any], collector: str) -> list[str]:
    """The primary measures that the metrics declare."""
    names: list[str] = []
    for name, part in parts.items():
        if name != collector and has_result(part):
            names += empty_result(part).primary
        elif "individual_scores" in part.__haystack_output__._sockets_dict:  # noqa: SLF001  # as in Haystack
            names.append(name)
    return names
