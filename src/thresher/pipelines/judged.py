"""Pipelines that ask a judge: who is asked, and letting all metrics ask at once."""

import asyncio
import contextvars
import threading
import warnings
from collections.abc import Collection, Mapping
from typing import Any

from haystack import Pipeline

from thresher.errors import DataWarning
from thresher.judges import Estimate, estimating
from thresher.judges.engine.batch import judged_together
from thresher.pipelines.snapshots import without_remarks


def judged_components(pipeline: Pipeline) -> list[str]:
    """Names of the components that ask a judge."""
    return [name for name in pipeline.graph.nodes if hasattr(pipeline.get_component(name), "chat_generator")]


def asks_itself(part: Any) -> bool:
    """Whether a component is a metric of ours that asks a judge; an agent has a generator, too."""
    return hasattr(part, "chat_generator") and type(part).__module__.partition(".")[0] == "thresher"


def warn_of_absent(name: str, part: Any, sockets: Collection[str], *, stacklevel: int) -> None:
    """Warn where a metric judges otherwise because the data lack a column that it may use.

    Args:
        name: of the component.
        part: the component.
        sockets: those that are fed.
        stacklevel: of the caller's caller, as `warnings.warn` counts.
    """
    for socket, meaning in getattr(part, "judged_without", {}).items():
        if socket not in sockets:
            told = f"{name}: the data have no {socket}, so {meaning}"
            warnings.warn(f"{told}; --map COLUMN={socket} names the column", DataWarning, stacklevel)


def use_judge(pipeline: Pipeline, judge: Any) -> None:
    """Let every judged component of a pipeline ask this ChatGenerator."""
    for name in judged_components(pipeline):
        pipeline.get_component(name).chat_generator = judge  # type: ignore[attr-defined]


def run_pipeline(pipeline: Pipeline, data: Mapping[str, Any]) -> dict[str, Any]:
    """Run a pipeline once; judged components side by side, so that none waits for another's last reply.

    Works inside a running event loop, as notebooks have one, and outside.
    """
    with without_remarks():
        if not judged_components(pipeline):
            return pipeline.run(dict(data))
        with judged_together(_beginning_at_once(pipeline)):
            return _waited(pipeline, data, len(pipeline.graph.nodes))


def estimate(pipeline: Pipeline, data: Mapping[str, Any]) -> Estimate:
    """What a run would ask; nobody is asked."""
    with estimating() as counted:
        run_pipeline(pipeline, data)
    return counted


def _beginning_at_once(pipeline: Pipeline) -> int:
    """Number of judged metrics that wait for no other component."""
    names = [name for name in pipeline.graph.nodes if not pipeline.graph.in_degree(name)]
    return sum(asks_itself(pipeline.get_component(name)) for name in names)


def _waited(pipeline: Pipeline, data: Mapping[str, Any], side_by_side: int) -> dict[str, Any]:
    """Run on an event loop of its own, in a thread of its own: the caller may have one running."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(pipeline.run_async(dict(data), concurrency_limit=side_by_side)))
        except BaseException as error:  # noqa: BLE001  # handed over to the caller's thread below
            outcome.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), name="thresher-pipeline")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    result: dict[str, Any] = outcome[0]
    return result
