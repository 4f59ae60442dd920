"""One ask at a time: known, replayed, or sent; tried again; and what is counted on the way."""

import asyncio
import threading
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from thresher.errors import InputError
from thresher.judges import Answer, Ask, Limits, Message, Price, Prices, Texts, Unanswered
from thresher.judges.engine import live_requests as module
from thresher.judges.engine.account import Account
from thresher.judges.engine.answers import MemoryAnswers
from thresher.judges.engine.batch import Batch, BatchItem
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.client import Client, EstimatingClient
from thresher.judges.engine.endpoint_limits import EndpointLimits
from thresher.judges.engine.session_state import SessionState
from thresher.judges.estimate import CostEstimate
from thresher.judges.flow import Reply
from thresher.judges.planted import Material
from thresher.judges.settings import TIMEOUT
from thresher.results import Status

ASK = Ask("own/claims", (Message("user", "What is claimed?"),), Texts("claims"))
SAID = Answer('{"claims": ["x"]}', "m-2026", prompt_tokens=3, completion_tokens=2)


class StatusError(Exception):
    """A response with this status."""

    def __init__(self, status, headers=None):
        super().__init__("oops")
        self.status_code = status
        self.response = SimpleNamespace(headers=headers)


class Judge:
    """A generator that answers by a script: what it raises or says, one after the other."""

    identity, model, timeout, replays, version = "id", "m", None, False, 0

    def __init__(self, *script, **attributes):
        self.script, self.asked, self.adapted = list(script), [], []
        vars(self).update(attributes)

    async def warm_up(self):
        self.warm = True

    async def ask(self, ask, permit):
        await permit.acquire()
        try:
            self.asked.append(ask)
            for _ in range(3):
                await asyncio.sleep(0)
            said = self.script.pop(0)
            if isinstance(said, Exception):
                raise said
            return await said() if callable(said) else said
        finally:
            permit.release()

    def adapt(self, error, version):
        self.adapted.append((error, version))


class Asking:
    """An client with all that it needs, for one item."""

    def __init__(self, judge, account=None, answers=None, **options):
        self.judge = judge
        self.account = Account() if account is None else account
        limits = options.pop("limits", None) or Limits(max_tries=3, max_concurrency=1)
        self.session = SessionState(
            limits=limits, budget=Budget(self.account), answers=answers or MemoryAnswers(), **options
        )
        self.endpoint, self.breaker = EndpointLimits(limits), Breaker(self.account)
        self.client = Client(self.session, judge, self.endpoint, self.breaker)
        self.item = BatchItem(Batch(), 4)
        self.item.flows = self.item.metrics = 1

    def reply(self, ask=ASK):
        return asyncio.run(asyncio.wait_for(self.client.reply(ask, self.item), 5))


@pytest.fixture
def pauses(monkeypatch):
    """What backoff was called with; no try waits."""
    calls = []
    monkeypatch.setattr(module, "backoff", lambda *arguments: calls.append(arguments) or 0.0)
    return calls


def test_an_answer_is_counted_kept_and_reported(pauses):
    heard = []
    prices = Prices(models={"m": Price(1e6, 1e6)})
    asking = Asking(Judge(SAID), Account(prices), listener=lambda *pair: heard.append(pair))
    reply = asking.reply()
    assert (reply.value, reply.answer, asking.judge.warm) == (("x",), SAID, True)
    assert heard == [(ASK, SAID)]
    assert asking.session.answers.get(asking.client.key(ASK)) == SAID
    assert (asking.item.cost, asking.account.cost, asking.item.calls) == (5.0, 5.0, 1)
    assert (asking.account.calls, asking.account.answers, asking.account.known) == (1, 1, 0)
    assert (asking.endpoint.slots.busy, asking.endpoint.ready.busy, asking.endpoint.served) == (0, 0, 4)
    again = asking.reply()
    assert again.answer == replace(SAID, cached=True)
    assert (asking.account.calls, asking.account.known) == (1, 1)
    assert heard[1:] == [(ASK, again.answer)]
    asking.reply()
    assert asking.account.known == 2


def test_long_data_are_searched_without_stopping_the_loop():
    ready = threading.Event()

    @dataclass(frozen=True)
    class Waiting(Texts):
        def read(self, data):
            assert ready.wait(5), "the loop stands still"
            return super().read(data)

    long = replace(ASK, schema=Waiting("claims"), material=Material(("word " * 20_000,)))
    asking = Asking(Judge(SAID, SAID))

    async def both():
        replies = [asyncio.ensure_future(asking.client.reply(long, asking.item)) for _ in range(2)]
        await asyncio.sleep(0.05)
        ready.set()
        return await asyncio.wait_for(asyncio.gather(*replies), 5)

    assert [reply.value for reply in asyncio.run(both())] == [("x",), ("x",)]


