"""Interrupted, or over: nothing goes on that nobody waits for."""

import asyncio
import time

import pytest

from judges.asked import EXPECTED, flows, values
from thresher.judges import asking, drive, drive_async
from thresher.judges.engine.engine import engine
from thresher.judges.session import current_session


def test_interrupting_cancels_what_is_in_flight(server, judge):
    server.reset(base_ms=5000)

    async def run():
        task = asyncio.create_task(drive_async(flows(4), judge()))
        await asyncio.to_thread(_until, lambda: server.in_flight == 4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(_until, lambda: server.in_flight == 0)

    asyncio.run(run())
    assert server.gone == 4


def _until(true):
    for _ in range(300):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def test_what_a_run_leaves_under_way_ends_with_its_session(server, judge, tmp_path):
    server.reset(base_ms=300)
    with asking(cache=tmp_path / "answers.sqlite"):
        session = current_session()
        engine().submit(flows(40), judge(), session)
        _until(lambda: server.in_flight > 0)
    assert not session.walks
    _until(lambda: server.in_flight == 0)
    calls = server.calls
    assert calls < 40
    assert values(drive(flows(1), judge())) == EXPECTED[:1]
    assert server.calls == calls + 1, "nothing but the new run's call has come"
