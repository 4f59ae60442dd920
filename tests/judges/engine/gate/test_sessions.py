"""Sessions that share a gate, over the mock server."""

import threading
import time

import pytest

from judges.asked import EXPECTED, flows, values
from thresher.counted import counted
from thresher.judges import Limits, Prices, asking, drive
from thresher.judges.engine.gate import Gate, GateConnection, GateLimits, serving
from thresher.results import Status

LIMITS = Limits(max_concurrency=6, max_tries=1)
PRICES = Prices.parse("in=1000,out=1000")


def together(number, work):
    """Run `work(index)` in threads; return the results in order, or raise."""
    results = [None] * number

    def one(index):
        try:
            results[index] = work(index)
        except BaseException as error:  # noqa: BLE001  # raised below
            results[index] = error

    threads = [threading.Thread(target=one, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def asked(judge, gate, items=12, cache=False, **budget):
    """One worker's account and outcomes."""
    with asking(limits=LIMITS, cache=cache, gate=gate, **budget) as account:
        outcomes = drive(flows(items), judge())
    return account, outcomes


def connected(judge, address, **options):
    with GateConnection(address) as gate:
        return asked(judge, gate, **options)


def test_a_gate_changes_no_score(server, judge):
    plain = drive(flows(12), judge())
    with asking(limits=LIMITS, cache=False, gate=Gate(GateLimits.of(LIMITS))):
        gated = drive(flows(12), judge())
    assert [outcome.value for outcome in gated] == [outcome.value for outcome in plain]


@pytest.mark.parametrize("calls", [0, 1, 20])
def test_workers_share_the_calls_of_one_budget(server, judge, calls):
    gate = Gate(GateLimits.of(LIMITS, max_calls=calls))
    server.reset(base_ms=5)
    results = together(3, lambda _: asked(judge, gate, max_calls=calls))
    sent = sum(account.calls for account, _ in results)
    assert server.calls == sent
    assert max(calls - 3, min(calls, 1)) <= sent <= calls, "four calls are expected before an item has ended"
    failed = [outcome for _, outcomes in results for outcome in outcomes if outcome.status is Status.FAILED]
    assert len(failed) == 36 - sent
    assert all(account.spent for account, outcomes in results if any(one in failed for one in outcomes))
    assert sum(usage.spent.calls for usage in gate.usage().values()) == sent
    assert f"the budget of {counted(calls, 'call')} is spent" in failed[0].reason


def test_workers_that_share_a_cache_ask_once_and_never_wait_for_each_others_budget(server, judge, tmp_path):
    server.reset(base_ms=20)
    budget = {"max_calls": 20}
    gate, cache = Gate(GateLimits.of(LIMITS, **budget)), tmp_path / "answers.sqlite"
    start = time.monotonic()
    results = together(3, lambda _: asked(judge, gate, 30, cache, **budget))
    assert time.monotonic() - start < 20, "no worker waits until another counts as dead"
    assert 17 <= server.calls == sum(account.calls for account, _ in results) <= 20
    assert len(server.seen) == server.calls, "equal asks are sent once"
    with asking(limits=LIMITS, cache=cache):
        assert values(drive(flows(30), judge())) == EXPECTED[:30]
    assert len(server.seen) == server.calls == 30


def test_workers_share_the_money_of_one_budget(server, judge):
    alone, _ = asked(judge, None, items=1, prices=PRICES, max_cost=1000)
    gate = Gate(GateLimits.of(LIMITS, max_cost=20 * alone.cost))
    results = together(3, lambda _: asked(judge, gate, prices=PRICES, max_cost=20 * alone.cost))
    paid = sum(account.cost for account, _ in results)
    in_flight = LIMITS.max_concurrency * alone.cost
    assert 15 * alone.cost <= paid <= 20 * alone.cost + in_flight


def test_a_judge_that_is_lost_is_lost_for_all_workers(server, judge):
    server.reset(rejects_after=0, rejects_with=500)
    gate = Gate(GateLimits.of(LIMITS))
    alone = asked(judge, None, items=60)[0].calls
    server.reset()
    first, _ = asked(judge, gate, items=60)
    assert alone - 6 <= first.calls <= alone + 6
    later = together(3, lambda _: asked(judge, gate, items=60)[0])
    assert sum(account.calls for account in later) <= 3 * LIMITS.max_concurrency, "no new count per worker"
    assert all(account.lost for account in later)


@pytest.mark.slow
def test_workers_stop_and_say_so_when_their_gate_is_gone(server, judge):
    server.reset(base_ms=200)
    ends = {}

    def work(address):
        gate = GateConnection(address)
        with gate, asking(limits=LIMITS, cache=False, gate=gate) as ends["account"]:
            ends["outcomes"] = drive(flows(300), judge())

    with serving(Gate(GateLimits.of(LIMITS))) as address:
        worker = threading.Thread(target=work, args=(address,))
        worker.start()
        while server.calls < 8:
            time.sleep(0.02)
    gone, account = time.monotonic(), ends["account"]
    while not account.notes:
        time.sleep(0.02)
    worker.join(15)
    assert server.span[1] - gone <= 3.5, "no request after the life of a lease, and the time of a reply"
    assert account.notes == ["the driver of the run has ended: this worker sent no further request"]
    failed = [outcome for outcome in ends["outcomes"] if outcome.status is Status.FAILED]
    assert account.lost.total() == len(failed) == 300 - account.answers > 0
    assert "the driver of the run has ended" in failed[-1].reason


@pytest.mark.slow
@pytest.mark.parametrize("budget", [{}, {"max_calls": 60}])
def test_another_gate_at_the_same_address_continues(server, judge, budget):
    server.reset(base_ms=150)
    ends = {}
    with serving(Gate(GateLimits.of(LIMITS, **budget))) as address:
        worker = threading.Thread(
            target=lambda: ends.update(end=connected(judge, address, items=80, **budget))
        )
        worker.start()
        while server.calls < 8:
            time.sleep(0.02)
    with serving(Gate(GateLimits.of(LIMITS, **budget)), address):
        worker.join(30)
    account, outcomes = ends["end"]
    answered = sum(outcome.status is not Status.FAILED for outcome in outcomes)
    assert (answered, account.calls, server.calls) == ((60, 60, 60) if budget else (80, 80, 80))
    assert not account.lost