def test_an_error_of_the_form_reaches_the_caller_from_the_thread_too():
    class Failing(Texts):
        def read(self, data):
            raise LookupError(f"no such form: {data}")

    for size in (10, 20_000):
        ask = replace(ASK, schema=Failing("claims"), material=Material(("word " * size,)))
        with pytest.raises(LookupError, match="no such form"):
            Asking(Judge(SAID)).reply(ask)


def test_what_is_known_is_used_before_the_judge_is_warmed_up():
    asking = Asking(Judge())
    asyncio.run(asking.session.answers.put(asking.client.key(ASK), "own/claims", SAID))
    assert asking.reply().answer.cached
    assert not hasattr(asking.judge, "warm")


def test_the_answers_of_an_item_add_up_and_are_kept_with_their_prompt():
    kept = []

    class Answers(MemoryAnswers):
        async def put(self, key, prompt, answer):
            kept.append((key, prompt, answer))

    asking = Asking(Judge(SAID, SAID), Account(Prices(models={"m": Price(1e6, 1e6)})), answers=Answers())
    other = replace(ASK, sample=1)
    for ask in (ASK, other):
        asking.reply(ask)
    assert (asking.item.cost, asking.item.calls) == (10.0, 2)
    assert kept == [(asking.client.key(ask), "own/claims", SAID) for ask in (ASK, other)]


@pytest.mark.parametrize(("ready", "order"), [(2, [9, 5, 1, 3, 7]), (10, [9, 1, 3, 5, 7])])
def test_the_lowest_order_is_made_ready_and_sent_first(ready, order):
    asking = Asking(Judge(*[SAID] * 5))
    asking.endpoint.ready.resize(ready)

    async def all_at_once():
        items = [BatchItem(Batch(), number) for number in (9, 5, 3, 7, 1)]
        await asyncio.gather(*(asking.client.reply(replace(ASK, sample=item.order), item) for item in items))

    asyncio.run(asyncio.wait_for(all_at_once(), 5))
    assert [ask.sample for ask in asking.judge.asked] == order


def test_the_highest_order_served_only_grows():
    asking = Asking(Judge(SAID))
    asking.endpoint.served = 9
    asking.reply()
    assert asking.endpoint.served == 9


def test_equal_asks_in_flight_are_one():
    asking = Asking(Judge(SAID, SAID))

    async def together():
        asks = [ASK, ASK, ASK, replace(ASK, sample=1)]
        return await asyncio.gather(*(asking.client.reply(ask, asking.item) for ask in asks))

    replies = asyncio.run(asyncio.wait_for(together(), 5))
    assert [reply.answer.cached for reply in replies] == [False, True, True, False]
    assert (asking.account.calls, asking.account.known) == (2, 2)


def test_a_key_covers_all_that_an_answer_depends_on_and_stays_as_it_is():
    """Cache files are read by their keys."""
    key = Asking(Judge()).client.key
    assert key(ASK) == "587e79fa79bdb97eac5a82e3ec0b95470d89395df60958216a8a3b4b95caf5fa"
    changes = [
        {"messages": (Message("user", "What?"),)},
        {"messages": (Message("system", "What is claimed?"),)},
        {"schema": Texts("facts")},
        {"sample": 1},
        {"options": (("seed", 1),)},
    ]
    keys = [key(replace(ASK, **change)) for change in changes]
    assert len({key(ASK), Asking(Judge(identity="other")).client.key(ASK), *keys}) == 7
    assert key(replace(ASK, prompt="other", subject="text")) == key(ASK)


@pytest.mark.parametrize(
    ("limit", "own", "seconds"), [(2.0, 3.0, 2.0), (None, 3.0, 3.0), (None, None, TIMEOUT)]
)
def test_whose_time_out_holds(limit, own, seconds):
    assert Asking(Judge(timeout=own), limits=Limits(timeout=limit)).client._requests._timeout == seconds


def test_only_answers_that_cannot_be_read_are_forgotten():
    other = replace(ASK, sample=1)
    asking = Asking(Judge(Answer("no"), SAID))
    replies = (asking.reply(), asking.reply(other), Reply.failed(replace(ASK, sample=2), "lost"))
    asyncio.run(asking.client.forget(replies))
    assert [asking.session.answers.get(asking.client.key(ask)) for ask in (ASK, other)] == [None, SAID]


