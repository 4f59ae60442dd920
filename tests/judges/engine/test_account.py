"""What is set aside for requests under way, and how guesses of their cost are corrected."""

import asyncio
import math
from collections import Counter

import pytest

from judges.asked import flow, flows
from thresher.errors import InputError
from thresher.judges import Ask, Limits, Message, Price, Prices, Texts, asking, drive, drive_async
from thresher.judges.engine.account import Account, expected_tokens
from thresher.judges.flow import Answer, Unanswered
from thresher.judges.walks import Walk
from thresher.results import Status

PRICES = Prices.parse("in=1000,out=1000")


def ask():
    return Walk(flow()).asks[0]


def guess():
    return PRICES.default.cost(*expected_tokens(ask()))


def test_what_was_set_aside_is_given_back_when_a_request_has_ended():
    account = Account(PRICES, max_cost=2.5 * guess())
    first, _ = account.admit(ask(), "m"), account.admit(ask(), "m")
    with pytest.raises(Unanswered, match="is spent"):
        account.admit(ask(), "m")
    account.settle(first)
    account.admit(ask(), "m")


def test_a_budget_is_used_to_its_end_since_requests_that_ended_hold_nothing_back(server, judge):
    """Otherwise half of the budget would be held back for requests that were answered long ago."""
    with asking(prices=PRICES, limits=Limits(max_concurrency=1)) as one:
        drive(flows(1), judge())
    with asking(
        prices=PRICES, cache=False, max_cost=20 * one.cost, limits=Limits(max_concurrency=1)
    ) as account:
        outcomes = asyncio.run(asyncio.wait_for(drive_async(flows(40), judge()), 20))
    done = sum(outcome.status is Status.SCORED for outcome in outcomes)
    assert done >= 17
    assert 17 * one.cost < account.cost <= 20 * one.cost


