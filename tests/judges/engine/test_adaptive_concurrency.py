"""Concurrency that follows a provider's refusals, in steps and against a server with a limited rate."""

import pytest

from judges.asked import flows
from thresher.judges import Limits, asking, drive
from thresher.judges.engine.adaptive_concurrency import AdaptiveConcurrency


def test_refusals_of_one_moment_decrease_the_concurrency_once():
    slots = AdaptiveConcurrency(16)
    slots.refuse(sent=1.0, now=2.0, in_flight=16)
    assert slots.limit == 8
    slots.refuse(sent=1.5, now=2.1, in_flight=15)
    assert slots.limit == 8, "this request was sent before the decrease"
    slots.refuse(sent=2.1, now=2.2, in_flight=8)
    assert slots.limit == 4


def test_a_decrease_starts_from_the_calls_in_flight():
    slots = AdaptiveConcurrency(100)
    slots.refuse(sent=1.0, now=2.0, in_flight=10)
    assert slots.limit == 5


def test_one_call_is_always_allowed_and_answers_restore_the_maximum():
    slots = AdaptiveConcurrency(3)
    for moment in range(1, 9):
        slots.refuse(sent=moment, now=moment, in_flight=slots.limit)
    assert slots.limit == 1
    limits = []
    for _ in range(40):
        slots.accept()
        limits.append(slots.limit)
    assert limits[:4] == [1, 1, 1, 1]
    assert limits == sorted(limits)
    assert limits[-1] == 3


def test_a_new_maximum_applies_at_once_and_keeps_a_decrease():
    slots = AdaptiveConcurrency(4)
    slots.resize(8)
    assert slots.limit == 8
    slots.refuse(sent=1.0, now=1.0, in_flight=8)
    slots.resize(16)
    assert (slots.limit, slots.most) == (4, 16)
    slots.resize(2)
    assert slots.limit == 2


def drive_limited(server, judge):
    """Refused requests and outcomes at a server that admits 100 requests a second."""
    server.reset(base_ms=10, per_second=100, retry_after=0.1)
    with asking(limits=Limits(max_concurrency=32, max_tries=100), cache=False):
        outcomes = drive(flows(120), judge())
    return server.faults["rate"], outcomes


@pytest.mark.slow
def test_fewer_requests_are_refused_and_the_answers_are_the_same(server, judge, monkeypatch):
    refused, outcomes = drive_limited(server, judge)
    monkeypatch.setattr(AdaptiveConcurrency, "refuse", lambda *_: None)
    refused_before, outcomes_before = drive_limited(server, judge)
    assert refused < 0.6 * refused_before
    assert [outcome.value for outcome in outcomes] == [outcome.value for outcome in outcomes_before]
    assert all(outcome.value is not None for outcome in outcomes)
