import asyncio
import os

import pytest

from thresher.judges.engine.single_flight import SingleFlight


def test_equal_work_is_done_once():
    async def run():
        flight, done = SingleFlight(), []

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
        flight, ends = SingleFlight(), []

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
        return list(ends)  # asyncio.run cancels what is left

    assert asyncio.run(run()) == ["done", "cancelled"]


def test_work_that_was_cancelled_is_begun_anew_at_once_and_leaves_no_error():
    async def run():
        flight, errors, calls = SingleFlight(), [], []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))

        async def work():
            calls.append(1)
            await asyncio.sleep(0.001)
            return len(calls)

        first = asyncio.create_task(flight.join("a", work))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        again = asyncio.create_task(flight.join("a", work))
        with pytest.raises(asyncio.CancelledError):
            await first
        result = await again
        await asyncio.sleep(0)
        return result, errors, (flight._tasks, flight._waiting)

    assert asyncio.run(run()) == ((2, False), [], ({}, {}))


def test_a_forked_process_does_the_work_of_its_parent_itself():
    async def run():
        flight = SingleFlight()

        async def work():
            await asyncio.sleep(0)
            return 1

        never = asyncio.get_running_loop().create_future()
        flight._process, flight._tasks, flight._waiting = -1, {"a": never}, {"a": 1}
        result = await asyncio.wait_for(flight.join("a", work), 1)
        return result, flight._process

    assert asyncio.run(run()) == ((1, False), os.getpid())


def test_a_failure_reaches_all_and_is_not_kept():
    async def run():
        flight = SingleFlight()

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

    assert asyncio.run(SingleFlight().join("a", none)) == (None, False)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(SingleFlight().join("a", divide))


async def divide():
    return 1 / 0