def test_a_request_that_failed_gives_back_what_was_set_aside(server, judge, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    server.reset(faults={"http500": 0.5}, seed=2)
    budget = 60 * guess()
    with asking(prices=PRICES, max_cost=budget, limits=Limits(max_concurrency=1, max_tries=20)) as account:
        outcomes = drive(flows(20), judge())
    assert account.calls > 30, "many tries failed, and none of them cost anything"
    assert {outcome.status for outcome in outcomes} == {Status.SCORED}


def test_guesses_grow_with_the_correction_answer_so_far():
    account = Account(PRICES, max_cost=1000 * guess())
    assert account.admit(ask(), "m") == pytest.approx(guess())
    account.received(ask(), Answer("x", prompt_tokens=4 * sum(expected_tokens(ask()))), "m")
    assert account.admit(ask(), "m") == pytest.approx(4 * guess())
    account.received(ask(), Answer("x", prompt_tokens=1), "m")
    assert account.admit(ask(), "m") == pytest.approx(4 * guess()), "a cheap answer proves nothing"


def test_a_budget_is_kept_though_answers_cost_more_than_guessed(server, judge):
    """The mock server counts tokens as the guess does; priced replies are longer than imagined ones."""
    server.replies.insert(0, lambda _: {"claims": ["very long " * 200]})
    try:
        with asking(prices=PRICES, cache=False, max_cost=3.0, limits=Limits(max_concurrency=1)) as account:
            drive(flows(40), judge())
    finally:
        server.replies.pop(0)
    assert 1.0 < account.cost <= 3.0


def test_a_price_that_is_missing_is_named():
    with pytest.raises(InputError, match="no price for 'm'"):
        Account(Prices()).check_price("m")


def test_what_was_used_in_one_line():
    account = Account(calls=1200, known=3, prompt_tokens=900, completion_tokens=100)
    assert account.in_short() == "1,200 calls, 3 known, 1,000 tokens"
    account.cost, account.failures = 0.5, Counter({"a": 1000, "b": 1})
    assert account.in_short() == "1,200 calls, 3 known, 1,000 tokens, cost 0.5000, 1,001 failed"


def test_an_account_as_plain_data():
    account = Account(PRICES)
    account.received(ask(), Answer("a", "m-2026", prompt_tokens=3, completion_tokens=2, latency=0.5), "m")
    account.failures["timeout"] += 1
    account.lost["HTTP 500"] += 2
    account.calls, account.known = 4, 1
    account.note("first")
    account.note("first")
    account.note("")
    assert account.to_dict() == {
        "calls": 4,
        "answers": 1,
        "batched": 0,
        "known": 1,
        "failures": {"timeout": 1},
        "lost": {"HTTP 500": 2},
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "cached_tokens": 0,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
        "cost": pytest.approx(0.005),
        "seconds": 0.5,
        "models": {"m-2026": 1},
        "notes": ["first"],
    }


@pytest.mark.parametrize(
    ("budget", "used", "why"),
    [
        ({"max_calls": 5}, {"calls": 5}, "5 calls is spent"),
        ({"max_calls": 5}, {"calls": 4}, "5 calls would not finish another item"),
        ({"max_cost": 2.0}, {"cost": 2.0}, "2 is spent"),
        ({"max_cost": 2.0}, {"cost": 1.9}, "2 would not finish another item"),
        ({"max_calls": 5, "max_cost": 0.5}, {"calls": 4}, "5 calls and 0.5 would not finish another item"),
    ],
)
def test_why_an_item_is_not_begun(budget, used, why):
    account = Account(PRICES, **budget)
    for name, value in used.items():
        setattr(account, name, value)
    with pytest.raises(Unanswered) as error:
        account.refuse_item()
    assert error.value.reason == f"not asked: the budget of {why}"
    assert account.spent


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_calls": -1}, "max_calls=-1 must be a whole number, 0 or more"),
        ({"max_calls": 1.5}, "max_calls=1.5 must be a whole number, 0 or more"),
        ({"max_cost": -0.5}, "max_cost=-0.5 must be a number, 0 or more"),
        ({"max_cost": math.inf}, "max_cost=inf must be a number, 0 or more"),
        ({"max_cost": 1.0}, "max_cost needs prices; give the cost of a million tokens sent and received"),
    ],
)
def test_invalid_budgets_are_refused_by_name(options, message):
    with pytest.raises(InputError) as error:
        Account(**options)
    assert str(error.value) == message


def test_a_budget_of_zero_is_valid_and_admits_nothing():
    for account in (Account(max_calls=0), Account(PRICES, max_cost=0.0)):
        with pytest.raises(Unanswered):
            account.admit(ask(), "m")
        assert account.calls == 0


def test_the_last_call_of_a_budget_is_admitted_and_the_next_one_is_not():
    account = Account(max_calls=1)
    account.admit(ask(), "m")
    with pytest.raises(Unanswered) as error:
        account.admit(ask(), "m")
    assert (error.value.status, error.value.reason) == (
        Status.FAILED,
        "not asked: the budget of 1 call is spent",
    )


ONE_MODEL = Prices(models={"m": PRICES.default})
"""A price for the model `m` alone, so that a lookup of any other model fails."""


def test_a_request_that_costs_exactly_what_is_left_is_admitted():
    account = Account(ONE_MODEL, max_cost=guess())
    assert not account.must_wait(ask(), "m"), "nothing is in flight"
    account.admit(ask(), "m")
    assert account.must_wait(ask(), "m"), "the request in flight may turn out to cost nothing"
    account.cost = guess()
    assert not account.must_wait(ask(), "m"), "no answer in flight can make room"


def test_a_request_that_fits_next_to_those_in_flight_does_not_wait():
    account = Account(ONE_MODEL, max_cost=2 * guess())
    account.admit(ask(), "m")
    assert not account.must_wait(ask(), "m")


