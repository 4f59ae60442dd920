"""Rates of a gate: never above the limit in any sixty seconds, and at least .85 of it used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.engine.gate.simulation import Simulation
from thresher.judges.engine.gate import Gate, GateLimits, LeaseRequest
from thresher.judges.engine.gate.bucket import LIFE, LeaseBucket

MINUTES = 60.0


class Clock:
    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


def most(sent):
    """The most asks in any sixty seconds; `sent` are (moment, asks)."""
    return max(sum(asks for other, asks in sent if moment <= other < moment + 60) for moment, _ in sent)


calls = st.tuples(st.integers(0, 3), st.integers(1, 50), st.floats(0, 20), st.floats(0, 1))


@given(st.floats(5, 3000), st.lists(calls, min_size=1, max_size=60))
def test_no_minute_holds_more_however_late_leases_are_used(limit, calls):
    clock = Clock(500.0)
    gate, sent = Gate(GateLimits(16, limit), clock), []
    for worker, asks, gap, late in calls:
        clock.now += gap
        lease = gate.lease(LeaseRequest(str(worker), "", "endpoint", asks))
        assert 1 <= lease.asks <= min(asks, 50)
        sent.append((clock.now + lease.wait + late * lease.life, lease.asks))
    assert most(sent) <= limit + 1e-6


@given(st.lists(st.tuples(st.floats(1, 500), st.floats(0, 30)), min_size=1, max_size=60))
def test_no_minute_holds_more_tokens_than_the_limit(calls):
    clock = Clock(500.0)
    gate, sent = Gate(GateLimits(16, None, 5000.0), clock), []
    for tokens, gap in calls:
        clock.now += gap
        lease = gate.lease(LeaseRequest("a", "", "endpoint", 4, 4 * tokens))
        assert lease.tokens == pytest.approx(lease.asks * tokens)
        sent.append((clock.now + lease.wait + LIFE, lease.tokens))
    assert most(sent) <= 5000 + 1e-6


@given(st.floats(1, 10_000), st.floats(0, 1e6), st.lists(st.floats(0.01, 90), max_size=20))
def test_a_bucket_is_never_fuller_than_its_capacity_and_empty_at_first(limit, now, gaps):
    bucket = LeaseBucket(limit, now)
    assert bucket.ready(0.1, now) > now + 2, "workers may use what the gate before granted"
    now += 2.5
    for gap in gaps:
        now += gap
        bucket.give_back(limit)
        start = bucket.ready(bucket.capacity, now)
        assert start == pytest.approx(now), "returned asks may be used again at once"
        bucket.take(bucket.capacity, start)
        assert bucket.ready(bucket.capacity, now) > now


@pytest.mark.parametrize(
    ("workers", "limit", "latency"),
    [(1, 600, 1.0), (3, 600, 1.0), (3, 60, 1.0), (16, 600, 3.0), (16, 10, 1.0), (4, 3000, 0.5)],
)
def test_workers_use_the_limit_and_never_more(workers, limit, latency):
    run = Simulation(GateLimits(16, limit), workers, 16, latency).run(8 * MINUTES)
    assert run.most() <= limit
    assert run.used(2 * MINUTES, 8 * MINUTES) >= 0.85 * limit


def test_workers_use_the_tokens_and_never_more():
    run = Simulation(GateLimits(16, None, 60_000), 3).run(8 * MINUTES)
    assert run.most(run.tokens) <= 60_000
    assert run.used(2 * MINUTES, 8 * MINUTES, run.tokens) >= 0.85 * 60_000


def test_both_rates_hold_where_both_are_limited():
    run = Simulation(GateLimits(16, 320, 60_000), 3).run(8 * MINUTES)
    assert run.most() <= 320
    assert run.most(run.tokens) <= 60_000
    assert run.used(2 * MINUTES, 8 * MINUTES) >= 0.8 * 320


def test_a_killed_gate_lets_no_minute_exceed_the_limit():
    kills = [(second, lambda run: run.keeper.kill()) for second in (61, 90, 95, 200, 203)]
    run = Simulation(GateLimits(16, 600), 4).run(8 * MINUTES, kills)
    assert run.most() <= 600
    assert run.used(4 * MINUTES, 8 * MINUTES) >= 0.85 * 600


def test_the_part_of_a_killed_worker_goes_to_the_others():
    kills = [(100, lambda run: run.tasks[0].cancel()), (130, lambda run: run.tasks[1].cancel())]
    run = Simulation(GateLimits(16, 600), 3, 64).run(8 * MINUTES, kills)
    assert run.most() <= 600
    assert run.used(3 * MINUTES, 8 * MINUTES) >= 0.85 * 600


def test_leases_are_large_where_many_asks_are_sent_and_small_where_few_are():
    fast = Simulation(GateLimits(16, None), 1, 16, 0.1).run(MINUTES)
    assert fast.leases <= len(fast.sent) / 25, "an ask costs a small part of a lease"
    slow = Simulation(GateLimits(16, None), 1, 1, 2.0).run(MINUTES)
    assert slow.members[0]._lanes.popitem()[1]._returned_asks <= 2 * slow.leases


def test_without_limits_nothing_waits():
    lease = Gate(GateLimits(), Clock()).lease(LeaseRequest("a", "", "endpoint", 500, 1e9))
    assert (lease.asks, lease.wait) == (50, 0.0)
