"""Flows on their way: in order, inside a running loop and outside, and never too many at once."""

import asyncio
import contextvars
import threading
import time

import pytest

from judges.asked import EXPECTED, flow, flows, values
from thresher.errors import InputError
from thresher.judges import Limits, Prices, asking, configure, drive, drive_async, estimating


def test_every_flow_has_its_outcome_in_order(server, judge):
    assert values(drive(flows(40), judge())) == EXPECTED
    assert server.calls == 40


def test_it_works_inside_a_running_loop_and_outside_twice_in_a_row(server, judge):
    one = judge()

    async def notebook():
        blocking = drive(flows(3), one)
        return values(blocking), values(await drive_async(flows(3), one))

    for sample in range(2):
        configure()
        assert values(drive(flows(3), one)) == EXPECTED[:3], sample
        assert asyncio.run(notebook()) == (EXPECTED[:3], EXPECTED[:3])


def test_waiting_asynchronously_does_not_block_the_loop(server, judge):
    server.reset(base_ms=200)

    async def run():
        task = asyncio.create_task(drive_async(flows(1), judge()))
        turns = 0
        while not task.done():
            await asyncio.sleep(0.01)
            turns += 1
        return turns

    assert asyncio.run(run()) > 5


def test_no_more_calls_are_in_flight_than_allowed_however_many_ask(server, judge):
    server.reset(base_ms=100)
    with asking(limits=Limits(max_concurrency=4)):
        threads = [
            threading.Thread(target=_drive_in(flow_list, judge())) for flow_list in (flows(12), flows(24))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.max_in_flight == 4
    assert server.calls == 24  # the twelve of the one are among those of the other


def _drive_in(flow_list, one):
    context = contextvars.copy_context()
    return lambda: context.run(drive, flow_list, one)


def test_rates_are_kept(server, judge):
    start = time.perf_counter()
    with asking(limits=Limits(requests_per_minute=600)):
        drive(flows(66), judge())
    assert time.perf_counter() - start > 0.6
    start = time.perf_counter()
    with asking(limits=Limits(tokens_per_minute=6000), cache=False):
        drive(flows(25), judge())
    assert time.perf_counter() - start > 0.2


def test_a_listener_hears_every_answer(server, judge):
    heard = []
    with asking(listener=lambda ask, answer: heard.append((ask.prompt, answer.cached))):
        drive([flow()], judge())
        drive([flow()], judge())
    assert heard == [("own/claims", False), ("own/claims", True)]


def test_errors_of_flows_are_not_swallowed(server, judge):
    def broken():
        yield from flow()
        raise KeyError("a mistake of the metric's")

    with pytest.raises(KeyError):
        drive([broken(), *flows(5)], judge())


def test_an_estimate_asks_nobody_and_counts_equal_asks_once(server, judge):
    with estimating() as estimate:
        drive([flow(), flow(), *flows(3)], judge())
        drive([flow()], judge())
    assert (server.calls, estimate.calls, estimate.models, estimate.prompts) == (
        0, 4, {"mock": 4}, {"own/claims": 4},
    )  # fmt: skip
    assert estimate.cost(Prices.parse("in=1000000,out=0")) == estimate.prompt_tokens
    with pytest.raises(InputError, match="no price for 'mock'"):
        estimate.cost(Prices())
