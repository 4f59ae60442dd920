"""Rates that follow a provider's refusals: simulated with a provider that admits a rate a second."""

import asyncio
import random

import pytest

from judges.asked import flows
from thresher.judges import Limits, asking, drive
from thresher.judges.engine.adaptive_rate import AdaptiveRate
from thresher.judges.session import sharded

LIMIT = 50.0  # requests a second that the provider admits
STEP = 0.02


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def simulate(workers, seconds=180, share=None, retry_after=None):
    """Share of the limit that is used, and share of the requests that are refused, after the first minute."""
    clock, level = Clock(), LIMIT
    rates = [AdaptiveRate(share, clock) for _ in range(workers)]
    starts = [clock() + rate.reserve() for rate in rates]
    good = refused = 0
    order, draw = list(range(workers)), random.Random(1)  # noqa: S311  # a simulation
    while clock.now < 100 + seconds:
        clock.now += STEP
        level = min(LIMIT, level + LIMIT * STEP)
        draw.shuffle(order)
        for worker in order:
            for _ in range(32):  # requests that the worker can send in a step
                if starts[worker] > clock.now:
                    break
                late = clock.now > 160
                if level >= 1:
                    level, good = level - 1, good + late
                else:
                    refused += late
                    rates[worker].refuse(retry_after)
                starts[worker] = clock() + rates[worker].reserve()
    return good / (LIMIT * (seconds - 60)), refused / (good + refused)


@pytest.mark.parametrize("workers", [1, 4, 8])
def test_workers_without_a_gate_use_the_limit_and_are_seldom_refused(workers):
    used, refused = simulate(workers)
    assert used >= 0.85
    assert refused <= 0.05


def test_a_share_is_used_in_full_once_nothing_is_refused():
    clock = Clock()
    rate = AdaptiveRate(10.0, clock)
    for _ in range(10):
        assert rate.reserve() == 0.0
        clock.now += 0.1
    rate.refuse(None)
    assert rate.rate == pytest.approx(7.0)
    clock.now += 3
    rate.reserve()
    assert rate.rate == pytest.approx(8.5)
    clock.now += 4
    assert (rate.reserve(), rate.rate) == (0.0, None)


def test_refusals_of_one_moment_decrease_the_rate_once():
    clock = Clock()
    rate = AdaptiveRate(None, clock)
    for _ in range(21):
        rate.reserve()
        clock.now += 0.1
    rate.refuse(None)
    first = rate.rate
    for _ in range(9):
        rate.refuse(None)
    assert rate.rate == first == pytest.approx(0.7 * 10)
    clock.now += 1.01
    rate.refuse(None)
    assert rate.rate < 0.8 * first


def test_no_request_is_sent_before_the_seconds_that_the_server_requests():
    clock = Clock()
    rate = AdaptiveRate(10.0, clock)
    rate.reserve()
    rate.refuse(30.0)
    assert rate.reserve() == pytest.approx(30.0)
    assert rate.reserve() > 30.0
    decreased = rate.rate
    clock.now += 30
    rate.reserve()
    assert rate.rate == pytest.approx(decreased), "a pause in which nothing is sent shows no free limit"


def test_waiting_requests_are_held_back_by_a_later_pause():
    async def moments():
        rate = AdaptiveRate(1.0)
        loop = asyncio.get_running_loop()
        rate.reserve()
        rate.refuse(0.05)
        waiting = asyncio.create_task(rate.acquire())
        await asyncio.sleep(0.01)
        rate.refuse(0.4)
        began = loop.time()
        await waiting
        return loop.time() - began

    assert asyncio.run(moments()) >= 0.38


def test_a_shard_slows_down_after_429_and_says_so_and_a_lone_process_does_not(server, judge):
    server.reset(faults={"http429": 0.3}, retry_after=0.01)
    with asking(limits=Limits(max_concurrency=4), cache=False) as account, sharded((1, 2)):
        drive(flows(12), judge())
    assert server.faults["http429"] == account.failures["HTTP 429"] > 0
    assert any("HTTP 429: this shard sent fewer requests" in note for note in account.notes)
    with asking(limits=Limits(max_concurrency=4), cache=False) as account:
        drive(flows(12), judge())
    assert account.failures["HTTP 429"] > 0
    assert account.notes == []
