"""Calling what blocks: in a thread that may be abandoned, and whose end is always noticed."""

import asyncio
import contextvars
import threading

import pytest

from thresher.judges.engine.background import as_error, run_in_thread

NAME = contextvars.ContextVar("name", default="none")


def called(run):
    """What a call returned, and how often its end was reported by then."""
    ends = []

    async def call():
        result = await run_in_thread(run, lambda: ends.append(1))
        return result, len(ends)

    try:
        return asyncio.run(asyncio.wait_for(call(), 5))
    finally:
        assert len(ends) == 1


def test_a_call_runs_in_a_daemon_thread_with_the_context_of_its_caller():
    def run():
        thread = threading.current_thread()
        return thread.daemon, thread.name, NAME.get()

    token = NAME.set("caller")
    try:
        assert called(run) == ((True, "thresher-ask", "caller"), 1)
    finally:
        NAME.reset(token)


def test_what_a_call_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        called(lambda: 1 / 0)


def exits():
    raise SystemExit(3)


def test_a_call_that_exits_only_fails():
    with pytest.raises(RuntimeError) as error:
        called(exits)
    assert str(error.value) == "the generator raised SystemExit(3)"


def test_an_error_that_would_end_the_loop_becomes_one_that_does_not():
    plain = ValueError("no")
    assert as_error(plain) is plain
    for error in (StopIteration(), KeyboardInterrupt()):
        assert repr(as_error(error)) == repr(RuntimeError(f"the generator raised {error!r}"))


def test_the_end_of_an_abandoned_call_is_reported_when_it_ends():
    go, ends = threading.Event(), []

    async def run():
        task = asyncio.create_task(run_in_thread(lambda: go.wait(5), lambda: ends.append(1)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        before = len(ends)
        go.set()
        for _ in range(500):
            if ends:
                break
            await asyncio.sleep(0.01)
        return before, len(ends)

    assert asyncio.run(run()) == (0, 1)


def test_a_call_that_outlives_its_loop_ends_in_silence(monkeypatch):
    go, raised = threading.Event(), []
    monkeypatch.setattr(threading, "excepthook", raised.append)

    async def run():
        task = asyncio.create_task(run_in_thread(lambda: go.wait(5), lambda: None))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(run())
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "thresher-ask"]
    go.set()
    thread.join(5)
    assert (thread.is_alive(), raised) == (False, [])
