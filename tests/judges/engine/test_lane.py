"""Lanes: the slots and rates of one model at one endpoint."""

import asyncio

import pytest

from thresher.judges import Answer, Ask, Limits, Message, Texts
from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.lane import Lane

ASK = Ask("p", (Message("user", "What is claimed? " * 10),), Texts("t"))
EXPECTED = sum(expected_tokens(ASK))


@pytest.mark.parametrize(("slots", "ready"), [(1, 2), (3, 4), (7, 8), (8, 10), (16, 20)])
def test_a_quarter_more_requests_are_made_ready_than_may_be_sent(slots, ready):
    lane = Lane(Limits(max_concurrency=slots))
    assert (lane.slots.limit, lane.ready.limit, lane.served) == (slots, ready, 0)
    lane.set(Limits(max_concurrency=1))
    assert (lane.slots.limit, lane.ready.limit) == (1, 2)


@pytest.mark.parametrize(("own", "slots"), [(None, 6), (4, 4), (9, 6)])
def test_a_generator_may_take_less_than_the_limits_allow(own, slots):
    lane = Lane(Limits(max_concurrency=2))
    lane.set(Limits(max_concurrency=6), own)
    assert (lane.slots.limit, lane.ready.limit) == (slots, slots + 1)


@pytest.mark.parametrize(
    ("name", "rate"), [("requests_per_minute", "requests"), ("tokens_per_minute", "tokens")]
)
def test_a_rate_goes_on_while_it_is_the_same_and_begins_anew_when_it_changes(name, rate):
    lane = Lane(Limits())
    assert (lane.requests, lane.tokens) == (None, None)
    lane.set(Limits(**{name: 60}))
    bucket = getattr(lane, rate)
    lane.set(Limits(**{name: 60}))
    assert getattr(lane, rate) is bucket
    lane.set(Limits(**{name: 120}))
    assert getattr(lane, rate) not in (bucket, None)
    lane.set(Limits())
    assert getattr(lane, rate) is None
    assert getattr(Lane(Limits(**{name: 60})), rate) is not None


class Bucket:
    """What was taken from a rate, and how it was settled."""

    def __init__(self):
        self.taken, self.settled = [], []

    async def take(self, amount):
        self.taken.append(amount)

    def settle(self, reserved, used):
        self.settled.append((reserved, used))


def test_an_ask_takes_one_request_and_the_tokens_that_are_expected():
    lane = Lane(Limits())
    assert asyncio.run(lane.pace(ASK)) == 0
    lane.requests = Bucket()
    assert asyncio.run(lane.pace(ASK)) == 0
    lane.tokens = Bucket()
    assert asyncio.run(lane.pace(ASK)) == EXPECTED > 40
    assert (lane.requests.taken, lane.tokens.taken) == ([1, 1], [EXPECTED])


def test_the_tokens_that_a_provider_reports_replace_those_expected():
    lane = Lane(Limits())
    answer = Answer("x", prompt_tokens=7, completion_tokens=3)
    lane.settle(5, answer)
    lane.tokens = Bucket()
    lane.settle(5, answer)
    lane.settle(5, Answer("x"))
    assert lane.tokens.settled == [(5, 10)], "a provider that does not count changes nothing"
