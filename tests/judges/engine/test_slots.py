import asyncio

from thresher.judges.engine.endpoint_limits import Slots


async def held(slots, seconds, order, name):
    slot = await slots.acquire()
    order.append(name)
    await asyncio.sleep(seconds)
    slot.release()


def test_never_more_than_the_limit_and_first_come_first_served():
    async def run():
        slots, order, most = Slots(3), [], 0
        tasks = [asyncio.create_task(held(slots, 0.001, order, name)) for name in range(20)]
        while not all(task.done() for task in tasks):
            most = max(most, slots.busy)
            await asyncio.sleep(0)
        return order, most, slots.busy

    assert asyncio.run(run()) == (list(range(20)), 3, 0)


def test_a_slot_is_given_back_once():
    async def run():
        slots = Slots(1)
        slot = await slots.acquire()
        slot.release()
        slot.release()
        return slots.busy

    assert asyncio.run(run()) == 0


def test_those_who_give_up_waiting_take_no_slot_with_them():
    async def run():
        slots = Slots(1)
        slot = await slots.acquire()
        waiting = [asyncio.create_task(slots.acquire()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        slot.release()
        waiting[1].cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        (await waiting[2]).release()
        (await waiting[3]).release()
        return slots.busy, [task.cancelled() for task in waiting]

    assert asyncio.run(run()) == (0, [True, True, False, False])


def test_a_slot_handed_over_in_the_moment_of_a_cancellation_goes_to_the_next():
    async def run():
        slots = Slots(1)
        slot = await slots.acquire()
        waiting = [asyncio.create_task(slots.acquire()) for _ in range(2)]
        await asyncio.sleep(0)
        slot.release()
        waiting[0].cancel()
        (await asyncio.wait_for(waiting[1], 1)).release()
        return slots.busy, waiting[0].cancelled()

    assert asyncio.run(run()) == (0, True)


def test_the_limit_may_grow_and_shrink_under_way():
    async def run():
        slots = Slots(1)
        first = await slots.acquire()
        waiting = [asyncio.create_task(slots.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        slots.resize(3)
        await asyncio.sleep(0)
        grown = slots.busy
        slots.resize(1)
        for task in waiting[:2]:
            (await task).release()
        await asyncio.sleep(0)
        shrunk = slots.busy, waiting[2].done()
        first.release()
        (await waiting[2]).release()
        return grown, shrunk, slots.busy

    assert asyncio.run(run()) == (3, (1, False), 0)


def test_the_lowest_order_goes_first_and_equal_orders_in_order_of_arrival():
    async def run():
        slots, order = Slots(1), []
        first = await slots.acquire()

        async def waits(number, name):
            slot = await slots.acquire(number)
            order.append(name)
            slot.release()

        given = [(3, "d"), (1, "b"), (3, "e"), (0, "a"), (2, "c")]
        tasks = [asyncio.create_task(waits(*entry)) for entry in given]
        await asyncio.sleep(0)
        first.release()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["a", "b", "c", "d", "e"]
