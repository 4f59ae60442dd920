"""Driving flows with a judge: blocking, and asynchronously. Both hand them to the same engine."""

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
    """Walk flows to their ends and wait for it. Works inside a running event loop too.

    Args:
        flows: what to ask.
        judge: any Haystack ChatGenerator; OpenAI's from the environment by default.
        places: for each flow the position of the item that it judges; by default 0, 1, 2 and so on. All
            metrics of an item are asked for before the next item.

    Returns:
        One outcome for each flow, in order. One that failed does not touch the others.

    Raises:
        InputError: if the judge cannot be used at all, e.g. has no key.
    """
    future = _submitted(flows, judge, places)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def drive_async(
    flows: Iterable[Flow[T]], judge: Any = None, *, places: Sequence[int] | None = None
) -> list[Outcome[T]]:
    """Walk flows to their ends without blocking the running event loop; else as `drive`."""
    return await asyncio.wrap_future(_submitted(flows, judge, places))


def _submitted(
    flows: Iterable[Flow[T]], judge: Any, places: Sequence[int] | None
) -> "Future[list[Outcome[T]]]":
    source = default_judge() if judge is None else judge
    return engine().submit(flows, source, current_session(), places, current_batch())
