"""Pipelines with judged metrics: run them concurrently, and estimate their calls."""

import asyncio
import contextvars
import threading
import warnings
from collections.abc import Collection, Mapping
from typing import Any

from haystack import Pipeline

from thresher.errors import DataWarning, InputError
from thresher.judges import CostEstimate, estimating
from thresher.judges.engine.batch import judged_together
from thresher.judges.template_packs import SYSTEM, read_pack
from thresher.metrics import JudgedMetric
from thresher.metrics.claims import ClaimMetric
from thresher.pipelines.snapshots import silence_snapshot_warnings
from thresher.surface import reading_with


def judged_components(pipeline: Pipeline) -> list[str]:
    """Names of the components with a judge."""
    return [name for name in pipeline.graph.nodes if hasattr(pipeline.get_component(name), "chat_generator")]


def asks_itself(part: Any) -> bool:
    """Whether a component is one of Thresher's judged metrics; agents have generators too."""
    return hasattr(part, "chat_generator") and type(part).__module__.partition(".")[0] == "thresher"


def warn_of_absent(name: str, part: Any, sockets: Collection[str], *, stacklevel: int) -> None:
    """Warn if a metric judges differently because the data lack an optional column.

    Args:
        name: name of the component.
        part: the component.
        sockets: sockets with data.
        stacklevel: stack level of the caller's caller, as in `warnings.warn`.
    """
    for socket, meaning in getattr(part, "judged_without", {}).items():
        if socket not in sockets:
            remedy = reading_with(("COLUMN", socket))
            message = f"{name}: the data have no {socket}, so {meaning}; {remedy} names the column"
            warnings.warn(message, DataWarning, stacklevel)


def use_judge(pipeline: Pipeline, judge: Any) -> None:
    """Set the ChatGenerator of every judged component of a pipeline."""
    for name in judged_components(pipeline):
        pipeline.get_component(name).chat_generator = judge  # type: ignore[attr-defined]


def locate_claims(pipeline: Pipeline) -> None:
    """Set the option `spans` of every metric of a pipeline that locates claims, if it is not set.

    Raises:
        InputError: if the pipeline has no such metric, or another option of one excludes spans.
    """
    metrics = [part for _, part in pipeline.walk() if isinstance(part, ClaimMetric)]
    if not metrics:
        raise InputError(
            "--spans: no metric of this pipeline locates claims (valor_faithfulness does): remove the option"
        )
    for metric in metrics:
        metric.spans = metric.spans or True
        metric.check_spans()
        if metric.templates:  # spans have prompts of their own, which these words do not replace
            metric.use_templates(metric.templates, metric.labels)


def use_templates(pipeline: Pipeline, folder: str) -> None:
    """Use the templates of a folder in all metrics of a pipeline that have a prompt of these names.

    Raises:
        InputError: if there is no such metric, or a template does not fit its prompt.
    """
    names = read_pack(folder).templates.keys()
    metrics = [part for _, part in pipeline.walk() if isinstance(part, JudgedMetric)]
    users = [metric for metric in metrics if names & {*metric.template_names, SYSTEM}]
    if not users:
        known = ", ".join(sorted({name for metric in metrics for name in metric.template_names})) or "none"
        raise InputError(f"--templates {folder}: no metric of this pipeline asks these; it asks {known}")
    for metric in users:
        metric.use_templates(folder)


def run_pipeline(pipeline: Pipeline, data: Mapping[str, Any]) -> dict[str, Any]:
    """Run a pipeline once, judged components concurrently so that none waits for another's last reply.

    Works within a running event loop, as in notebooks, and without one.
    """
    with silence_snapshot_warnings():
        if not judged_components(pipeline):
            return pipeline.run(dict(data))
        with judged_together(_starting_together(pipeline)):
            return _run_async(pipeline, data, len(pipeline.graph.nodes))


def estimate(pipeline: Pipeline, data: Mapping[str, Any]) -> CostEstimate:
    """Estimate the calls of a run without calling a model."""
    with estimating() as calls:
        run_pipeline(pipeline, data)
    return calls


def _starting_together(pipeline: Pipeline) -> int:
    """Number of judged metrics that depend on no other component."""
    names = [name for name in pipeline.graph.nodes if not pipeline.graph.in_degree(name)]
    return sum(asks_itself(pipeline.get_component(name)) for name in names)


def _run_async(pipeline: Pipeline, data: Mapping[str, Any], concurrency: int) -> dict[str, Any]:
    """Run on a new event loop in a new thread, because the caller may have a running loop."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(pipeline.run_async(dict(data), concurrency_limit=concurrency)))
        except BaseException as error:  # noqa: BLE001  # raised in the caller's thread below
            outcome.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), name="thresher-pipeline")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    result: dict[str, Any] = outcome[0]
    return result
