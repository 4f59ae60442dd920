"""What a worker does with the answers of its gate."""

import asyncio

import pytest

from judges.engine.gate.simulation import DirectMember
from thresher.judges.engine.account import Account
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.gate import GateLostError, Lease, Money, Usage
from thresher.judges.settings import Limits


class Scripted:
    """A gate that gives these answers in turn, or raises them."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def lease(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_an_allowance_is_added_and_given_back_when_another_worker_waits():
    account = Account(max_calls=50, calls=2)
    gate = Scripted(Lease("e", allowance=Money(9, 0)), Lease("e", short=True), Lease("e"))
    member = DirectMember(gate, account)
    for allowed in (9.0, 2.0, 2.0):
        asyncio.run(member.report())
        assert account.allowed[0] == allowed
    assert [request.usage.allowed.calls for request in gate.requests] == [0, 9, 2]


def test_an_unknown_gate_gets_the_ledger_and_leases_of_the_one_before_are_dropped():
    ledger = {"b": Usage(Money(3), Money(4))}
    gate = Scripted(
        Lease("first", ledger=ledger), Lease("second", known=False), Lease("second"), Lease("second")
    )
    member = DirectMember(gate, Account())
    lane = member.lane("endpoint", "judge", Breaker(Account()), lambda _: None)
    lane._asks, lane._end = 5, 9e9
    for _ in range(3):
        asyncio.run(member.report())
    assert [request.epoch for request in gate.requests] == ["", "first", "first", "second"]
    assert [request.ledger for request in gate.requests] == [None, None, ledger, None]
    assert (lane._asks, lane._end) == (0, 0.0)


def test_the_concurrency_of_the_gate_is_applied_within_the_sessions_limit():
    sizes = []
    member = DirectMember(Scripted(Lease("e", concurrency=4), Lease("e", concurrency=4)), Account())
    member.lane("endpoint", "judge", Breaker(Account()), sizes.append)
    limits = Limits(max_concurrency=16, requests_per_minute=60)
    assert member.own_limits(limits) == Limits(max_concurrency=16)
    asyncio.run(member.report())
    asyncio.run(member.report())
    assert sizes == [4]
    assert member.own_limits(limits).max_concurrency == 4
    assert member.own_limits(Limits(max_concurrency=3)).max_concurrency == 3


def test_a_judge_that_others_lost_is_silent_until_it_answers_them():
    breaker = Breaker(Account())
    member = DirectMember(Scripted(Lease("e"), Lease("e")), Account())
    member.lane("endpoint", "judge", breaker, lambda _: None)
    (judge,) = member._breakers
    member._gate.answers[0] = Lease("e", silent={judge: "HTTP 401: no"})
    for refusal in ("HTTP 401: no", ""):
        asyncio.run(member.report())
        assert breaker.refusal == refusal


def test_a_lost_gate_opens_all_circuits_also_later_ones_and_is_not_called_again():
    account, breakers = Account(max_calls=9), [Breaker(Account()), Breaker(Account())]
    gate = Scripted(GateLostError("gone"))
    member = DirectMember(gate, account)
    member.lane("endpoint", "judge", breakers[0], lambda _: None)
    for _ in range(2):
        with pytest.raises(GateLostError):
            asyncio.run(member.report())
    member.lane("endpoint", "other", breakers[1], lambda _: None)
    member.leave()
    assert len(gate.requests) == 1
    assert [breaker.refusal for breaker in breakers] == [member.lost] * 2
    assert "gone" in member.lost
    assert account.notes == ["gone: this worker sent no further request"]
