"""The engine without a server: who walks which flow when, and what is shared, ended and closed."""

import asyncio
import atexit
import gc
import json
import threading
from types import SimpleNamespace

import pytest
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.utils import Secret

from judges.asked import flow, flows, values
from thresher.judges import Limits, together
from thresher.judges.engine import engine as module
from thresher.judges.engine.batch import Batch
from thresher.judges.engine.breaker import Breakers
from thresher.judges.engine.engine import Engine
from thresher.judges.engine.gathering import gather_all
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.session_state import SessionState
from thresher.judges.estimate import CostEstimate
from thresher.results import Status

KEYS = [Secret.from_token(key) for key in "ab"]


class Judge:
    """Repeats the text that it is asked about, once the gate is open."""

    model, api_base_url = "m", "http://here"

    def __init__(self, **attributes):
        self.asked, self.gate, self.reply = [], threading.Event(), None
        self.gate.set()
        vars(self).update(attributes)

    async def run_async(self, messages):
        text = messages[-1].text.split("\n")[1]
        self.asked.append(text)
        await asyncio.to_thread(self.gate.wait, 5)
        if isinstance(self.reply, Exception):
            raise self.reply
        return {"replies": [self.reply or json.dumps({"claims": [text]})]}

    run = None


Judge.run = lambda self, messages: asyncio.run(self.run_async(messages))


@pytest.fixture
def engine():
    one = Engine()
    yield one
    one.close()


def until(condition):
    """Wait for what another thread does, five seconds at most."""
    for _ in range(5000):
        if condition():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never came to that")


def session(**options):
    return SessionState(limits=Limits(**({"max_concurrency": 1} | options)))


def test_outcomes_come_in_the_order_of_the_flows_and_items_are_asked_in_theirs(engine):
    judge, one = Judge(), session()
    outcomes = engine.submit(flows(3), judge, one, places=[2, 0, 1]).result(5)
    assert values(outcomes) == [(f"This is text {place}.",) for place in range(3)]
    assert judge.asked == [f"This is text {place}." for place in (1, 2, 0)]
    assert (one.account.begun, one.account.ended, one.walks) == (3, 3, set())
    engine.submit(flows(2), judge, one).result(5)
    assert (one.account.begun, one.account.ended) == (5, 5)


def test_four_flows_for_each_slot_are_under_way(engine):
    began, ended, under_way, judge = [], [], [], Judge(gate=threading.Event())

    def counted(place):
        began.append(place)
        under_way.append(len(began) - len(ended))
        yield from flow(f"text {place}")
        ended.append(place)

    future = engine.submit(map(counted, range(20)), judge, session(max_concurrency=2))
    until(lambda: len(judge.asked) == 2)
    until(lambda: len(began) >= 8)
    judge.gate.set()
    assert len(future.result(5)) == 20
    assert max(under_way) == 8


@pytest.mark.parametrize("number", [2, 3])
def test_several_asks_of_a_flow_are_asked_at_once(engine, number):
    judge = Judge(gate=threading.Event())
    future = engine.submit([together(*flows(number))], judge, session(max_concurrency=3))
    until(lambda: len(judge.asked) == number)
    judge.gate.set()
    assert values(future.result(5)) == [[(f"This is text {place}.",) for place in range(number)]]


def test_flows_are_begun_gradually(engine, monkeypatch):
    begun, together = [], module.gather_all

    def recorded(work, **options):
        begun.append(options)
        return together(work, **options)

    monkeypatch.setattr(module, "gather_all", recorded)
    engine.submit(flows(2), Judge(), session()).result(5)
    assert begun == [{"gradually": True}]


class RejectedError(Exception):
    status_code = 401


@pytest.mark.parametrize("own_client", [True, False])
def test_a_key_that_is_rejected_does_not_stop_another_one(engine, own_client):
    attributes = {}
    if own_client:
        names = ("client", "async_client", "max_retries", "timeout")
        attributes = dict.fromkeys(names) | {"warm_up_async": nothing, "close_async": nothing}
    rejected, other = (Judge(api_key=key, **attributes) for key in KEYS)
    one = SessionState(breakers=Breakers(lasting=True))
    rejected.reply = RejectedError("no")
    for _ in range(2):
        (outcome,) = engine.submit(flows(1), rejected, one).result(5)
        assert outcome.status is Status.FAILED
    (outcome,) = engine.submit(flows(1), other, one).result(5)
    assert (outcome.status, len(rejected.asked)) == (Status.SCORED, 1)
    assert one.account.lost == {"HTTP 401 (RejectedError)": 2}


