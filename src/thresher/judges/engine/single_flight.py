"""Single flight: equal asks in flight are sent once."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Tasks in progress by key; callers with the same key share one task and its result.

    A task runs as long as one caller waits for it, whoever started it; cancelling the last caller cancels it.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}
        self._process = os.getpid()

    async def join(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
        """Return the result for a key, and whether its task was already in progress."""
        if self._process != os.getpid():  # tasks of a forked process's parent do not run in the child
            self._process, self._tasks, self._waiting = os.getpid(), {}, {}
        task = self._tasks.get(key)
        joined = task is not None
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
        self._waiting[key] = self._waiting.get(key, 0) + 1
        try:
            return await asyncio.shield(task), joined
        finally:
            self._leave(key, task)

    def _leave(self, key: str, task: "asyncio.Task[T]") -> None:
        self._waiting[key] -= 1
        if not self._waiting[key]:
            del self._waiting[key]
            if not task.done():
                self._tasks.pop(key, None)
                task.cancel()
