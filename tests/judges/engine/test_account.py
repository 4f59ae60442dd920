"""What is set aside for requests under way, and how guesses of their cost are corrected."""

import asyncio
from collections import Counter

import pytest

from judges.asked import flow, flows
from thresher.errors import InputError
from thresher.judges import Limits, Prices, asking, drive, drive_async
from thresher.judges.engine.account import Account, expected_tokens
from thresher.judges.flow import Answer, Unanswered, Walk
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
    monkeypatch.setattr("thresher.judges.engine.asker.backoff", lambda *_: 0.0)
    server.reset(faults={"http500": 0.5}, seed=2)
    budget = 60 * guess()
    with asking(prices=PRICES, max_cost=budget, limits=Limits(max_concurrency=1, max_tries=20)) as account:
        outcomes = drive(flows(20), judge())
    assert account.calls > 30, "many tries failed, and none of them cost anything"
    assert {outcome.status for outcome in outcomes} == {Status.SCORED}


def test_guesses_grow_with_the_dearest_answer_so_far():
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
        "known": 1,
        "failures": {"timeout": 1},
        "lost": {"HTTP 500": 2},
        "prompt_tokens": 3,
        "completion_tokens": 2,
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


def test_an_answer_of_a_model_without_a_price_costs_what_was_asked_for():
    account = Account(Prices(models={"m": PRICES.default}))
    assert account.received(ask(), Answer("a", "m-2026", prompt_tokens=3, completion_tokens=2), "m") == (
        pytest.approx(0.005)
    )
