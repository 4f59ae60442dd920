"""Running flows with a judge, blocking or asynchronously, on the same engine."""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from thresher.judges.engine.batch import current_batch
from thresher.judges.engine.engine import engine
from thresher.judges.flow import Flow, Outcome
from thresher.judges.models import default_judge
from thresher.judges.session import current_session

T = TypeVar("T")


def drive(
    flows: Iterable[Flow[T]], judge: Any = None, *, places: Sequence[int] | None = None
) -> list[Outcome[T]]:
    """Run flows and wait for their outcomes. Works inside a running event loop too.

    Args:
        flows: the flows.
        judge: any Haystack ChatGenerator; OpenAI's from the environment by default.
        places: for each flow the position of the item that it judges; by default 0, 1, 2 and so on. All
            metrics of an item are asked before the next item.

    Returns:
        One outcome for each flow, in order. A failed flow does not affect the others.

    Raises:
        InputError: if the judge cannot be used at all, e.g. without a key.
    """
    future = _submit(flows, judge, places)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def drive_async(
    flows: Iterable[Flow[T]], judge: Any = None, *, places: Sequence[int] | None = None
) -> list[Outcome[T]]:
    """Run flows like `drive`, without blocking the running event loop."""
    return await asyncio.wrap_future(_submit(flows, judge, places))


def _submit(flows: Iterable[Flow[T]], judge: Any, places: Sequence[int] | None) -> "Future[list[Outcome[T]]]":
    source = default_judge() if judge is None else judge
    return engine().submit(flows, source, current_session(), places, current_batch())
