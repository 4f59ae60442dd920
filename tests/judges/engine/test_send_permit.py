"""A request's turn: taken once, given back once, and measured from its beginning."""

import asyncio
from types import SimpleNamespace

import pytest

from thresher.judges.engine import endpoint_limits as module
from thresher.judges.engine.endpoint_limits import SendPermit


class Slot:
    released = 0

    def release(self):
        self.released += 1


def test_a_turn_is_taken_once_and_may_be_given_back_before():
    slot, begun = Slot(), []

    async def begin():
        begun.append(1)
        return slot

    async def run():
        permit = SendPermit(begin)
        permit.release()
        await permit.acquire()
        await permit.acquire()
        permit.release()
        return permit.refusal

    assert asyncio.run(run()) is None
    assert (begun, slot.released) == ([1], 1)


def test_where_nobody_has_to_wait_a_turn_is_free():
    permit = SendPermit()
    asyncio.run(permit.acquire())
    permit.release()
    assert permit.refusal is None


def test_its_time_runs_from_the_moment_in_which_it_was_taken(monkeypatch):
    now = [10.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    async def begin():
        now[0] = 13.0
        return Slot()

    permit = SendPermit(begin)
    now[0] = 12.0
    assert permit.elapsed() == 2.0
    asyncio.run(permit.acquire())
    now[0] = 13.5
    assert permit.elapsed() == 0.5


def test_what_refused_the_turn_is_remembered():
    error = asyncio.CancelledError()

    async def begin():
        raise error

    permit = SendPermit(begin)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(permit.acquire())
    assert permit.refusal is error