def test_money_that_was_spent_counts_next_to_what_is_set_aside():
    account = Account(ONE_MODEL, max_cost=2.5 * guess(), cost=None)
    account.cost = guess()
    account.admit(ask(), "m")
    assert account.must_wait(ask(), "m")
    account.cost = 2 * guess()
    with pytest.raises(Unanswered, match="is spent"):
        account.admit(ask(), "m")


def test_each_request_that_ends_makes_room_for_one():
    account = Account(PRICES, max_cost=2 * guess())
    first, second = account.admit(ask(), "m"), account.admit(ask(), "m")
    account.settle(first)
    account.admit(ask(), "m")
    with pytest.raises(Unanswered, match="is spent"):
        account.admit(ask(), "m")
    account.settle(second)
    account.admit(ask(), "m")


def test_rounding_leaves_nothing_set_aside_when_no_request_is_in_flight():
    account = Account(PRICES, max_cost=1.0)
    parts = [0.1, 0.2]
    account._reserved, account._in_flight = sum(parts), len(parts)
    assert sum(parts) - parts[0] - parts[1] > 0, "what rounding would leave"
    for part in parts:
        account.settle(part)
    assert account._reserved == 0.0


def test_without_a_budget_of_money_nothing_is_guessed_or_set_aside():
    account = Account(PRICES, max_calls=5)
    assert (account.guess(ask(), "m"), account.admit(ask(), "m")) == (0.0, 0.0)
    assert Account().received(ask(), Answer("a", prompt_tokens=3), "m") == 0.0


def test_answers_add_up():
    account = Account(ONE_MODEL, max_cost=1.0)
    for _ in range(3):
        account.received(ask(), Answer("a", "m", prompt_tokens=3, completion_tokens=2, latency=0.1234), "m")
    assert account.to_dict() == Account().to_dict() | {
        "answers": 3,
        "prompt_tokens": 9,
        "completion_tokens": 6,
        "cost": pytest.approx(0.015),
        "seconds": 0.37,
        "models": {"m": 3},
    }


@pytest.mark.parametrize(("answered_by", "price"), [("dear", 2.0), ("", 1.0), ("m", 1.0), ("unpriced", 1.0)])
def test_an_answer_costs_what_the_model_that_gave_it_costs(answered_by, price):
    """An answer of a model without a price costs what the model costs that was asked."""
    prices = Prices(models={"m": Price(1e6, 0), "dear": Price(2e6, 0)})
    assert Account(prices).received(ask(), Answer("a", answered_by, prompt_tokens=3), "m") == 3 * price


def test_an_answer_that_names_no_model_costs_what_the_model_costs_that_was_asked():
    prices = Prices(Price(9e6, 0), {"m": Price(1e6, 0)})
    assert Account(prices).received(ask(), Answer("a", prompt_tokens=3), "m") == 3.0


def test_a_price_that_is_there_passes_the_check():
    Account(ONE_MODEL).check_price("m")
    Account().check_price("m")
    with pytest.raises(InputError) as error:
        Account(ONE_MODEL).check_price("n")
    assert str(error.value) == "no price for 'n'; add it to the price table, or a default"


def test_a_token_is_expected_for_every_four_characters():
    short = Ask("p", (Message("user", "1234567"),), Texts("t"), subject="ab.")
    assert expected_tokens(short) == (1, 3), "of 7 characters, and of 14 of an imagined reply"


def test_cached_and_stored_input_is_paid_at_its_price_and_shares_are_counted():
    prices = Prices.parse("in=1e6,out=10e6,cached_in=0.1e6,cache_write=2e6")
    account = Account(prices)
    shares = {"cached_tokens": 60, "cache_write_tokens": 30, "reasoning_tokens": 4}
    account.received(ask(), Answer("yes", "m", prompt_tokens=100, completion_tokens=5, **shares), "m")
    assert account.cost == pytest.approx(10 * 1 + 60 * 0.1 + 30 * 2 + 5 * 10)
    other = Account(prices)
    other.add(account.to_dict(), spent=False)
    assert {name: other.to_dict()[name] for name in shares} == shares
