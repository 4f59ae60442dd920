"""Calling what blocks, in a thread of its own."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any


def as_error(error: BaseException) -> Exception:
    """What may be raised on the event loop: an exit or an interrupt there would end it for everybody."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(f"the generator raised {error!r}")


async def in_thread(run: Callable[[], Any], ended: Callable[[], None]) -> Any:
    """Call in a thread of its own, which does not keep the process alive.

    Args:
        run: what to call.
        ended: called when the thread has ended, in the same step of the loop in which its result or error is
            known here: whoever takes the thread's place must see what became of it.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if result.done():  # nobody waits for it any more
            ended()
        elif error is None:
            result.set_result(value)
        else:
            result.set_exception(error)

    def work() -> None:
        try:
            told: tuple[Any, BaseException | None] = (run(), None)
        except BaseException as error:  # noqa: BLE001  (it is raised where it is awaited)
            told = (None, as_error(error))
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, *told)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="thresher-ask", daemon=True).start()
    try:
        return await result
    finally:
        if not result.cancelled():  # else the thread is still at work, and `settle` says when it ends
            ended()
