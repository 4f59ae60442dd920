import asyncio
import threading
import time

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.utils import Secret

from pipelines.query_systems import ANSWERS, QUESTIONS, AsyncWriter, TextWriter, Writer, asked, rag
from processes import Forked
from thresher.errors import InputError
from thresher.judges import Prices
from thresher.judges.engine.account import Account
from thresher.pipelines.answering import QueryPipeline, ReplyCache
from thresher.pipelines.answering.generators import QuestionCalls, answering, generators_of, recorded
from thresher.pipelines.answering.replies import Reply, packed, reply_key, unpacked

USER = [ChatMessage.from_user("The tower is 48 m high.")]


def respond(pipeline, cache, questions=QUESTIONS, **options):
    return QueryPipeline(pipeline).respond(questions, 4, cache=cache, **options)


@pytest.mark.parametrize("kind", [Writer, AsyncWriter, TextWriter])
def test_replies_are_stored_and_usage_is_that_of_the_call_which_got_them(tmp_path, kind):
    log, account = str(tmp_path / "log"), Account()
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        first = respond(rag(kind(log), builder=True), cache)
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        again = respond(rag(kind(log), builder=True), cache, account=account)
    assert [response.answer for response in again] == ANSWERS
    assert [response.input_tokens for response in again] == [response.input_tokens for response in first]
    assert len(asked(log)) == len(QUESTIONS)
    assert (account.known, account.calls) == (8, 0)


def test_cached_tokens_of_generators_have_their_own_price_also_in_stored_replies(tmp_path, monkeypatch):
    plain = Writer.reply

    def reply(self, prompt):
        message = plain(self, prompt)
        message.meta["usage"]["prompt_tokens_details"] = {"cached_tokens": 5, "cache_write_tokens": 2}
        message.meta["usage"]["completion_tokens_details"] = {"reasoning_tokens": 1}
        return message

    monkeypatch.setattr(Writer, "reply", reply)
    costs = []
    for number in (1, 0):  # the second time all replies are stored
        account = Account(Prices.parse("in=1,out=2,cached_in=0.1,cache_write=2"))
        with ReplyCache(tmp_path / "replies.sqlite") as cache:
            responses = respond(rag(Writer(str(tmp_path / "log")), builder=True), cache, account=account)
        counted = account.cached_tokens, account.cache_write_tokens, account.reasoning_tokens
        assert counted == (40 * number, 16 * number, 8 * number)
        costs.append([response.cost for response in responses])
    sent = responses[0].input_tokens
    assert costs[0][0] == pytest.approx((sent - 7 + 5 * 0.1 + 2 * 2 + 2 * 2) / 1e6)
    assert costs[1] == costs[0]


