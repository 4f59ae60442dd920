"""Budget of a gate: what is granted, what is free again, and what a new gate learns from its callers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.judges.engine.gate import Gate, GateLimits, LeaseRequest, Money, Usage


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Worker:
    """A caller that spends all it is allowed to spend, and carries its totals."""

    def __init__(self, name, gate):
        self.name, self.gate = name, gate
        self.epoch, self.ledger = "", {}
        self.spent, self.allowed = Money(), Money()

    def call(self, need=None):
        request = LeaseRequest(self.name, self.epoch, need=need, usage=Usage(self.spent, self.allowed))
        lease = self.gate.lease(request)
        if not lease.known:
            fields = vars(request) | {"ledger": self.ledger}
            lease = self.gate.lease(LeaseRequest(**fields))
        self.epoch = lease.epoch
        self.ledger = self.ledger if lease.ledger is None else dict(lease.ledger)
        self.allowed += lease.allowance
        return lease

    def spend(self):
        self.spent = self.allowed


@pytest.fixture
def clock():
    return Clock()


@given(st.integers(0, 500), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=200))
def test_no_more_is_allowed_than_the_budget_and_all_of_it_can_be_used(budget, calls):
    gate = Gate(GateLimits(max_calls=budget), Clock())
    workers = [Worker(str(number), gate) for number in range(4)]
    for worker, need in calls:
        workers[worker].call(Money(need))
        assert sum(one.allowed.calls for one in workers) <= budget
        assert all(one.allowed.calls == int(one.allowed.calls) for one in workers)
        workers[worker].spend()
        workers[worker].call()
    while not workers[0].call(Money(1)).spent:
        workers[0].spend()
    assert sum(one.allowed.calls for one in workers) == budget


def test_money_is_granted_as_requests_are(clock):
    gate = Gate(GateLimits(max_cost=1.0), clock)
    worker = Worker("a", gate)
    while not worker.call(Money(0, 0.013)).spent:
        worker.spend()
    assert 1.0 - 0.013 <= worker.allowed.cost <= 1.0


def test_a_need_waits_for_what_others_may_give_back(clock):
    gate = Gate(GateLimits(max_calls=10), clock)
    first, second = Worker("a", gate), Worker("b", gate)
    first.call(Money(8))
    lease = second.call(Money(9))
    assert (lease.allowance, lease.spent) == (Money(), False)
    assert not lease.short
    assert first.call().short, "another worker waits for what it has left"
    first.spent, first.allowed = Money(1), Money(1)
    first.call()
    assert second.call(Money(9)).allowance == Money(9)
    assert not first.call().short
    second.spend()
    second.call()
    assert first.call(Money(1)).spent


def test_what_a_dead_worker_has_left_is_free_after_a_minute(clock):
    gate = Gate(GateLimits(max_calls=10), clock)
    dead, other = Worker("a", gate), Worker("b", gate)
    dead.call(Money(6))
    dead.spent = Money(2)
    dead.call()
    for now, granted in ((59.0, 0), (60.0, 8)):
        clock.now = now
        lease = other.call(Money(8))
        assert (lease.allowance.calls, lease.spent) == (granted, False)


def test_a_new_gate_learns_from_its_callers_what_was_spent_also_by_the_dead(clock):
    limits = GateLimits(max_calls=100)
    first = Gate(limits, clock)
    workers = [Worker(name, first) for name in "abc"]
    for worker in workers:
        while worker.allowed.calls < 20:
            worker.call(Money(1))
        worker.spend()
        worker.call()
    clock.now = 6.0
    alive = workers[:2]
    for worker in alive:
        worker.call()
        worker.gate = Gate(limits, clock) if worker is alive[0] else alive[0].gate
    assert alive[0].call(Money(1)).allowance == Money(), "others have not reported yet"
    assert alive[1].call(Money(1)).allowance == Money(), "the dead one never reports"
    clock.now = 11.0
    while not alive[0].call(Money(1)).spent:
        alive[0].spend()
    assert sum(worker.allowed.calls for worker in workers) == 100
    assert alive[0].gate.usage()["c"].spent == workers[2].spent


def test_a_new_gate_grants_at_once_when_all_have_reported(clock):
    limits = GateLimits(max_calls=100)
    workers = [Worker(name, Gate(limits, clock)) for name in "a"]
    workers[0].call(Money(1))
    clock.now = 6.0
    workers[0].call()
    workers[0].gate = Gate(limits, clock)
    assert workers[0].call(Money(1)).allowance.calls >= 1


def test_the_concurrency_is_divided_among_the_workers_that_report(clock):
    gate = Gate(GateLimits(max_concurrency=16), clock)
    workers = [Worker(str(number), gate) for number in range(20)]
    assert workers[0].call().concurrency == 16
    assert workers[1].call().concurrency == 8
    assert [worker.call().concurrency for worker in workers][-1] == 1
    clock.now = 10.0
    assert workers[2].call().concurrency == 16, "the others have not reported for ten seconds"
