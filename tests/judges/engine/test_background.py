"""The background loop: started when it is needed, and started anew after its end."""

import asyncio
import threading

import pytest

from thresher.judges.engine.background import BackgroundLoop


async def where():
    thread = threading.current_thread()
    return asyncio.get_running_loop(), thread.name, thread.daemon


async def thread_of_the_loop():
    return threading.current_thread()


def test_it_runs_in_a_daemon_thread_from_the_first_work_on():
    background = BackgroundLoop()
    assert background.runs is False
    background.stop()
    loop, *thread = background.submit(where()).result(5)
    assert (thread, background.runs) == (["thresher-judges", True], True)
    assert background.submit(where()).result(5)[0] is loop
    ending = background.submit(thread_of_the_loop()).result(5)
    background.stop()
    assert background.runs is False
    ending.join(5)
    assert loop.is_closed()
    other = background.submit(where()).result(5)[0]
    assert other is not loop
    background.stop()


def test_what_is_left_is_cancelled_and_the_loop_closed():
    background, events = BackgroundLoop(), []
    began = threading.Event()

    async def waits():
        try:
            began.set()
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            for _ in range(5):
                await asyncio.sleep(0)
            events.append("cancelled")
            raise ValueError("raised while it ends") from None

    async def generates():
        try:
            yield 1
        finally:
            events.append("generator closed")

    async def begins():
        generator = generates()
        background.left = generator
        return await anext(generator)

    assert background.submit(begins()).result(5) == 1
    task = background.submit(waits())
    began.wait(5)
    loop, *_ = background.submit(where()).result(5)
    thread = background.submit(thread_of_the_loop()).result(5)
    background.stop()
    thread.join(5)
    assert (thread.is_alive(), loop.is_closed(), sorted(events)) == (
        False,
        True,
        ["cancelled", "generator closed"],
    )
    with pytest.raises(ValueError, match="while it ends"):
        task.result(5)
