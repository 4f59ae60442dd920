"""Lanes: the slots and rates of one model at one endpoint."""

import asyncio

import pytest

from thresher.judges import Answer, Ask, Limits, Message, Texts
from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.endpoint_limits import EndpointLimits

ASK = Ask("p", (Message("user", "What is claimed? " * 10),), Texts("t"))
EXPECTED = sum(expected_tokens(ASK))


@pytest.mark.parametrize(("slots", "ready"), [(1, 2), (3, 4), (7, 8), (8, 10), (16, 20)])
def test_a_quarter_more_requests_are_made_ready_than_may_be_sent(slots, ready):
    endpoint = EndpointLimits(Limits(max_concurrency=slots))
    assert (endpoint.slots.limit, endpoint.ready.limit, endpoint.served) == (slots, ready, 0)
    endpoint.update(Limits(max_concurrency=1))
    assert (endpoint.slots.limit, endpoint.ready.limit) == (1, 2)


@pytest.mark.parametrize(("own", "slots"), [(None, 6), (4, 4), (9, 6)])
def test_a_generator_may_take_less_than_the_limits_allow(own, slots):
    endpoint = EndpointLimits(Limits(max_concurrency=2))
    endpoint.update(Limits(max_concurrency=6), own)
    assert (endpoint.slots.limit, endpoint.ready.limit) == (slots, slots + 1)


@pytest.mark.parametrize(
    ("name", "rate"), [("requests_per_minute", "requests"), ("tokens_per_minute", "tokens")]
)
def test_a_rate_goes_on_while_it_is_the_same_and_begins_anew_when_it_changes(name, rate):
    endpoint = EndpointLimits(Limits())
    assert (endpoint.requests, endpoint.tokens) == (None, None)
    endpoint.update(Limits(**{name: 60}))
    limiter = getattr(endpoint, rate)
    endpoint.update(Limits(**{name: 60}))
    assert getattr(endpoint, rate) is limiter
    endpoint.update(Limits(**{name: 120}))
    assert getattr(endpoint, rate) not in (limiter, None)
    endpoint.update(Limits())
    assert getattr(endpoint, rate) is None
    assert getattr(EndpointLimits(Limits(**{name: 60})), rate) is not None


class FakeLimiter:
    """What was taken from a rate, and how it was settled."""

    def __init__(self):
        self.taken, self.settled = [], []

    async def acquire(self, amount):
        self.taken.append(amount)

    def settle(self, reserved, used):
        self.settled.append((reserved, used))


def test_an_ask_takes_one_request_and_the_tokens_that_are_expected():
    endpoint = EndpointLimits(Limits())
    assert asyncio.run(endpoint.pace(ASK)) == 0
    endpoint.requests = FakeLimiter()
    assert asyncio.run(endpoint.pace(ASK)) == 0
    endpoint.tokens = FakeLimiter()
    assert asyncio.run(endpoint.pace(ASK)) == EXPECTED > 40
    assert (endpoint.requests.taken, endpoint.tokens.taken) == ([1, 1], [EXPECTED])


def test_the_tokens_that_a_provider_reports_replace_those_expected():
    endpoint = EndpointLimits(Limits())
    answer = Answer("x", prompt_tokens=7, completion_tokens=3)
    endpoint.settle(5, answer)
    endpoint.tokens = FakeLimiter()
    endpoint.settle(5, answer)
    endpoint.settle(5, Answer("x"))
    assert endpoint.tokens.settled == [(5, 10)], "a provider that does not count changes nothing"
