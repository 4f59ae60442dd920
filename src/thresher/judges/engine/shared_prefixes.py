"""Calls about one item with a common prefix: the first runs alone, so that the others find a warm cache."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from thresher.judges.engine.batch import BatchItem


@asynccontextmanager
async def first_alone(item: BatchItem, prefix: str) -> AsyncIterator[None]:
    """Wait until the first block of the item with this prefix has ended; the others run concurrently.

    Args:
        item: the item that is judged.
        prefix: judge and beginning of the prompt; empty to wait for nothing.
    """
    first = item.prefixes.get(prefix)
    if first is not None:
        await first.wait()
    if first is not None or not prefix:
        yield
        return
    item.prefixes[prefix] = answered = asyncio.Event()
    try:
        yield
    finally:
        answered.set()
