"""The short way sends what Haystack's generator sends, and waits for its turn when all is ready."""

import asyncio
import functools
from dataclasses import replace

import pytest
from haystack.components.generators.chat import AzureOpenAIChatGenerator, OpenAIChatGenerator
from haystack.tools import Tool
from haystack.utils import Secret

from judges.asked import EXPECTED, flow, flows, values
from thresher.judges import Limits, asking, drive
from thresher.judges.engine import wire
from thresher.results import Status

KEY = Secret.from_token("none")


def told(judge):
    with asking(cache=False):
        (outcome,) = drive([flow("plain")], judge)
    return replace(outcome.replies[0].answer, latency=0.0)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.5, "seed": 7, "max_completion_tokens": 300},
        {"extra_body": {"cache_prompt": False}, "logprobs": True},
    ],
)
def test_both_ways_send_the_same_and_read_the_same(server, judge, monkeypatch, settings):
    answers = [told(judge(generation_kwargs=settings))]
    monkeypatch.setattr(wire, "is_plain", lambda _: False)
    answers.append(told(judge(generation_kwargs=settings | {"user": "x"})))
    server.bodies[1].pop("user")
    assert server.bodies[0] == server.bodies[1]
    assert answers[0] == answers[1]


def test_whatever_does_more_than_send_messages_goes_the_long_way(monkeypatch):
    def plain(**options):
        return wire.is_plain(OpenAIChatGenerator(KEY, **options))

    class Own(OpenAIChatGenerator):
        pass

    assert plain()
    assert plain(generation_kwargs={"temperature": 0, "extra_body": {"a": 1}})
    tool = Tool("t", "does", {"type": "object", "properties": {}}, print)
    assert not plain(tools=[tool])
    assert not plain(streaming_callback=print)
    assert not plain(generation_kwargs={"extra_headers": {"a": "b"}})
    assert not wire.is_plain(Own(KEY))
    assert not wire.is_plain(AzureOpenAIChatGenerator("https://there", api_key=KEY))
    monkeypatch.setattr(OpenAIChatGenerator, "run_async", _wrapped(OpenAIChatGenerator.run_async))
    assert not plain()


def _wrapped(method):
    @functools.wraps(method)
    async def run_async(self, **request):
        return await method(self, **request)

    return run_async


def test_requests_are_made_ready_while_the_slots_are_taken(server, judge, monkeypatch):
    answered, post = [], wire.post

    async def counted(target, turn, messages, settings):
        answered.append(account.answers)
        return await post(target, turn, messages, settings)

    monkeypatch.setattr(wire, "post", counted)
    server.reset(base_ms=100)
    with asking(limits=Limits(max_concurrency=2)) as account:
        assert values(drive(flows(6), judge())) == EXPECTED[:6]
    assert server.max_in_flight == 2
    assert answered[:3] == [0, 0, 0], "the third was made ready before the first two had their replies"
    assert answered[3] > 0, "one is made ready ahead, no more"


def test_a_clients_own_hooks_are_kept(server, judge):
    seen = []

    async def hook(request):
        seen.append(request.url.path)

    one = judge(http_client_kwargs={"event_hooks": {"request": [hook]}})
    assert values(drive([flow()], one)) == [("text",)]
    assert seen == ["/v1/chat/completions"]


def test_clients_whose_requests_cannot_wait_go_the_long_way(server, judge, monkeypatch):
    monkeypatch.setattr(wire, "take_turns", lambda _: False)
    monkeypatch.setattr(wire, "post", None)
    with asking(limits=Limits(max_concurrency=1)):
        assert values(drive(flows(3), judge(model="another"))) == EXPECTED[:3]
    assert server.max_in_flight == 1


@pytest.mark.parametrize("said", ["hello", [1], {"choices": []}, {"choices": [{"message": None}]}])
def test_what_is_no_chat_completion_fails_its_item_alone(server, judge, monkeypatch, said):
    async def completion(*_):
        await asyncio.sleep(0)
        return 200, {}, said

    monkeypatch.setattr(server, "_completion", completion)
    with asking(limits=Limits(max_tries=1)):
        (outcome,) = drive([flow()], judge())
    assert outcome.status in (Status.FAILED, Status.UNREADABLE)
    assert "chat completion" in outcome.reason or "it is empty" in outcome.reason
