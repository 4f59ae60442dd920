"""The engine against a server: how many calls, how many at once, and what becomes of them."""

import asyncio
import contextvars
import gc
import threading
import time
import weakref

import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from thresher.errors import InputError
from thresher.judges import (
    Ask,
    Limits,
    Message,
    Prices,
    Texts,
    answered,
    asking,
    configure,
    drive,
    drive_async,
    estimating,
)
from thresher.results import Status


def flow(text="text", sample=0):
    blocks = f"<text 0123456789ab>\n{text}\n</text 0123456789ab>"
    ask = Ask(
        "own/claims", (Message("user", f'{blocks} holds the list "claims"'),), Texts("claims"), sample=sample
    )
    return answered(ask)


def flows(number):
    return [flow(f"This is text {place}.") for place in range(number)]


def values(outcomes):
    return [outcome.value for outcome in outcomes]


EXPECTED = [(f"This is text {place}.",) for place in range(40)]


def test_every_flow_has_its_outcome_in_order(server, judge):
    assert values(drive(flows(40), judge())) == EXPECTED
    assert server.calls == 40


def test_it_works_inside_a_running_loop_and_outside_twice_in_a_row(server, judge):
    one = judge()

    async def notebook():
        blocking = drive(flows(3), one)
        return values(blocking), values(await drive_async(flows(3), one))

    for sample in range(2):
        configure()
        assert values(drive(flows(3), one)) == EXPECTED[:3], sample
        assert asyncio.run(notebook()) == (EXPECTED[:3], EXPECTED[:3])


def test_waiting_asynchronously_does_not_block_the_loop(server, judge):
    server.reset(base_ms=200)

    async def run():
        task = asyncio.create_task(drive_async(flows(1), judge()))
        turns = 0
        while not task.done():
            await asyncio.sleep(0.01)
            turns += 1
        return turns

    assert asyncio.run(run()) > 5


