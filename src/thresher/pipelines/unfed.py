"""Metrics whose columns the data lack."""

from collections.abc import Mapping, Sequence
from typing import Any

from haystack import Pipeline

from thresher.datasets.sources import Source
from thresher.errors import InputError
from thresher.pipelines.evaluator_settings import bare_scores
from thresher.pipelines.isolation import has_result
from thresher.pipelines.pipeline_text import problem
from thresher.plugins import top_package
from thresher.reports.collector import EvaluationResultsCollector
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.renamed_measures import current_name
from thresher.results.suggestions import similar_names, suggest
from thresher.surface import option, reading_with
from thresher.version import COMPONENT_MODULES


def without_unfed(pipeline: Pipeline, dataset: Source) -> tuple[Pipeline, dict[str, str]]:
    """The pipeline without the components whose columns the data lack.

    Their measures are removed from the collector's primary measures; if none remain, every metric's
    declared primary measures apply.

    Returns:
        A new pipeline, and for each component left out the first column that it lacks.

    Raises:
        InputError: if no metric is left, or a component cannot be serialised.
    """
    lacking = {
        component: next(socket for socket in sockets if is_unfed(socket, sockets, dataset))
        for component, sockets in pipeline.inputs().items()
        if any(is_unfed(socket, sockets, dataset) for socket in sockets)
    }
    try:
        whole = pipeline.to_dict()
    except Exception as error:
        raise InputError(f"{problem(pipeline, error)}; so no metric can be left out") from error
    _add_receivers(lacking, pipeline, whole["connections"])
    components = {name: part for name, part in whole["components"].items() if name not in lacking}
    _drop_primary(components, {name: pipeline.get_component(name) for name in lacking})
    wires = [wire for wire in whole["connections"] if wire["sender"].partition(".")[0] in components]
    if not wires:
        raise InputError(f"the data feed none of the metrics: they have {_listed(dataset)}")
    rest = {**whole, "components": components, "connections": wires}
    parts = [type(pipeline.get_component(name)) for name in components]
    allowed = [*COMPONENT_MODULES, *({top_package(part.__module__) for part in parts} - {"thresher"})]
    return Pipeline.from_dict(rest, allowed_modules=allowed), lacking


def _drop_primary(components: Mapping[str, Any], left_out: Mapping[str, Any]) -> None:
    """Remove the measures of components left out from the collectors' primary measures."""
    removed = {name for component, part in left_out.items() for name in _measures(component, part)}
    for options in collectors(components):
        declared = options.get("primary") or ()
        primary = [name for name in declared if current_name(name) not in removed]
        options["primary"] = primary or None


def _measures(name: str, part: Any) -> list[str]:
    """Names of the measures that a component reports; its own name for Haystack's evaluators."""
    return [measure.name for measure in empty_result(part).measures] if has_result(part) else [name]


def empty_result(part: Any) -> MetricResult:
    """The result of a metric over no items, which has its measures; no model is called."""
    sockets = part.__haystack_input__._sockets_dict  # noqa: SLF001  # Haystack has no public reader
    empty = {socket: FrozenColumn() for socket, facts in sockets.items() if facts.is_mandatory}
    result: MetricResult = part.run(**empty)["result"]
    return result


def result_names(pipeline: Pipeline) -> set[str] | None:
    """Names of the results that a pipeline gives; None if a metric does not run over no items."""
    names = {metric for _, metric, _ in bare_scores(pipeline)}
    try:
        for _, part in pipeline.walk():
            if has_result(part):
                names.add(empty_result(part).name)
    except Exception:  # noqa: BLE001  (components of other packages may raise anything)
        return None
    return names


def collectors(components: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The init parameters of the collectors in a pipeline's dictionary."""
    collector = f"{EvaluationResultsCollector.__module__}.{EvaluationResultsCollector.__name__}"
    return [part["init_parameters"] for part in components.values() if part["type"] == collector]


def _add_receivers(
    lacking: dict[str, str], pipeline: Pipeline, connections: Sequence[Mapping[str, str]]
) -> None:
    """Add components that depend on a component left out, as detection metrics depend on their matcher."""
    for _ in connections:
        for wire in connections:
            sender, receiver = wire["sender"].partition(".")[0], wire["receiver"].partition(".")
            sockets = pipeline.graph.nodes[receiver[0]]["input_sockets"]
            if sender in lacking and receiver[0] not in lacking and sockets[receiver[2]].is_mandatory:
                lacking[receiver[0]] = lacking[sender]


def is_unfed(socket: str, sockets: Mapping[str, Any], dataset: Source) -> bool:
    """Whether an input must have a column, and the data lack it."""
    return bool(sockets[socket]["is_mandatory"]) and socket not in dataset.columns


def unfed_problem(component: str, sockets: Sequence[str], dataset: Source) -> str:
    """Why inputs have no column, and the remedy: rename the columns, or the input of an own metric."""
    socket = sockets[0]
    lacks = f"{component} needs the column {socket!r}"
    column = next((column for column, source in dataset.origin.items() if source == socket), None)
    if column is not None and socket not in VOCABULARY:
        name = option(
            f"give the input of the metric that name, or --recorded {column}",
            "give the input of the metric that name",
        )
        return f"{lacks}, which is read as {column!r}: {name}"
    likely = "" if socket in VOCABULARY else suggest(socket, set(dataset.columns) & set(VOCABULARY))
    unknown = [name for name in dataset.columns if name not in VOCABULARY]
    near = {name: next(iter(similar_names(name, unknown)), "COLUMN") for name in sockets}
    renamed = reading_with(*((column, name) for name, column in near.items()))
    others = f"; it also needs {' and '.join(map(repr, sockets[1:]))}" if sockets[1:] else ""
    return (
        f"{lacks}{likely}, and the data have {_listed(dataset)}{others}; "
        f"rename {'them' if others else 'one'} with {renamed}, or "
        f"leave out metrics without data{option(' with --skip-missing', '')}"
    )


def _listed(dataset: Source) -> str:
    return ", ".join(dataset.columns) or "no columns"
