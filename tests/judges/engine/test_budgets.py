"""Budgets of calls and money, and the account of what was used."""

import asyncio

import pytest

from judges.asked import flow, flows
from thresher.errors import InputError
from thresher.judges import (
    Answer,
    Ask,
    Limits,
    Message,
    Price,
    Prices,
    Texts,
    Unanswered,
    asking,
    drive,
)
from thresher.judges.engine.account import Account
from thresher.judges.engine.batch import Batch, BatchItem
from thresher.judges.engine.budget import Budget, _high
from thresher.results import Status

ASK = Ask("own/claims", (Message("user", "What is claimed?"),), Texts("claims"), subject="A long text. " * 50)


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


def _item(batch, order):
    item = BatchItem(batch, order)
    item.flows = item.metrics = 1
    return item


async def _judged(budget, item, calls):
    """Judge an item that needs so many calls; whether it was finished."""
    try:
        await budget.admit(item, ASK, "mock")
        for _ in range(calls):
            reserved = await budget.pay(item, ASK, "mock")
            await asyncio.sleep(0)
            budget.settle(reserved)
    except Unanswered:
        return False
    finally:
        budget.leave(item)
    return True


def _finished(calls, needs):
    """Items finished of those that need so many calls each, all judged side by side."""

    async def run():
        budget, batch = Budget(Account(max_calls=calls)), Batch()
        items = [_item(batch, place) for place in range(len(needs))]
        done = await asyncio.gather(*map(_judged, [budget] * len(needs), items, needs))
        return [place for place, finished in enumerate(done) if finished], budget.account

    return asyncio.run(run())


@pytest.mark.parametrize("need", [1, 2, 3])
@pytest.mark.parametrize("calls", [6, 17, 60])
def test_an_item_is_begun_only_if_the_rest_finishes_it(calls, need):
    done, account = _finished(calls, [need] * 100)
    assert done == list(range(len(done)))
    assert len(done) >= calls // need - 1
    assert account.spent
    assert account.calls <= calls