def test_no_more_calls_are_in_flight_than_allowed_however_many_ask(server, judge):
    server.reset(base_ms=100)
    with asking(limits=Limits(max_concurrency=4)):
        threads = [
            threading.Thread(target=_drive_in(flow_list, judge())) for flow_list in (flows(12), flows(24))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.max_in_flight == 4
    assert server.calls == 24  # the twelve of the one are among those of the other


def _drive_in(flow_list, one):
    context = contextvars.copy_context()
    return lambda: context.run(drive, flow_list, one)


def test_equal_asks_are_asked_once_in_flight_and_later(server, judge):
    server.reset(base_ms=50)
    with asking() as account:
        outcomes = drive([flow() for _ in range(20)], judge())
        again = drive([flow()], judge())
    assert {outcome.value for outcome in [*outcomes, *again]} == {("text",)}
    assert (server.calls, account.calls, account.known) == (1, 1, 20)
    assert [outcome.replies[0].answer.cached for outcome in outcomes].count(False) == 1


def test_samples_are_asked_apart(server, judge):
    drive([flow(sample=sample) for sample in range(3)], judge())
    assert server.calls == 3


def test_parameters_of_generation_and_models_are_part_of_the_key_and_transport_is_not(server, judge):
    drive([flow()], judge())
    drive([flow()], judge(timeout=5.0, max_retries=1))
    assert server.calls == 1
    drive([flow()], judge(generation_kwargs={"temperature": 1}))
    drive([flow()], judge(model="other"))
    assert server.calls == 3


def test_without_a_cache_everything_is_asked(server, judge):
    with asking(cache=False):
        drive([flow()], judge())
        drive([flow()], judge())
    assert server.calls == 2


def test_a_cache_file_serves_the_next_session(server, judge, tmp_path):
    for calls in (10, 0):
        server.reset()
        with asking(cache=tmp_path / "answers.sqlite") as account:
            assert values(drive(flows(10), judge())) == EXPECTED[:10]
        assert (server.calls, account.known) == (calls, 10 - calls)


def test_the_schema_is_sent_and_the_client_does_not_retry(server, judge):
    server.reset(faults={"http500": 1.0})
    with asking(limits=Limits(max_tries=2)) as account:
        (outcome,) = drive([flow()], judge(max_retries=5))
    assert (outcome.status, outcome.reason) == (
        Status.FAILED,
        "own/claims: HTTP 500: InternalServerError: Error code: 500 - the server is unwell, after 2 tries",
    )
    assert (server.calls, account.calls, dict(account.failures)) == (2, 2, {"HTTP 500": 2})
    form = server.bodies[0]["response_format"]
    assert form["json_schema"] == {"name": "claims", "strict": True, "schema": Texts("claims").json_schema()}


def test_a_call_that_hangs_is_given_up_after_its_time_out_and_asked_again(server, judge):
    server.reset(base_ms=1, faults={"hang": 0.1}, seed=3)
    start = time.perf_counter()
    with asking(limits=Limits(timeout=0.5)) as account:
        outcomes = drive(flows(40), judge())
    assert values(outcomes) == EXPECTED
    assert account.failures == {"no answer within 0.5 s": server.faults["hang"]}
    assert server.faults["hang"] > 1
    assert time.perf_counter() - start < 30, "a hang lasts 60 s; nobody waits for its end"


def test_the_time_out_does_not_count_queueing(server, judge):
    server.reset(base_ms=120)
    with asking(limits=Limits(timeout=0.5, max_concurrency=1)) as account:
        outcomes = drive(flows(8), judge())
    assert values(outcomes) == EXPECTED[:8]
    assert not account.failures


def test_the_generator_s_own_time_out_holds_where_the_limits_name_none(server, judge):
    server.reset(faults={"hang": 1.0})
    with asking(limits=Limits(max_tries=1)):
        (outcome,) = drive([flow()], judge(timeout=0.3))
    assert "no answer within 0.3 s" in outcome.reason


def test_a_wrong_key_fails_everything_at_once_and_is_not_asked_on(server, judge, monkeypatch):
    monkeypatch.setattr(server, "_fault", lambda *_: "http401")
    monkeypatch.setattr(server, "_completion", _refused)
    with asking(limits=Limits(max_concurrency=2)) as account:
        outcomes = drive(flows(40), judge())
    assert {outcome.status for outcome in outcomes} == {Status.FAILED}
    assert "HTTP 401" in outcomes[-1].reason
    assert account.calls == 2


async def _refused(request, body):
    return 401, {}, {"error": {"message": "wrong key"}}


@pytest.mark.parametrize("refused", ["response_format", "temperature"])
def test_parameters_that_a_provider_refuses_are_left_out_and_noted(server, judge, refused):
    server.reset(refuses=(refused,))
    with asking() as account:
        outcomes = drive(flows(30), judge())
    assert values(outcomes) == EXPECTED[:30]
    assert refused in account.notes[0]
    assert refused not in server.bodies[-1]


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


def test_rates_are_kept(server, judge):
    start = time.perf_counter()
    with asking(limits=Limits(requests_per_minute=600)):
        drive(flows(66), judge())
    assert time.perf_counter() - start > 0.6
    start = time.perf_counter()
    with asking(limits=Limits(tokens_per_minute=6000), cache=False):
        drive(flows(25), judge())
    assert time.perf_counter() - start > 0.2


class Threaded:
    """A generator that can only block."""

    def __init__(self, seconds=0.02, fails=0):
        self.seconds, self.fails = seconds, fails
        self.calls = self.busy = self.most = 0
        self.lock = threading.Lock()

    def run(self, messages):  # noqa: ARG002
        with self.lock:
            self.calls += 1
            self.busy += 1
            self.most = max(self.most, self.busy)
            number = self.calls
        time.sleep(self.seconds if number > 1 or not self.fails else self.fails)
        with self.lock:
            self.busy -= 1
        return {"replies": [ChatMessage.from_assistant('{"claims": ["x"]}')]}


def test_generators_that_only_block_are_called_in_threads_and_bounded(server):
    one = Threaded()
    with asking(limits=Limits(max_concurrency=5)):
        outcomes = drive(flows(30), one)
    assert values(outcomes) == [("x",)] * 30
    assert one.most == 5


def test_a_thread_that_hangs_keeps_its_slot_but_holds_up_nobody_else(server):
    one = Threaded(seconds=0.01, fails=1.0)
    start = time.perf_counter()
    with asking(limits=Limits(max_concurrency=3, timeout=0.3)):
        outcomes = drive(flows(10), one)
    assert values(outcomes) == [("x",)] * 10
    assert time.perf_counter() - start < 30, "ten hangs one after the other, or one to its end, take longer"
    assert one.most <= 3


def test_a_generator_may_say_how_much_it_takes(server):
    class Small(Threaded):
        max_concurrency = 2

    one = Small()
    drive(flows(8), one)
    assert one.most == 2


def test_what_a_generator_raises_costs_its_flow_alone(server):
    def reply(messages):
        if "text 3." in messages[-1].text:
            raise RuntimeError("cannot\ndo this")
        return '{"claims": ["x"]}'

    outcomes = drive(flows(6), MockChatGenerator(response_fn=reply))
    assert values(outcomes) == [("x",)] * 3 + [None] + [("x",)] * 2
    assert outcomes[3].reason == "own/claims: RuntimeError: cannot do this"


def test_generators_of_other_processes_objects_share_no_answers(server):
    first = MockChatGenerator(response_fn=lambda _: '{"claims": ["1"]}')
    second = MockChatGenerator(response_fn=lambda _: '{"claims": ["2"]}')
    assert values(drive([flow()], first)) + values(drive([flow()], second)) == [("1",), ("2",)]


@pytest.mark.parametrize("said", [{}, {"replies": []}, None])
def test_no_reply_at_all_is_an_empty_one(server, said):
    class Silent:
        def run(self, messages):  # noqa: ARG002
            return said

    (outcome,) = drive([flow()], Silent())
    assert (outcome.status, "it is empty" in outcome.reason) == (Status.UNREADABLE, True)


def test_what_ended_unreadable_is_asked_again_next_time(server):
    class Learning:
        said = "no"

        def run(self, messages):  # noqa: ARG002
            return {"replies": [ChatMessage.from_assistant(self.said)]}

    one = Learning()
    assert drive([flow()], one)[0].status is Status.UNREADABLE
    one.said = '{"claims": ["now"]}'
    assert drive([flow()], one)[0].value == ("now",)


def test_what_could_be_read_is_kept_though_the_item_ended_unreadable(server):
    class Half:
        asked = 0

        def run(self, messages):
            self.asked += 1
            readable = "claims" in messages[-1].text and "first" in messages[-1].text
            return {"replies": [ChatMessage.from_assistant('{"claims": ["x"]}' if readable else "no")]}

    def both():
        yield from flow("first")
        yield from flow("second")

    one = Half()
    assert drive([both()], one)[0].status is Status.UNREADABLE
    first_time, one.asked = one.asked, 0
    drive([both()], one)
    assert one.asked == first_time - 1


def test_what_is_no_generator_is_told():
    with pytest.raises(InputError, match="chat_generator is str; give a Haystack ChatGenerator"):
        drive([flow()], "gpt-4")


def test_a_judge_without_a_key_is_told_before_anything_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match=r"cannot be used: .*OPENAI_API_KEY"):
        drive(flows(3))