async def nothing():
    """Return at once."""


def test_a_later_batch_begins_behind_what_was_served(engine):
    one, batches = session(), [Batch(), Batch()]
    for batch in batches:
        engine.submit(flows(3), Judge(), one, batch=batch).result(5)
    orders = [[item.order for item in batch._items.values()] for batch in batches]
    assert orders == [[1, 2, 3], [4, 5, 6]]
    assert [batch.under_way for batch in (*batches, one.batch)] == [True, True, False]
    assert {item.flows for batch in batches for item in batch._items.values()} == {0}


def test_without_a_batch_the_one_of_the_session_is_used(engine):
    one = session()
    engine.submit(flows(3), Judge(), one).result(5)
    assert (len(one.batch._items), one.batch.under_way) == (3, True)


def test_a_judge_is_asked_anew_by_the_next_component_only_where_none_is_under_way(engine):
    one, renewed, judge = session(), [], Judge(gate=threading.Event())
    renew = one.breakers.renew
    one.breakers.renew = lambda: renewed.append(len(one.walks)) or renew()
    first = engine.submit(flows(1), judge, one)
    until(lambda: judge.asked)
    second = engine.submit([flow("other")], judge, one)
    until(lambda: len(one.walks) == 2)
    judge.gate.set()
    first.result(5)
    second.result(5)
    engine.submit([flow("third")], judge, one).result(5)
    assert renewed == [1, 1]


def test_a_model_at_an_endpoint_has_one_set_of_limits_for_all(engine):
    one = session(max_concurrency=4)
    judges = [Judge(), Judge(), Judge(model="n"), Judge(api_base_url="there"), Judge(max_concurrency=2)]
    limits = [engine._endpoint_limits(Generator(judge), one) for judge in judges]
    assert limits[0] is limits[1] is limits[4]
    assert len(set(map(id, limits))) == 3
    assert [limit.slots.limit for limit in limits] == [2, 2, 4, 4, 2], "the limits set last hold"
    assert list(engine._endpoints) == [("http://here", "m"), ("http://here", "n"), ("there", "m")]


def test_equal_generators_with_a_client_share_it(engine):
    first, second, other = (OpenAIChatGenerator(key, "m") for key in (KEYS[0], KEYS[0], KEYS[1]))
    adopted = engine._adopt(first)
    assert engine._adopt(second) is adopted
    assert engine._adopt(other) is not adopted
    assert engine._adopt(other).identity == adopted.identity
    assert module._judge(adopted, first) == module._judge(adopted, second) != module._judge(adopted, other)


def test_other_generators_are_known_by_their_object(engine):
    first, second = (MockChatGenerator(response_fn=lambda _: "x") for _ in range(2))
    known = engine._adopt(first).identity
    assert engine._adopt(first) is not engine._adopt(first)
    assert engine._adopt(first).identity == known != engine._adopt(second).identity
    assert module._judge(engine._adopt(first), first) == known
    assert len(engine._objects) == 2
    del first
    gc.collect()
    assert len(engine._objects) == 1


def test_an_object_that_takes_no_weak_reference_is_new_each_time(engine):
    class Slotted:
        __slots__ = ()

        def run(self):
            """Never called."""

    one = Slotted()
    assert engine._adopt(one).identity != engine._adopt(one).identity


def test_a_judge_is_a_key_a_model_and_an_address():
    sources = [
        OpenAIChatGenerator(KEYS[0], "m", api_base_url="http://here"),
        OpenAIChatGenerator(KEYS[0], "n", api_base_url="http://here"),
        OpenAIChatGenerator(KEYS[0], "m", api_base_url="http://there"),
        OpenAIChatGenerator(KEYS[0], "m", api_base_url="http://here", generation_kwargs={"seed": 1}),
    ]
    judges = [module._judge(Generator(source), source) for source in sources]
    assert len(set(judges)) == 3
    assert judges[0] == judges[3], "settings do not matter to a key that is rejected"


def test_an_estimate_walks_without_limits(engine):
    one = SessionState(estimate=CostEstimate())
    judge = Judge()
    outcomes = engine.submit(flows(3), judge, one).result(5)
    assert [outcome.status for outcome in outcomes] == [Status.SCORED] * 3
    assert (one.estimate.calls, one.estimate.models, judge.asked) == (3, {"m": 3}, [])
    assert (one.account.begun, engine._endpoints) == (3, {})
    engine.submit(flows(3), Judge(), one).result(5)
    assert one.estimate.calls == 6, "another judge does not know the answers of the first"


