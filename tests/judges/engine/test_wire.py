"""The short way sends what Haystack's generator sends, and waits for its turn when all is ready."""

import asyncio
import functools
from dataclasses import replace
from types import SimpleNamespace

import pytest
from haystack.components.generators.chat import AzureOpenAIChatGenerator, OpenAIChatGenerator
from haystack.tools import Tool
from haystack.utils import Secret

from judges.asked import EXPECTED, flow, flows, values
from thresher.judges import Limits, asking, drive
from thresher.judges.engine import wire
from thresher.judges.engine.endpoint_limits import SendPermit
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

    async def counted(target, permit, messages, settings):
        answered.append(account.answers)
        return await post(target, permit, messages, settings)

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
    monkeypatch.setattr(wire, "install_hooks", lambda _: False)
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


class Client:
    """OpenAI's client, as much of it as is used."""

    def __init__(self, reply):
        self.reply, self.posted, self.permits = reply, [], []
        hooks = {"request": ["own"], "response": ["other"]}
        self._client = SimpleNamespace(event_hooks=hooks)

    async def post(self, path, **request):
        self.posted.append((path, request))
        self.permits.append(wire._permit.get())
        await wire._before_sending(None)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def posted(client, permit, settings):
    target = SimpleNamespace(
        async_client=client, model="m", generation_kwargs={"seed": 1, "extra_body": {"a": 1}}
    )
    return asyncio.run(wire.post(target, permit, [{"role": "user", "content": "?"}], settings))


class Given:
    """A slot that counts how often it was released."""

    released = 0

    def release(self):
        self.released += 1


def counted(slot):
    async def begin():
        return slot

    return begin


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"temperature": 0}, {"seed": 1, "temperature": 0, "a": 1}),
        ({"seed": 2, "extra_body": {"b": 2}}, {"seed": 2, "b": 2}),
        ({"extra_body": None}, {"seed": 1}),
        ({"extra_body": {"n": 3, "stream": True}}, {"seed": 1, "n": 3, "stream": True}),
    ],
)
def test_the_body_of_a_request(settings, sent):
    client, slot = Client({"choices": []}), Given()
    permit = SendPermit(counted(slot))
    assert posted(client, permit, settings) == {"choices": []}
    messages = [{"role": "user", "content": "?"}]
    body = {"messages": messages, "model": "m", "n": 1, "stream": False, **sent}
    assert client.posted == [("/chat/completions", {"cast_to": object, "body": body})]
    assert (client.permits, wire._permit.get(), slot.released) == ([permit], None, 1)


def test_a_request_without_extra_settings():
    client = Client({})
    target = SimpleNamespace(async_client=client, model="m", generation_kwargs={})
    asyncio.run(wire.post(target, SendPermit(), [], {}))
    assert client.posted[0][1]["body"] == {"messages": [], "model": "m", "n": 1, "stream": False}


@pytest.mark.parametrize(("text", "data"), [('{"a": [1]}', {"a": [1]}), ("<html>", "<html>")])
def test_a_reply_that_came_as_text_is_parsed_where_it_is_json(text, data):
    assert posted(Client(text), SendPermit(), {}) == data


def test_what_the_client_raises_releases_the_permit():
    slot = Given()
    with pytest.raises(ZeroDivisionError):
        posted(Client(ZeroDivisionError()), SendPermit(counted(slot)), {})
    assert slot.released == 1
    assert wire._permit.get() is None


def test_what_refused_the_turn_is_raised_instead_of_what_the_client_made_of_it():
    class Wrapping(Client):
        async def post(self, path, **request):
            try:
                await super().post(path, **request)
            except KeyError as error:
                raise ConnectionError("wrapped") from error

    async def refuse():
        raise KeyError("refused")

    with pytest.raises(KeyError, match="refused"):
        posted(Wrapping({}), SendPermit(refuse), {})


def test_turns_are_taken_by_the_hooks_of_the_client():
    client = Client({})
    assert wire.install_hooks(SimpleNamespace(async_client=client)) is True
    assert client._client.event_hooks == {
        "request": ["own", wire._before_sending],
        "response": ["other", wire._after_the_head],
    }
    assert wire.install_hooks(SimpleNamespace(async_client=SimpleNamespace(_client=None))) is False
    assert wire.install_hooks(SimpleNamespace(async_client=SimpleNamespace())) is False


@pytest.mark.parametrize("success", [True, False])
def test_the_turn_ends_when_a_reply_was_read_but_not_after_an_error(success):
    slot, events = Given(), []
    permit = SendPermit(counted(slot))

    class Response:
        is_success = success

        async def aread(self):
            events.append(slot.released)

    async def run():
        await wire._before_sending(None)
        await wire._after_the_head(Response())
        wire._permit.set(permit)
        await wire._before_sending(None)
        await asyncio.wait_for(wire._after_the_head(Response()), 0.5)

    asyncio.run(run())
    assert (slot.released, events) == ((1, [0]) if success else (0, []))


def test_what_has_neither_settings_nor_methods_is_not_plain(monkeypatch):
    assert not wire.is_plain(object())
    own = OpenAIChatGenerator(KEY)
    monkeypatch.setattr(OpenAIChatGenerator, "run_async", object())
    assert not wire.is_plain(own)
    monkeypatch.delattr(OpenAIChatGenerator, "run_async")
    assert not wire.is_plain(own)