def test_a_replay_is_no_call_and_says_so():
    asking = Asking(Judge(SAID, SAID, LookupError("no answer to the prompt"), replays=True))
    for _ in range(2):
        assert asking.reply().answer == replace(SAID, cached=True)
    assert asking.judge.asked == [ASK, ASK]
    assert asking.account.to_dict() == Account().to_dict() | {
        "known": 2,
        "notes": ["no model was called: replies are replayed from m"],
    }
    lost = asking.reply()
    assert (lost.ask, lost.answer, lost.problem) == (ASK, None, "no answer to the prompt")
    assert asking.account.failures == {"the recording has no reply to the prompt": 1}
    assert asking.account.known == 2
    asking.judge.script = [LookupError("again")]
    asking.reply()
    assert asking.account.failures.total() == 2


def test_a_call_that_passes_is_tried_again_after_a_pause(pauses):
    failures = [StatusError(500), StatusError(429, {"retry-after": "7"}), StatusError(500)]
    asking = Asking(Judge(*failures, SAID), limits=Limits(max_tries=4))
    reply = asking.reply()
    assert (reply.answer.tries, asking.account.calls, asking.item.calls) == (4, 4, 4)
    assert asking.judge.asked == [ASK] * 4
    assert asking.account.failures == {"HTTP 500": 2, "HTTP 429": 1}
    assert pauses == [(1, None), (2, 7.0), (3, None)]
    assert not asking.account.lost


def test_a_call_is_given_up_after_all_tries(pauses):
    asking = Asking(Judge(*[StatusError(429)] * 4), limits=Limits(max_tries=2))
    reply = asking.reply()
    assert (reply.ask, reply.problem) == (ASK, "HTTP 429: StatusError: oops, after 2 tries")
    assert len(asking.judge.asked) == 2
    assert asking.account.lost == {"HTTP 429 (StatusError)": 1}
    assert asking.endpoint.slots.busy == asking.endpoint.ready.busy == 0


def test_a_failure_that_stays_is_not_tried_again_and_loses_no_judge(pauses):
    asking = Asking(Judge(StatusError(422)))
    assert asking.reply().problem == "HTTP 422: StatusError: oops"
    assert (pauses, asking.breaker.refusal, asking.account.lost) == ([], "", {})


def test_after_a_rejection_the_next_ask_is_not_sent(pauses):
    asking = Asking(Judge(StatusError(401)))
    problem = "HTTP 401: StatusError: oops"
    assert asking.reply().problem == asking.breaker.refusal == problem
    assert asking.reply().problem == problem
    assert (len(asking.judge.asked), asking.account.calls) == (1, 1)
    assert asking.account.lost == {"HTTP 401 (StatusError)": 2}
    assert asking.endpoint.slots.busy == asking.endpoint.ready.busy == 0


def test_an_ask_that_waits_for_the_rate_is_not_sent_after_a_rejection():
    asking = Asking(Judge(SAID))

    async def pace(ask):
        asking.breaker.reject(module.trouble(StatusError(401)))
        return 0

    asking.endpoint.pace = pace
    assert asking.reply().problem == "HTTP 401: StatusError: oops"
    assert (asking.judge.asked, asking.account.calls, asking.endpoint.slots.busy) == ([], 0, 0)


def test_a_refused_parameter_is_left_out_and_the_ask_sent_again_at_once(pauses):
    judge = Judge(StatusError(400), SAID, version=7)
    judge.adapt = lambda error, version: judge.adapted.append((str(error), version)) or "asked without it"
    asking = Asking(judge)
    assert asking.reply().answer.tries == 2
    assert (judge.adapted, pauses) == ([("oops", 7)], [])
    assert asking.account.notes == ["m: asked without it"]
    judge.script, judge.adapt = [StatusError(400), SAID], lambda *_: ""
    asking.reply(replace(ASK, sample=1))
    assert asking.account.notes == ["m: asked without it"], "another request has noted it"


def test_a_call_without_an_answer_in_time_is_ended_and_named(pauses):
    asking = Asking(Judge(lambda: asyncio.sleep(60)), limits=Limits(timeout=0.05, max_tries=1))
    assert asking.reply().problem == "no answer within 0.05 s"
    assert asking.account.failures == {"no answer within 0.05 s": 1}
    slow = Judge(lambda: asyncio.sleep(60), SAID)
    assert Asking(slow, limits=Limits(timeout=0.05, max_tries=2)).reply().answer.tries == 2
    asking = Asking(Judge(TimeoutError("the client's own words")), limits=Limits(max_tries=1))
    assert asking.reply().problem == "TimeoutError: the client's own words"