def test_errors_of_flows_are_not_swallowed(server, judge):
    def broken():
        yield from flow()
        raise KeyError("a mistake of the metric's")

    with pytest.raises(KeyError):
        drive([broken(), *flows(5)], judge())


def test_an_estimate_asks_nobody_and_counts_equal_asks_once(server, judge):
    with estimating() as estimate:
        drive([flow(), flow(), *flows(3)], judge())
        drive([flow()], judge())
    assert (server.calls, estimate.calls, estimate.models, estimate.prompts) == (
        0, 4, {"mock": 4}, {"own/claims": 4},
    )  # fmt: skip
    assert estimate.cost(Prices.parse("in=1000000,out=0")) == estimate.prompt_tokens
    with pytest.raises(InputError, match="no price for 'mock'"):
        estimate.cost(Prices())


def test_a_listener_hears_every_answer(server, judge):
    heard = []
    with asking(listener=lambda ask, answer: heard.append((ask.prompt, answer.cached))):
        drive([flow()], judge())
        drive([flow()], judge())
    assert heard == [("own/claims", False), ("own/claims", True)]


def test_interrupting_cancels_what_is_in_flight(server, judge):
    server.reset(base_ms=5000)

    async def run():
        task = asyncio.create_task(drive_async(flows(4), judge()))
        await asyncio.to_thread(_until, lambda: server.in_flight == 4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(_until, lambda: server.in_flight == 0)

    asyncio.run(run())
    assert server.gone == 4


def _until(true):
    for _ in range(300):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def test_the_user_s_generator_is_left_as_it_was(server, judge):
    one = judge(max_retries=3, timeout=9.0)
    drive([flow()], one)
    assert (one.client, one.async_client, one.max_retries, one.timeout) == (None, None, 3, 9.0)


def test_objects_that_are_gone_are_not_kept(server):
    one = Threaded(seconds=0)
    drive([flow()], one)
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
