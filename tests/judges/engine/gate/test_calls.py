"""A gate that is called through the messages of another engine."""

import time

import pytest

from thresher.judges.engine.gate import Gate, GateCalls, GateLimits, GateLostError, LeaseRequest, Money


class UnavailableError(Exception):
    """What an engine raises while it restarts an actor."""


def failing(gate, times, error=UnavailableError):
    """Calls the gate, but raises the first times."""
    calls = []

    def call(request):
        calls.append(request)
        if len(calls) <= times:
            raise error
        return gate.lease(request)

    return call, calls


@pytest.fixture
def pauses(monkeypatch):
    """The pauses between two calls, which take no time."""
    pauses, now = [], [0.0]

    def sleep(seconds):
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return pauses


def test_the_answer_is_that_of_the_gate_also_if_it_is_started_again_meanwhile(pauses):
    gate = Gate(GateLimits(max_calls=5))
    call, calls = failing(gate, 3)
    lease = GateCalls(call, (UnavailableError,)).lease(LeaseRequest("a", need=Money(2)))
    assert 2 <= lease.allowance.calls <= 5
    assert calls == [LeaseRequest("a", need=Money(2))] * 4
    assert len(pauses) == 3
    assert gate.usage().keys() == {"a"}


def test_a_gate_that_does_not_return_within_the_patience_is_lost(pauses):
    call, calls = failing(None, 1000)
    with pytest.raises(GateLostError, match="cannot be reached") as lost:
        GateCalls(call, (UnavailableError,), patience=2.0).lease(LeaseRequest("a"))
    assert isinstance(lost.value.__cause__, UnavailableError)
    assert 2.0 <= sum(pauses) <= 2.3
    assert len(calls) == len(pauses) + 1


def test_other_errors_are_raised_at_once(pauses):
    call, calls = failing(None, 1, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        GateCalls(call, (UnavailableError,)).lease(LeaseRequest("a"))
    assert (len(calls), pauses) == (1, [])
