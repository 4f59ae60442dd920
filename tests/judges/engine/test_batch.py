"""Batches: which flows judge the same item, in which order, and how long metrics wait for each other."""

import asyncio

import pytest

from thresher.judges.engine import batch as module
from thresher.judges.engine.batch import Batch, BatchItem, current_batch, judged_together


def test_metrics_of_a_batch_share_their_items():
    async def run():
        batch = Batch(2)
        first = asyncio.create_task(batch.join([0, 2], 5))
        await asyncio.sleep(0)
        waits = not first.done()
        second = await asyncio.wait_for(batch.join([2, 3], 9), 1)
        return batch, waits, await asyncio.wait_for(first, 1), second

    batch, waits, first, second = asyncio.run(run())
    assert waits, "for the second metric"
    assert [item.order for item in first + second] == [5, 7, 7, 8], "the first metric sets the first order"
    assert first[1] is second[0]
    assert [(item.flows, item.metrics) for item in first + second] == [(1, 1), (2, 2), (2, 2), (1, 1)]
    assert all(item.batch is batch for item in first + second)


def test_what_is_new_has_used_nothing():
    batch = Batch()
    assert (batch.refused, batch.under_way) == (False, False)
    assert vars(BatchItem(batch, 3)) == {
        "batch": batch, "order": 3, "flows": 0, "metrics": 0, "calls": 0, "cost": 0.0, "guess": 0.0,
        "begun": False, "prefixes": {},
    }  # fmt: skip


@pytest.mark.parametrize("metrics", [0, 1])
def test_a_metric_alone_waits_for_none(metrics):
    items = asyncio.run(asyncio.wait_for(Batch(metrics).join([0], 0), 1))
    assert [item.order for item in items] == [0]


def test_of_three_metrics_the_second_waits_too():
    async def run():
        batch = Batch(3)
        tasks = []
        for _ in range(3):
            tasks.append(asyncio.create_task(batch.join([0], 0)))
            for _ in range(3):
                await asyncio.sleep(0)
            tasks.append(tasks[0].done())
        return tasks[1::2]

    assert asyncio.run(run()) == [False, False, True]


def test_a_metric_that_never_comes_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.01)

    async def run():
        batch = Batch(3)
        first = await asyncio.wait_for(batch.join([0], 0), 1)
        monkeypatch.setattr(module, "_PATIENCE", 60.0)
        return first == await asyncio.wait_for(batch.join([0], 0), 1)

    assert asyncio.run(run()), "and after that, the others are not held up either"


def test_a_block_has_one_batch_for_its_metrics():
    assert current_batch() is None
    with judged_together(2):
        outer = current_batch()
        assert current_batch() is outer
        assert outer._missing == 2
        with judged_together(1):
            assert current_batch() is not outer
        assert current_batch() is outer
    assert current_batch() is None
