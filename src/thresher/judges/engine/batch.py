"""Batches: the items of one pipeline run, in the order in which all its metrics judge them.

A budget or a server may end in the middle of a run. If each metric asked on its own, one would have scored
sixty items by then and another twelve, and not the same ones. So every request carries the order of its item,
and a free slot goes to the lowest order: all metrics of an item are asked before the next item.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar

_PATIENCE = 2.0
"""Seconds to wait for the other metrics of a pipeline; they hand over their flows within milliseconds, a few
tenths of a second for a chunk of 10,000 items. One that never does must not stop the others."""


class BatchItem:
    """One item of a batch, across all metrics that judge it.

    Attributes:
        batch: the batch.
        order: priority; lower is asked earlier.
        flows: flows that judge it and have not ended.
        metrics: flows that judge it, ended ones included.
        calls: requests sent for it.
        cost: money spent on it.
        begun: whether the budget has admitted it.
        guess: likely cost of its first request.
        prefixes: beginning of a prompt -> whether the first call with it has ended.
    """

    def __init__(self, batch: "Batch", order: int) -> None:
        self.batch = batch
        self.order = order
        self.flows = self.metrics = self.calls = 0
        self.cost = self.guess = 0.0
        self.begun = False
        self.prefixes: dict[str, asyncio.Event] = {}


class Batch:
    """Items that several metrics judge concurrently. Lives on the engine's loop.

    Args:
        metrics: how many metrics to wait for before the first request; 0 for none.

    Attributes:
        refused: whether the budget has refused an item, and so every item that has not begun.
        under_way: whether one of its items has ended, so that no other pipeline run may join it.
    """

    def __init__(self, metrics: int = 0) -> None:
        self._missing = metrics
        self._complete = asyncio.Event()
        self._items: dict[int, BatchItem] = {}
        self._first: int | None = None
        self.refused = False
        self.under_way = False

    async def join(self, places: Sequence[int], first: int) -> list[BatchItem]:
        """Add the flows of one metric, and wait until the other metrics have added theirs.

        Args:
            places: for each flow the position of its item.
            first: order of the first item, unless another metric has set it.
        """
        self._first = first if self._first is None else self._first
        items = [self._item(place, self._first) for place in places]
        for item in items:
            item.flows += 1
            item.metrics += 1
        self._missing -= 1
        if self._missing <= 0:
            self._complete.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._complete.wait()
        self._complete.set()
        return items

    def _item(self, place: int, first: int) -> BatchItem:
        if place not in self._items:
            self._items[place] = BatchItem(self, first + place)
        return self._items[place]


_current: ContextVar[Batch | None] = ContextVar("thresher_judges_batch", default=None)


def current_batch() -> Batch | None:
    """The batch of the innermost `judged_together` block; None outside."""
    return _current.get()


@contextmanager
def judged_together(metrics: int) -> Iterator[None]:
    """Make the metrics that run in this block judge their items as one batch.

    Args:
        metrics: how many of them start concurrently.
    """
    token = _current.set(Batch(metrics))
    try:
        yield
    finally:
        _current.reset(token)
