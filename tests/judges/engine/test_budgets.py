"""Budgets of calls and money, and the account of what was used."""

import pytest

from judges.asked import flow, flows
from thresher.errors import InputError
from thresher.judges import Limits, Prices, asking, drive
from thresher.results import Status


def test_a_budget_of_calls_stops_cleanly_and_what_is_done_stays(server, judge):
    with asking(max_calls=10) as account:
        outcomes = drive(flows(40), judge())
    done = [outcome for outcome in outcomes if outcome.status is Status.SCORED]
    assert (server.calls, account.calls, len(done)) == (10, 10, 10)
    assert {outcome.reason for outcome in outcomes if outcome not in done} == {
        "own/claims: not asked: the budget of 10 calls is spent"
    }


def test_a_budget_of_money_stops_before_it_is_exceeded(server, judge):
    prices, limits = Prices.parse("in=1000,out=1000"), Limits(max_concurrency=2)
    with asking(prices=prices, max_cost=0.5, limits=limits) as account:
        outcomes = drive(flows(40), judge())
    done = sum(outcome.status is Status.SCORED for outcome in outcomes)
    assert 5 < done < 40
    assert account.cost <= 0.5
    assert account.cost == pytest.approx((account.prompt_tokens + account.completion_tokens) / 1000)


def test_money_needs_prices(judge):
    with pytest.raises(InputError, match="max_cost needs prices"), asking(max_cost=1.0):
        pass
    table = Prices(models={"other": Prices.parse("in=1,out=1").default})
    with pytest.raises(InputError, match="no price for 'mock'"), asking(prices=table):
        drive([flow()], judge())


def test_the_account_tells_what_was_used_and_the_model_as_the_provider_named_it(server, judge):
    with asking(prices=Prices.parse("in=1,out=2")) as account:
        drive(flows(5), judge())
    told = account.to_dict()
    assert told["calls"] == told["answers"] == 5
    assert told["models"] == {"mock-2026": 5}
    assert [told["prompt_tokens"], told["completion_tokens"]] == server.tokens
    assert told["cost"] == pytest.approx((server.tokens[0] + 2 * server.tokens[1]) / 1e6)
