"""Shares of limits and budgets of processes that know nothing of each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.asked import flows
from thresher.judges import Limits, Prices, asking, drive
from thresher.judges.engine.account import Account
from thresher.judges.session import current_session, sharded

totals = st.integers(0, 10_000)


@given(totals, st.integers(1, 40), st.integers(0, 50))
def test_the_budgets_of_all_shards_add_up_to_the_budget(calls, shards, used):
    shares = []
    for number in range(1, shards + 1):
        account = Account(Prices.parse("in=1,out=1"), max_calls=calls + used, max_cost=3.0, calls=used)
        account.cost = 1.0
        with account.of_shard((number, shards)):
            shares.append(account.left())
        assert (account.max_calls, account.max_cost) == (calls + used, 3.0)
    assert sum(left for left, _ in shares) == calls
    assert sum(money for _, money in shares) == pytest.approx(2.0)


@given(st.integers(1, 64), st.integers(1, 64))
def test_the_rates_of_all_shards_add_up_and_each_has_one_call_at_least(concurrency, shards):
    whole = Limits(max_concurrency=concurrency, requests_per_minute=90, tokens_per_minute=1e4)
    shares = [whole.of_shard((number, shards)) for number in range(1, shards + 1)]
    assert sum(share.requests_per_minute for share in shares) == pytest.approx(90)
    assert sum(share.tokens_per_minute for share in shares) == pytest.approx(1e4)
    assert sum(share.max_concurrency for share in shares) == max(concurrency, shards)
    assert Limits().of_shard((1, 3)).requests_per_minute is None


def test_a_shard_gets_its_share_of_the_session_and_says_so(server, judge):
    limits = Limits(max_concurrency=8, requests_per_minute=6000)
    with asking(limits=limits, cache=False, max_calls=10) as account:
        with sharded((2, 3)):
            session = current_session()
            assert (session.limits.max_concurrency, session.limits.requests_per_minute) == (3, 2000)
            drive(flows(6), judge())
        assert current_session().limits == limits
    assert account.notes == [
        "shard 2 of 3 has 1/3 of the limits: 3 calls at a time, 2000 requests a minute, 3 calls"
    ]
    assert account.spent
    assert server.calls == account.calls == 3


@pytest.mark.parametrize("shard", [None, (1, 1)])
def test_the_only_process_has_all(shard):
    with asking(max_calls=10) as account, sharded(shard):
        assert (account.max_calls, current_session().limits, account.notes) == (10, Limits(), [])