def test_input_errors_go_on(pauses):
    with pytest.raises(InputError, match="no price for 'm'"):
        Asking(Judge(SAID), Account(Prices())).reply()
    with pytest.raises(InputError, match="from the judge"):
        Asking(Judge(InputError("from the judge"))).reply()


def test_an_unreachable_judge_keeps_the_slot_while_it_is_waited_for(monkeypatch):
    asking = Asking(Judge(ConnectionRefusedError(111, "no"), StatusError(500), SAID))
    busy, sleep = [], asyncio.sleep

    async def watched(seconds):
        if seconds:
            busy.append((asking.endpoint.slots.busy, seconds))
        await sleep(0)

    monkeypatch.setattr(module, "backoff", lambda *_: 9.0)
    monkeypatch.setattr(asyncio, "sleep", watched)
    assert asking.reply().answer.tries == 3
    assert busy == [(1, 9.0), (0, 9.0)]
    assert asking.endpoint.slots.busy == 0


def test_an_ask_whose_judge_is_unreachable_waits_in_its_turn(pauses):
    asking = Asking(Judge(ConnectionRefusedError(111, "no"), SAID, SAID, SAID))
    asking.endpoint.ready.resize(10)

    async def all_at_once():
        items = [BatchItem(Batch(), number) for number in (9, 5, 3)]
        await asyncio.gather(*(asking.client.reply(replace(ASK, sample=item.order), item) for item in items))

    asyncio.run(asyncio.wait_for(all_at_once(), 5))
    assert [ask.sample for ask in asking.judge.asked] == [9, 3, 5, 9]


def test_an_ask_that_waits_for_an_unreachable_judge_ends_when_it_is_lost(pauses):
    asking = Asking(Judge(ConnectionRefusedError(111, "no"), SAID))
    monitored = asking.breaker

    def adapt(*_):
        monitored.reject(module.trouble(StatusError(401)))

    asking.judge.adapt = adapt
    assert asking.reply().problem == "HTTP 401: StatusError: oops"
    assert (asking.account.calls, asking.endpoint.slots.busy) == (1, 0)


def test_a_request_sets_money_aside_until_it_has_ended(pauses):
    account = Account(Prices(models={"m": Price(1e6, 0)}), max_cost=100.0)
    account.admit(ASK, "m")  # of another flow
    asking = Asking(Judge(StatusError(500), SAID), account)
    aside = []
    asking.judge.script[1] = lambda: _noted(aside, account)
    asking.reply()
    assert (aside, account._reserved, account._in_flight) == ([(8.0, 2)], 4.0, 1)
    assert asking.item.cost == account.cost == 3.0


async def _noted(aside, account):
    aside.append((account._reserved, account._in_flight))
    return SAID


def test_tokens_that_were_expected_are_corrected_and_an_answer_closes_the_breaker():
    asking, settled = Asking(Judge(SAID)), []

    async def pace(ask):
        return 7 if ask is ASK else 0

    asking.endpoint.pace, asking.endpoint.settle = pace, lambda *pair: settled.append(pair)
    before = time.monotonic()
    asking.reply()
    assert settled == [(7, SAID)]
    assert before <= asking.breaker._answered <= time.monotonic(), "the moment in which it was sent"


def test_an_ask_fails_since_its_first_failure(pauses):
    asking, given_up = Asking(Judge(*[StatusError(500)] * 3)), []
    asking.breaker.give_up = lambda *arguments: given_up.append(arguments)
    before = time.monotonic()
    asking.reply()
    ((fault, since, in_flight),) = given_up
    assert (fault.status, in_flight) == (500, 1)
    assert before <= since <= time.monotonic()


def test_failures_begin_with_the_first(monkeypatch):
    async def run():
        now = iter([5.0, 6.0])
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: next(now, 7.0))
        tries = module.Tries()
        tries.fail()
        tries.fail()
        return tries

    assert asyncio.run(run()) == module.Tries(2, 5.0)