def test_of_log_probabilities_only_the_numbers_are_stored():
    token = {"token": "ab", "logprob": -0.5, "bytes": [97, 98]}
    meta = {
        "logprobs": {"content": [token | {"top_logprobs": [token]}], "tokens": ["ab"], "top": [{"ab": -0.5}]},
        "prompt_logprobs": [None, {"17": {"logprob": -0.5, "decoded_token": "ab"}}],
        "output_token_logprobs": [[-0.5, 17, "ab"]],
        "logprobs_result": {"chosen_candidates": [{"token": "ab", "log_probability": -0.5}]},
        "prompt_token_ids": [17],
        "tokens": ["ab"],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    plain = Reply({"replies": ["ab"], "meta": [meta], "tokens": ["ab"]}, "m", 1, 1, 0.0)
    message = Reply({"replies": [ChatMessage.from_assistant("ab", meta=meta)]}, "m", 1, 1, 0.0)
    kept = {
        "logprobs": {"content": [{"logprob": -0.5, "top_logprobs": [{"logprob": -0.5}]}]},
        "prompt_logprobs": [None, {}],
        "output_token_logprobs": [[-0.5, None, None]],
        "logprobs_result": {"chosen_candidates": [{"log_probability": -0.5}]},
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    outputs = unpacked(packed(plain)).outputs
    assert outputs == {"replies": ["ab"], "meta": [kept], "tokens": ["ab"]}
    assert unpacked(packed(message)).outputs["replies"][0].meta == kept


def test_asynchronous_runs_use_the_same_replies(tmp_path):
    log = str(tmp_path / "log")
    writer = AsyncWriter(log)

    async def both(cache):
        calls = QuestionCalls(cache, 1, Account())
        with answering(calls):
            return await asyncio.gather(*(writer.run_async(USER) for _ in range(3))), calls

    with ReplyCache() as cache, recorded([writer]):
        replies, calls = asyncio.run(both(cache))
        with answering(QuestionCalls(cache, 1, Account())):
            replies.append(writer.run(messages=USER))
    assert len({reply["replies"][0].text for reply in replies}) == 1
    assert sorted(reply.stored for reply in calls.replies) == [False, True, True]
    assert len(asked(log)) == 1


def test_what_a_repeat_says_is_asked_anew(tmp_path):
    log = str(tmp_path / "log")
    with ReplyCache() as cache:
        for numbers in ([1, 2], [1, 2], [2, 3]):
            respond(rag(Writer(log)), cache, QUESTIONS[:1] * 2, repeats=numbers)
    assert len(asked(log)) == 3


def test_the_key_has_all_that_replies_depend_on_and_nothing_else(tmp_path):
    def key(messages=USER, repeat=1, model="a", **further):
        generator = OpenAIChatGenerator(api_key=further.pop("key", Secret.from_token("one")), model=model)
        return reply_key(generator, {"messages": messages, **further}, repeat)

    plain = key()
    later = [ChatMessage.from_user(USER[0].text, meta={"usage": 3})]
    assert plain == key(key=Secret.from_token("two")) == key(messages=later) == key(streaming_callback=print)
    changes = (
        {"repeat": 2},
        {"model": "b"},
        {"messages": [ChatMessage.from_system(USER[0].text)]},
        {"generation_kwargs": {"temperature": 1}},
    )
    assert len({plain, *(key(**change) for change in changes)}) == 5
    assert key(tools=[object()]) is None


@pytest.mark.parametrize("finish", ["length", "content_filter", "max_tokens", "SAFETY"])
def test_replies_that_another_call_may_better_are_not_stored(tmp_path, finish):
    log = str(tmp_path / "log")
    with ReplyCache() as cache:
        for _ in range(2):
            respond(rag(Writer(log, finish=finish)), cache, QUESTIONS[:1])
    assert len(asked(log)) == 2


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_reply_is_not_stored(text):
    generator, calls = MockChatGenerator(text), Account()
    with ReplyCache() as cache, recorded([generator]), answering(QuestionCalls(cache, 1, calls)):
        generator.run(USER)
        generator.run(USER)
    assert calls.calls == 2


def test_errors_are_raised_and_not_stored(tmp_path):
    log = str(tmp_path / "log")
    with ReplyCache() as cache:
        for _ in range(2):
            [response] = respond(rag(Writer(log, fail_on="tower")), cache, QUESTIONS[:1])
            assert response.problem.endswith("RuntimeError: out of paper")
    assert len(asked(log)) == 2


@component
class Slow:
    """A ChatGenerator whose calls overlap."""

    def __init__(self, fail: bool = False):
        self.fail, self.lock, self.calls = fail, threading.Lock(), 0

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):  # noqa: ARG002
        with self.lock:
            self.calls += 1
            first = self.calls == 1
        time.sleep(0.05)
        if self.fail and first:
            raise RuntimeError("once")
        return {"replies": [ChatMessage.from_assistant("yes")]}


@pytest.mark.parametrize(("fail", "calls"), [(False, 1), (True, 2)])
def test_equal_calls_at_the_same_time_are_one_call_unless_it_fails(fail, calls):
    slow = Slow(fail)
    pipeline = Pipeline()
    pipeline.add_component("prompt", Question())
    pipeline.add_component("slow", slow)
    pipeline.connect("prompt.messages", "slow.messages")
    with ReplyCache() as cache:
        responses = respond(pipeline, cache, ["Who?"] * 4)
    assert sorted(bool(response.problem) for response in responses) == [False] * 3 + [fail]
    assert slow.calls == calls


@component
class Question:
    """Makes a message of the question."""

    @component.output_types(messages=list[ChatMessage])
    def run(self, query: str):
        return {"messages": [ChatMessage.from_user(query)]}


def test_generators_are_as_before_when_the_last_run_has_ended(tmp_path):
    writer = AsyncWriter(str(tmp_path / "log"))
    own = writer.run_async = writer.run_async
    with recorded([writer]):
        with recorded([writer]):
            assert "run" in vars(writer)
        assert "run" in vars(writer)
    assert "run" not in vars(writer)
    assert writer.run_async is own
    pipeline = rag(Writer(str(tmp_path / "log")))
    before = pipeline.dumps()
    with ReplyCache() as cache:
        respond(pipeline, cache)
    assert pipeline.dumps() == before
    assert "run" not in vars(pipeline.get_component("writer"))


def test_other_runs_of_a_recorded_generator_are_not_recorded(tmp_path):
    writer = Writer(str(tmp_path / "log"))
    with recorded([writer]):
        writer.run(messages=USER)
        writer.run(USER)
    assert len(asked(tmp_path / "log")) == 2


def test_generators_inside_agents_are_found():
    inner = MockChatGenerator("yes")
    pipeline = Pipeline()
    pipeline.add_component("agent", Agent(chat_generator=inner))
    assert generators_of(pipeline) == [inner]


@pytest.mark.parametrize("place", [False, 3, None])
def test_a_cache_is_a_file_or_memory(place):
    with pytest.raises(InputError, match="must be a file, or True"):
        ReplyCache(place)


PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from pipelines.query_systems import QUESTIONS, Writer, rag
from thresher.pipelines.answering import QueryPipeline, ReplyCache
with ReplyCache(sys.argv[3]) as cache:
    responses = QueryPipeline(rag(Writer(sys.argv[2]))).respond(QUESTIONS, 4, cache=cache)
print(",".join(response.answer for response in responses))
"""


def test_processes_that_share_a_file_share_calls(tmp_path, pytestconfig):
    tests = pytestconfig.rootpath / "tests"
    places = (tests, tmp_path / "log", tmp_path / "replies.sqlite")
    processes = [Forked(PROCESS, *places) for _ in range(3)]
    answers = {process.communicate()[0].strip() for process in processes}
    assert answers == {",".join(ANSWERS)}
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)


def test_a_reply_with_tool_calls_is_stored_whole():
    call = ToolCall(tool_name="search", arguments={"query": "tower"}, id="1")
    message = ChatMessage.from_assistant(tool_calls=[call], meta={"finish_reason": "tool_calls"})
    generator = MockChatGenerator(message)
    with ReplyCache() as cache, recorded([generator]), answering(QuestionCalls(cache, 1, Account())):
        first, second = generator.run(USER)["replies"], generator.run(USER)["replies"]
    assert first[0].tool_calls == second[0].tool_calls == [call]