def test_what_ended_unreadable_is_forgotten(engine):
    one, judge = session(), Judge(reply="no")
    (outcome,) = engine.submit(flows(1), judge, one).result(5)
    assert outcome.status is Status.UNREADABLE
    judge.reply = None
    asked = len(judge.asked)
    (outcome,) = engine.submit(flows(1), judge, one).result(5)
    assert (outcome.status, len(judge.asked)) == (Status.SCORED, asked + 1)


def test_ending_a_session_cancels_its_flows_and_waits_for_them(engine):
    one, judge = session(max_concurrency=3), Judge(gate=threading.Event())
    batch = Batch()
    engine.end(one)
    assert not engine._loop.runs, "nothing was begun"
    future = engine.submit(flows(9), judge, one, batch=batch)
    until(lambda: len(judge.asked) == 3)
    engine.end(one)
    assert future.cancelled()
    assert (one.walks, one.account.ended) == (set(), 0)
    assert {item.flows for item in batch._items.values()} == {0}, "no other metric waits for these items"


def test_closing_ends_the_loop_and_the_clients_and_asking_starts_anew(engine):
    closed = []

    async def close():
        closed.append(threading.current_thread().name)

    engine.submit(flows(1), Judge(), session()).result(5)
    engine._shared["one"] = SimpleNamespace(close=close)
    engine.close()
    assert (closed, engine._shared, engine._endpoints, engine._loop.runs) == (
        ["thresher-judges"],
        {},
        {},
        False,
    )
    engine.close()
    assert len(closed) == 1
    assert len(engine.submit(flows(1), Judge(), session()).result(5)) == 1


def test_a_client_that_fails_to_close_does_not_keep_the_others_open(engine):
    closed = []

    async def fail():
        raise ValueError("no")

    async def close():
        closed.append(1)

    engine._shared = {"one": SimpleNamespace(close=fail), "two": SimpleNamespace(close=close)}
    engine.close()
    assert closed == [1]


def test_a_client_that_does_not_close_is_left_after_five_seconds(engine, monkeypatch):
    waited = []

    class Never:
        def result(self, timeout):
            waited.append(timeout)
            raise TimeoutError

        def cancel(self):
            waited.append("cancelled")

    def submit(work):
        work.close()
        return Never()

    engine._shared = {"one": SimpleNamespace(close=None)}
    monkeypatch.setattr(engine._loop, "submit", submit)
    engine.close()
    assert waited == [5, "cancelled"]


@pytest.mark.parametrize(("gradually", "pauses"), [(True, [0.004, 0.004]), (False, [])])
def test_work_is_begun_a_few_at_a_time(monkeypatch, gradually, pauses):
    slept, sleep = [], asyncio.sleep

    async def paused(seconds):
        slept.append((seconds, len(begun)))
        await sleep(0)

    begun = []

    async def work(place):
        begun.append(place)
        return place

    async def run():
        return await gather_all((work(place) for place in range(9)), gradually=gradually)

    monkeypatch.setattr(asyncio, "sleep", paused)
    assert asyncio.run(run()) == list(range(9))
    assert [seconds for seconds, _ in slept] == pauses
    assert [number for _, number in slept] == [0, 4][: len(pauses)]


def test_work_that_fails_ends_the_other_work_first():
    ended = []

    async def waits():
        try:
            await asyncio.sleep(60)
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            ended.append(1)

    async def fails():
        await asyncio.sleep(0)
        raise ValueError("no")

    async def run():
        with pytest.raises(ValueError, match="no"):
            await gather_all([waits(), fails(), waits()])
        return list(ended)

    assert asyncio.run(run()) == [1, 1]


def test_the_process_has_one_engine_which_ends_with_it(monkeypatch):
    registered = []
    monkeypatch.setattr(atexit, "register", registered.append)
    monkeypatch.setattr(module, "_engine", None)
    module.end(SessionState())
    assert module._engine is None, "nothing was asked"
    one = module.engine()
    assert module.engine() is one
    assert registered == [one.close]
    ended = []
    monkeypatch.setattr(one, "end", ended.append)
    mine = SessionState()
    module.end(mine)
    assert ended == [mine]
    module._forget_after_fork()
    assert module._engine is None