class Shared(MemoryAnswers):
    """Answers that another process may be asking for."""

    def __init__(self, *claims):
        super().__init__()
        self.claims, self.claimed, self.waited, self.released = list(claims), [], [], []

    async def claim(self, key, *, force=False):
        self.claimed.append((key, force))
        return self.claims.pop(0)

    async def arrival(self, key, patience):
        self.waited.append((key, patience))
        return self.claims.pop(0)

    def release(self, key):
        self.released.append(key)


def test_what_another_process_asks_is_waited_for():
    answers = Shared("wait", None, "wait", SAID)
    asking = Asking(Judge(), answers=answers, limits=Limits(timeout=10.0))
    reply, key = asking.reply(), asking.client.key(ASK)
    assert reply.answer == replace(SAID, cached=True)
    assert (asking.account.calls, asking.account.known, asking.endpoint.ready.busy) == (0, 1, 0)
    assert answers.claimed == [(key, False)] * 2
    assert [entry[0] for entry in answers.waited] == [key] * 2
    assert all(19.0 < patience <= 20.0 for _, patience in answers.waited), "two time-outs"
    assert answers.get(key) is None, "it is in the file already"


def test_after_two_time_outs_another_process_is_waited_for_no_longer(monkeypatch):
    answers = Shared("wait", None, "ask")
    asking = Asking(Judge(SAID), answers=answers, limits=Limits(timeout=10.0))
    now = iter([100.0, 119.9, 119.95, 120.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(now)))
    asyncio.run(asking.client._requests._try_once("k", ASK, asking.item))
    assert answers.claimed == [("k", False), ("k", True)]
    assert answers.waited == [("k", pytest.approx(0.05))]


def test_an_answer_that_arrived_before_the_claim_is_used():
    asking = Asking(Judge(), answers=Shared(SAID, SAID))
    for _ in range(2):
        assert asking.reply().answer == replace(SAID, cached=True)
    assert asking.account.known == 2


def test_the_leave_to_ask_is_returned_where_no_answer_comes(pauses):
    answers = Shared("ask", "ask")
    asking = Asking(Judge(StatusError(422), SAID), answers=answers)
    asking.reply()
    key = asking.client.key(ASK)
    assert answers.released == [key]
    asking.reply()
    assert answers.released == [key], "a kept answer ends it by itself"


def test_what_the_budget_would_refuse_is_used_where_it_has_arrived():
    answers, looked = Shared(SAID), []
    asking = Asking(Judge(), Account(max_calls=0), answers=answers)
    answers.get = lambda key: looked.append(key) or (SAID if len(looked) == 2 else None)
    assert asking.reply().answer.cached
    assert looked == [asking.client.key(ASK)] * 2
    answers.get = lambda _: None
    assert asking.reply().problem == "not asked: the budget of 0 calls is spent"


def test_an_estimate_asks_nobody_and_counts_what_would_be_asked():
    session = SessionState(estimate=CostEstimate())
    estimator = EstimatingClient(session, "id", "m")

    async def run():
        asks = [ASK, ASK, replace(ASK, sample=1), replace(ASK, options=(("seed", 1),))]
        asks += [replace(ASK, schema=Texts("facts")), replace(ASK, messages=(Message("user", "Other."),))]
        replies = [await estimator.reply(ask, None) for ask in asks]
        await estimator.forget(tuple(replies))
        await EstimatingClient(session, "other", "m").reply(ASK, None)
        return replies[0]

    reply = asyncio.run(run())
    assert (reply.answer, reply.problem) == (Answer('{"claims": ["-"]}', model="m", finish="stop"), "")
    estimate = session.estimate
    assert (estimate.calls, estimate.models, estimate.prompts) == (6, {"m": 6}, {"own/claims": 6})
    with pytest.raises(TypeError) as error:
        EstimatingClient(SessionState(), "id", "m")
    assert str(error.value) == "the session estimates nothing"


@pytest.mark.parametrize(
    "source", [Judge(StatusError(422)), Judge(LookupError("no answer to the prompt"), replays=True)]
)
def test_an_ask_without_an_answer_is_a_failure_of_the_item(source):
    asking = Asking(source)
    with pytest.raises(Unanswered) as error:
        asyncio.run(asking.client._answer("k", ASK, asking.item))
    assert error.value.status is Status.FAILED


def test_a_lost_judge_is_a_failure_of_the_item():
    asking = Asking(Judge(SAID))
    asking.breaker.refusal = "not asked: lost"
    with pytest.raises(Unanswered) as error:
        asking.client._requests.recovery.check_breaker()
    assert (error.value.status, error.value.reason) == (Status.FAILED, "not asked: lost")
