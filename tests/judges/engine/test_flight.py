import asyncio

import pytest

from thresher.judges.engine.flight import Flight


def test_equal_work_is_done_once():
    async def run():
        flight, done = Flight(), []

        async def work():
            done.append(1)
            await asyncio.sleep(0.01)
            return "result"

        told = await asyncio.gather(*(flight.join("key", work) for _ in range(5)), flight.join("other", work))
        return told, len(done)

    told, done = asyncio.run(run())
    assert told == [("result", False), *[("result", True)] * 4, ("result", False)]
    assert done == 2


def test_work_goes_on_while_anyone_waits_and_ends_with_the_last():
    async def run():
        flight, ends = Flight(), []

        async def work():
            try:
                await asyncio.sleep(0.02)
                ends.append("done")
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise

        starter, joiner = (asyncio.create_task(flight.join("a", work)) for _ in range(2))
        await asyncio.sleep(0)
        starter.cancel()
        await joiner
        alone = asyncio.create_task(flight.join("b", work))
        await asyncio.sleep(0.001)
        alone.cancel()
        await asyncio.sleep(0.001)
        return ends

    assert asyncio.run(run()) == ["done", "cancelled"]


def test_a_failure_reaches_all_and_is_not_kept():
    async def run():
        flight = Flight()

        async def fails():
            await asyncio.sleep(0)
            raise ValueError("no")

        async def works():
            return 1

        told = await asyncio.gather(*(flight.join("a", fails) for _ in range(2)), return_exceptions=True)
        return [type(error) for error in told], await flight.join("a", works)

    assert asyncio.run(run()) == ([ValueError, ValueError], (1, False))


def test_the_result_is_the_work_s():
    async def none():
        return None

    assert asyncio.run(Flight().join("a", none)) == (None, False)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Flight().join("a", divide))


async def divide():
    return 1 / 0
