"""Background execution: one event loop for the process, and daemon threads for blocking calls."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """Event loop in a daemon thread, started on first use.

    Asynchronous clients are bound to the loop that first uses them. With all of them on this loop, they work
    from any thread, inside a running loop and in notebooks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def runs(self) -> bool:
        """Whether the thread has been started."""
        return self._loop is not None

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine on the loop from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def stop(self) -> None:
        """End the thread; a later `submit` starts a new one."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop,), name="thresher-judges", daemon=True).start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def as_error(error: BaseException) -> Exception:
    """Return an error that is safe on the event loop, which an exit or interrupt would end."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(f"the generator raised {error!r}")


async def run_in_thread(call: Callable[[], Any], ended: Callable[[], None]) -> Any:
    """Run a blocking call in a separate daemon thread, which does not keep the process alive.

    Args:
        call: the blocking call.
        ended: called when the thread has ended, in the loop step in which its result or error is known, so
            that the thread's slot is not reused before its outcome has been handled.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if result.done():  # cancelled: the caller stopped waiting
            ended()
        elif error is None:
            result.set_result(value)
        else:
            result.set_exception(error)

    def work() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (call(), None)
        except BaseException as error:  # noqa: BLE001  (raised where the result is awaited)
            outcome = (None, as_error(error))
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, *outcome)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="thresher-ask", daemon=True).start()
    try:
        return await result
    finally:
        if not result.cancelled():  # if cancelled, the thread still runs, and `settle` reports its end
            ended()
