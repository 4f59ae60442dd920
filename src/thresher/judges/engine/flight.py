"""Single flight: equal asks in flight are asked once."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flight(Generic[T]):
    """Work under way, by key. Whoever asks for a key that is under way waits for the same result.

    The work goes on while anyone waits for it, whoever started it; when the last one is cancelled, it is.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}
        self._process = os.getpid()

    async def join(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
        """The result for a key, and whether it was already under way."""
        if self._process != os.getpid():  # what was under way in the parent of a fork ends there alone
            self._process, self._tasks, self._waiting = os.getpid(), {}, {}
        task = self._tasks.get(key)
        joined = task is not None
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
        self._waiting[key] = self._waiting.get(key, 0) + 1
        try:
            return await _shielded(task), joined
        finally:
            self._leave(key, task)

    def _leave(self, key: str, task: "asyncio.Task[T]") -> None:
        self._waiting[key] -= 1
        if not self._waiting[key]:
            del self._waiting[key]
            if not task.done():
                self._tasks.pop(key, None)
                task.cancel()


def _shielded(task: "asyncio.Task[T]") -> Awaitable[T]:
    return asyncio.shield(task)
