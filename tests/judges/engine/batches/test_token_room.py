import asyncio
import math

from thresher.judges.engine.batches.token_room import TokenRoom


def test_a_batch_waits_for_room():
    async def run():
        room, order = TokenRoom(100), []
        await room.acquire(80)

        async def second():
            await room.acquire(30)
            order.append("acquired")

        task = asyncio.create_task(second())
        await asyncio.sleep(0.01)
        order.append("released")
        room.release(80)
        await task
        return order

    assert asyncio.run(run()) == ["released", "acquired"]


def test_the_first_batch_always_fits():
    assert TokenRoom(10).fits(50)


def test_a_refusal_lowers_the_limit():
    room = TokenRoom(None)
    assert room.limit == math.inf
    room.exceeded(1_000, "Limit: 500 enqueued tokens.")
    assert room.limit == 400
    room.exceeded(300, "Limit: 500 enqueued tokens.")  # others use the queue too
    assert room.limit == 150
    room.exceeded(100, "no number")
    assert room.limit == 50
    room.exceeded(60, f"Limit: {'9' * 5_000} enqueued tokens.")  # more digits than Python converts
    assert room.limit == 30


def test_a_refusal_while_another_batch_is_in_progress_says_nothing():
    room = TokenRoom(None)
    room.occupy(10)
    room.occupy(10)
    room.exceeded(10, "Limit: 5 enqueued tokens.")
    assert room.limit == math.inf