def test_one_item_that_needed_much_does_not_end_the_budget_for_the_others():
    async def run():
        budget, batch = Budget(Account(max_calls=60)), Batch()
        needs = [9] + [2] * 60
        items = [_item(batch, place) for place in range(len(needs))]
        first = [await _judged(budget, item, need) for item, need in zip(items[:11], needs, strict=False)]
        others = await asyncio.gather(*(_judged(budget, item, 2) for item in items[11:]))
        return sum(first) + sum(others), budget.account.calls

    assert asyncio.run(run()) == (11 + (60 - 29) // 2, 59)


def test_the_first_item_is_tried_though_the_budget_seems_too_small():
    done, account = _finished(1, [1, 1])
    assert (done, account.calls, account.spent) == ([0], 1, True)
    assert _finished(0, [1])[1].calls == 0


def test_an_item_under_way_that_comes_first_is_waited_for():
    """Nine calls are left for two items of which each is expected to need five: the first needs four."""

    async def run():
        budget, batch = Budget(Account(max_calls=14)), Batch()
        items = [_item(batch, place) for place in range(3)]
        await _judged(budget, items[0], 5)
        both = asyncio.gather(_judged(budget, items[1], 4), _judged(budget, items[2], 5))
        return await both, budget.account.calls

    assert asyncio.run(run()) == ([True, True], 14)


def test_an_item_under_way_that_ends_without_a_call_keeps_no_other_item_waiting():
    async def run():
        budget, batch = Budget(Account(max_calls=2)), Batch()
        first, second = (_item(batch, place) for place in range(2))
        await budget.admit(first, ASK, "mock")
        waiting = asyncio.create_task(_judged(budget, second, 1))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.leave(first)
        return await asyncio.wait_for(waiting, 1)

    assert asyncio.run(run()) is True


def test_an_item_whose_flow_was_cancelled_while_it_waited_is_not_begun():
    async def run():
        budget, batch = Budget(Account(max_calls=2)), Batch()
        first, cancelled, third = (_item(batch, place) for place in range(3))
        await budget.admit(first, ASK, "mock")
        waiting = [asyncio.create_task(budget.admit(item, ASK, "mock")) for item in (cancelled, third)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        await budget.pay(first, ASK, "mock")
        budget.leave(first)
        await asyncio.wait_for(waiting[1], 1)
        return cancelled.begun, third.begun

    assert asyncio.run(run()) == (False, True)


def test_without_a_budget_no_item_is_begun_or_refused():
    async def run():
        budget, item = Budget(Account()), _item(Batch(), 0)
        await budget.admit(item, ASK, "mock")
        return item.begun, item.guess

    assert asyncio.run(run()) == (False, 0.0)


def test_an_item_that_has_ended_is_admitted_anew_where_another_metric_comes_late():
    async def run():
        budget, batch = Budget(Account(max_calls=1)), Batch()
        item = _item(batch, 0)
        assert batch.under_way is False
        await _judged(budget, item, 1)
        assert batch.under_way is True
        item.flows = 1
        with pytest.raises(Unanswered, match="is spent"):
            await budget.admit(item, ASK, "mock")
        return item.begun

    assert asyncio.run(run()) is False


def test_what_items_need_is_learned_apart_for_each_number_of_metrics():
    async def run():
        budget, batch = Budget(Account(max_calls=16)), Batch()
        both = [_item(batch, place) for place in range(2)]
        for item in both:
            item.metrics = 2
        done = [await _judged(budget, item, 6) for item in both]
        return done + [await _judged(budget, _item(batch, place), 2) for place in (2, 3)]

    assert asyncio.run(run()) == [True] * 4


def test_the_last_fifty_items_count():
    async def run():
        budget, batch = Budget(Account(max_calls=10 * 9 + 60)), Batch()
        needs = [9] * 10 + [1] * 60
        return [await _judged(budget, _item(batch, place), need) for place, need in enumerate(needs)]

    assert asyncio.run(run()) == [True] * 70


def test_nine_of_ten_items_need_no_more():
    assert _high([float(value) for value in range(10, -1, -1)]) == 9.0
    assert _high([3.0]) == 3.0


def test_two_flows_of_an_item_that_wait_are_admitted_together():
    """The second one needs nothing more, so a later item that fits is not refused either."""

    async def run():
        budget, batch = Budget(Account(max_calls=9)), Batch()
        first, second, third = items = [_item(batch, place) for place in range(3)]
        for item in items:
            item.metrics = 2
        second.flows = 2
        await budget.admit(first, ASK, "mock")
        flows = [asyncio.create_task(budget.admit(second, ASK, "mock")) for _ in range(2)]
        await asyncio.sleep(0)
        for _ in range(4):
            await budget.pay(first, ASK, "mock")
        budget.leave(first)
        await asyncio.wait_for(asyncio.gather(*flows), 1)
        for _ in range(2):
            await budget.pay(second, ASK, "mock")
            budget.leave(second)
        await asyncio.wait_for(budget.admit(third, ASK, "mock"), 1)
        return batch.refused

    assert asyncio.run(run()) is False


def test_after_an_item_that_is_refused_no_other_is_begun():
    async def run():
        budget, batch = Budget(Account(max_calls=4)), Batch()
        first, large, small = (_item(batch, place) for place in range(3))
        await _judged(budget, first, 1)
        large.metrics = 2
        done = [await _judged(budget, item, 1) for item in (large, small)]
        return done, batch.refused

    assert asyncio.run(run()) == ([False, False], True)


def test_an_item_of_another_batch_with_the_same_turn_is_not_waited_for():
    async def run():
        budget = Budget(Account(max_calls=4))
        first, second = (_item(Batch(), 3) for _ in range(2))
        await budget.admit(first, ASK, "mock")
        with pytest.raises(Unanswered, match="would not finish another item"):
            await asyncio.wait_for(budget.admit(second, ASK, "mock"), 1)

    asyncio.run(run())


@pytest.mark.parametrize(("calls", "fits"), [(15, False), (16, True)])
def test_four_calls_are_expected_of_each_metric_until_an_item_has_ended(calls, fits):
    async def run():
        budget, batch = Budget(Account(max_calls=calls)), Batch()
        first, second = items = [_item(batch, place) for place in range(2)]
        for item in items:
            item.metrics = 2
        await budget.admit(first, ASK, "mock")
        waiting = asyncio.create_task(budget.admit(second, ASK, "mock"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return waiting.done()

    assert asyncio.run(run()) is fits


@pytest.mark.parametrize(("made", "left", "fits"), [(3, 5, True), (3, 4, False), (4, 5, True), (5, 5, True)])
def test_calls_are_held_back_for_items_under_way(made, left, fits):
    """An item is expected to need four; one under way needs what it has not used, and one call at least."""

    async def run():
        budget, batch = Budget(Account(max_calls=4 + made + left)), Batch()
        first, under_way, next_one = (_item(batch, place) for place in range(3))
        await _judged(budget, first, 4)
        await budget.admit(under_way, ASK, "mock")
        for _ in range(made):
            await budget.pay(under_way, ASK, "mock")
        waiting = asyncio.create_task(budget.admit(next_one, ASK, "mock"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return waiting.done()

    assert asyncio.run(run()) is fits


@pytest.mark.parametrize(
    ("spent", "left", "fits"), [(3.0, 9.0, True), (3.0, 8.5, False), (4.5, 8.0, True), (4.5, 7.5, False)]
)
def test_money_is_held_back_for_items_under_way(spent, left, fits):
    """An item is expected to cost 4, and its first request is guessed at another 4."""

    async def run():
        account = Account(Prices(models={"mock": Price(1e6, 0.0)}), max_cost=4.0 + spent + left)
        budget, batch = Budget(account), Batch()
        first, under_way, next_one = (_item(batch, place) for place in range(3))
        for item, cost in ((first, 4.0), (under_way, spent)):
            await budget.admit(item, ASK, "mock")
            budget.settle(await budget.pay(item, ASK, "mock"))
            item.cost = cost
            account.cost += cost
            if item is first:
                budget.leave(item)
        assert under_way.guess == account.guess(ASK, "mock") == 4.0
        waiting = asyncio.create_task(budget.admit(next_one, ASK, "mock"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return waiting.done()

    assert asyncio.run(run()) is fits


def test_money_for_a_request_is_waited_for_while_guesses_are_too_high():
    """Two requests, each guessed at the whole budget and answered for less, are both sent."""

    async def run():
        account = Account(Prices(models={"mock": Price(0.0, 1e5)}), max_cost=1.0)
        budget, item = Budget(account), _item(Batch(), 0)
        guess = account.guess(ASK, "mock")
        account.max_cost = 1.5 * guess
        first = await budget.pay(item, ASK, "mock")
        second = asyncio.create_task(budget.pay(item, ASK, "mock"))
        await asyncio.sleep(0)
        waited = not second.done()
        account.received(ASK, Answer("x", completion_tokens=1), "mock")
        budget.settle(first)
        budget.settle(await asyncio.wait_for(second, 1))
        return waited, item.calls

    assert asyncio.run(run()) == (True, 2)
