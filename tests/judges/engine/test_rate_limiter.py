import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.judges.engine.endpoint_limits import RateLimiter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def starts(per_minute, amounts, gaps):
    """When each amount may be used, if they come after these gaps."""
    clock = Clock()
    limiter = RateLimiter(per_minute, clock)
    times = []
    for amount, gap in zip(amounts, gaps, strict=True):
        clock.now += gap
        times.append(clock.now + limiter.reserve(amount))
    return times


@given(
    st.floats(1, 6000),
    st.lists(st.tuples(st.just(1), st.floats(0, 5)), min_size=1, max_size=200),
)
def test_no_minute_holds_more_than_the_limit(per_minute, uses):
    times = starts(per_minute, *zip(*uses, strict=True))
    for start in times:
        assert sum(start <= time < start + 60 for time in times) <= max(per_minute, 1) + 1e-6


def test_a_tenth_may_be_used_at_once_and_the_rest_flows_in():
    times = starts(60, [1] * 12, [0] * 12)
    assert times[:6] == [0.0] * 6
    assert times[6] == pytest.approx(60 / 54)
    assert times == sorted(times)


def test_a_bucket_fills_up_again_and_no_further():
    assert starts(60, [6, 6, 1], [0, 30, 0]) == [0.0, 30.0, pytest.approx(30 + 60 / 54)]


def test_a_limit_of_one_a_minute_is_one_at_once_and_then_one_in_two_minutes():
    assert starts(1, [1, 1], [0, 0]) == [0.0, 120.0]


@pytest.mark.parametrize(("amounts", "waits"), [([6], []), ([6, 0.45], [0.5]), ([6, 1], [60 / 54])])
def test_an_amount_is_waited_for_only_where_it_is_lacking(monkeypatch, amounts, waits):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    limiter = RateLimiter(60, Clock())
    for amount in amounts:
        asyncio.run(limiter.acquire(amount))
    assert slept == pytest.approx(waits)


def test_an_amount_larger_than_the_bucket_passes_and_makes_the_others_wait():
    first, second = starts(600, [600, 1], [0, 0])
    assert first == 0.0
    assert second == pytest.approx(541 / 9)


def test_what_was_not_used_is_given_back():
    clock = Clock()
    limiter = RateLimiter(600, clock)
    limiter.reserve(60)
    limiter.settle(60, 10)
    assert limiter.reserve(50) == 0.0
    assert limiter.reserve(1) > 0.0
