"""What a generator is sent, in which turn, and how its client is built and closed."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from thresher.errors import InputError, ThresherError
from thresher.judges import Ask, Message, Texts
from thresher.judges.engine import generator as module
from thresher.judges.engine.endpoint_limits import SendPermit, Slots
from thresher.judges.engine.generator import Generator

SCHEMA = Texts("claims")
ASK = Ask("own/v1.0/claims.short", (Message("user", "What?"),), SCHEMA, options=(("temperature", 1.0),))
FORM = {"name": "claims_short", "strict": True, "schema": SCHEMA.json_schema()}


class Blocking:
    """A generator that can only block."""

    def __init__(self, result=None, **attributes):
        self.result = {"replies": [ChatMessage.from_assistant("yes")]} if result is None else result
        self.requests, self.threads = [], []
        vars(self).update(attributes)

    def run(self, **request):
        self.threads.append(threading.get_ident())
        self.requests.append(request)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


class Asynchronous(Blocking):
    """A generator that need not block."""

    async def run_async(self, **request):
        await asyncio.sleep(0)
        return self.run(**request)


class WithClient(Asynchronous):
    """A generator that builds OpenAI's client for itself."""

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.client = self.async_client = self.timeout = None
        self.max_retries = 3
        self.events = []

    async def warm_up_async(self):
        self.events.append("warm")

    async def close_async(self):
        self.events.append("closed")


def asked(source, ask=ASK):
    """The answer of a generator, its slots after it, and how many were taken."""

    async def run():
        slots, taken = Slots(1), []

        async def begin():
            taken.append(1)
            return await slots.acquire()

        try:
            return await Generator(source).ask(ask, SendPermit(begin))
        finally:
            assert (slots.busy, len(taken)) == (0, 1), "one turn is taken and given back"

    return asyncio.run(asyncio.wait_for(run(), 5))


def test_what_a_generator_says_of_itself():
    adopted = Generator(Blocking(model="m", timeout=3.0, max_concurrency=2, replays=1))
    assert (adopted.timeout, adopted.max_concurrency, adopted.replays) == (3.0, 2, True)
    silent = Generator(Blocking())
    assert (silent.timeout, silent.max_concurrency, silent.replays) == (None, None, False)
    assert (silent.has_own_client, silent.is_async, silent._plain, silent._ready) == (False,) * 4
    assert silent._target.result


def test_a_setting_that_was_redacted_is_named():
    source = OpenAIChatGenerator(Secret.from_token("k"), "m", organization="<redacted:3f9a>")
    with pytest.raises(InputError) as error:
        Generator(source)
    assert str(error.value) == (
        "chat_generator: organization holds the fingerprint of a credential that was not stored; write the "
        "credential itself there before the pipeline is used again"
    )


def test_only_haystacks_own_client_goes_the_short_way():
    assert Generator(OpenAIChatGenerator(Secret.from_token("k"), "m"))._plain
    assert not Generator(WithClient())._plain


@pytest.mark.parametrize("kind", [Blocking, Asynchronous])
def test_a_generator_is_asked_in_its_turn(kind):
    source = kind(model="m")
    answer = asked(source)
    assert (answer.text, answer.model) == ("yes", "m")
    assert 0 <= answer.latency < 5
    assert source.requests == [{"messages": [ChatMessage.from_user("What?")]}]
    assert (source.threads[0] == threading.get_ident()) is (kind is Asynchronous)


@pytest.mark.parametrize("kind", [Blocking, Asynchronous])
def test_what_a_generator_raises_ends_its_turn(kind):
    with pytest.raises(ValueError, match="no such prompt"):
        asked(kind(ValueError("no such prompt")))


@pytest.mark.parametrize("error", [asyncio.CancelledError(), SystemExit(3)])
def test_a_generator_that_ends_its_task_or_the_process_only_fails(error):
    with pytest.raises(RuntimeError) as raised:
        asked(Asynchronous(error))
    assert str(raised.value) == f"the generator raised {error!r}"


def test_a_task_that_is_cancelled_while_it_asks_is_cancelled():
    class Slow(Asynchronous):
        async def run_async(self, **_):
            await asyncio.sleep(60)

    async def run():
        task = asyncio.create_task(Generator(Slow()).ask(ASK, SendPermit()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(run(), 5))


class LengthFinishReasonError(Exception):
    """As OpenAI's client raises it."""

    completion = SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content="part"))], model="m-2026", usage=None
    )


def test_a_reply_that_was_cut_off_is_an_answer():
    answer = asked(Asynchronous(LengthFinishReasonError()))
    assert (answer.text, answer.model, answer.finish) == ("part", "m-2026", "length")


def test_the_short_way_is_given_the_target_the_turn_the_messages_and_the_settings(monkeypatch):
    posted = []

    async def post(*arguments):
        posted.append(arguments)
        return {"choices": [{"message": {"content": "yes"}}]}

    monkeypatch.setattr(module.wire, "post", post)
    adopted = Generator(OpenAIChatGenerator(Secret.from_token("k"), "m"))
    plain = Ask("own/claims", ASK.messages, Plain())
    permit = SendPermit()
    for ask in (plain, ASK):
        answer = asyncio.run(adopted.ask(ask, permit))
        assert (answer.text, answer.model) == ("yes", "m")
        assert 0 <= answer.latency < 5
    messages = [{"role": "user", "content": "What?"}]
    settings = {
        "temperature": 1.0,
        "extra_body": {"response_format": {"type": "json_schema", "json_schema": FORM}},
    }
    assert posted == [(adopted._target, permit, messages, {}), (adopted._target, permit, messages, settings)]


class Plain:
    """A form of reply without a schema."""

    def json_schema(self):
        return None


class RefusedError(Exception):
    status_code = 400


def test_schema_and_settings_are_sent_to_what_speaks_openai():
    source = Blocking(speaks_openai=True, generation_kwargs={"extra_body": {"a": 1}})
    adopted = Generator(source)

    def body(**form):
        return {"generation_kwargs": {"temperature": 1.0, "extra_body": {"a": 1, "response_format": form}}}

    assert adopted._options(ASK) == body(type="json_schema", json_schema=FORM)
    adopted.adapt(RefusedError("no json"), 0)
    assert adopted._options(ASK) == body(type="json_object")
    adopted.adapt(RefusedError("no json"), 1)
    assert adopted._options(ASK) == {"generation_kwargs": {"temperature": 1.0}}
    adopted.adapt(RefusedError("no temperature"), 2)
    assert adopted._options(ASK) == {}


def test_a_form_without_a_schema_is_plain_text():
    adopted = Generator(Blocking(speaks_openai=True))
    assert adopted._options(Ask("p", (), Plain())) == {}
    assert adopted._options(Ask("p", (), Plain(), options=(("seed", 1),))) == {
        "generation_kwargs": {"seed": 1}
    }


def test_without_log_probabilities_their_number_is_not_sent_either():
    adopted = Generator(Blocking(speaks_openai=True))
    ask = Ask("p", (), Plain(), options=(("logprobs", True), ("top_logprobs", 20), ("seed", 1)))
    assert adopted._options(ask) == {"generation_kwargs": dict(ask.options)}
    adopted.adapt(RefusedError("logprobs are unknown"), 0)
    assert adopted._options(ask) == {"generation_kwargs": {"seed": 1}}


@pytest.mark.parametrize(
    ("source", "formats"),
    [
        (Blocking(speaks_openai=True), ["json_schema", "json_object", None]),
        (Blocking(speaks_openai=True, generation_kwargs={"response_format": {}}), [None]),
        (Blocking(generation_kwargs=None), [None]),
        (MockChatGenerator("x"), [None]),
    ],
)
def test_which_forms_of_replies_are_asked_for(source, formats):
    adopted = Generator(source)
    assert adopted._formats == formats
    assert bool(adopted._options(ASK)) is adopted.speaks_openai


def test_settings_of_a_generator_that_is_not_a_copy_are_left_alone():
    source = Blocking(generation_kwargs={"seed": 1})
    assert Generator(source).adapt(RefusedError("no seed"), 0) is None
    assert source.generation_kwargs == {"seed": 1}
    assert Generator(Blocking()).adapt(RefusedError("no seed"), 0) is None


def test_a_client_is_built_once_and_closed_if_it_was_built():
    async def run():
        adopted = Generator(WithClient())
        await adopted.close()
        await asyncio.gather(adopted.warm_up(), adopted.warm_up())
        await adopted.close()
        await adopted.close()
        await adopted.warm_up()
        return adopted._target.events

    assert asyncio.run(run()) == ["warm", "closed", "warm"]


def test_a_generator_without_a_client_of_ours_is_not_closed():
    class Closing(Blocking):
        close_async = None

    async def run():
        adopted = Generator(Closing())
        await adopted.warm_up()
        await adopted.close()

    asyncio.run(run())


def test_a_generator_that_blocks_is_warmed_up_in_a_thread():
    class Warm(Blocking):
        def warm_up(self):
            self.threads.append(threading.get_ident())

        warm_up_async = None

    source = Warm()
    asyncio.run(Generator(source).warm_up())
    assert len(source.threads) == 1
    assert source.threads != [threading.get_ident()]


@pytest.mark.parametrize("awaited", [True, False])
def test_an_asynchronous_generator_may_be_warmed_up_by_either_method(awaited):
    class Warm(Asynchronous):
        def warm_up(self):
            self.threads.append(threading.get_ident())
            return self._warmed() if awaited else None

        async def _warmed(self):
            await asyncio.sleep(0)
            self.threads.append("awaited")

    source = Warm()
    asyncio.run(Generator(source).warm_up())
    assert source.threads == [threading.get_ident(), "awaited"][: 1 + awaited]


def test_a_client_that_cannot_be_built_is_reported_without_its_key():
    class Broken(Asynchronous):
        error = ValueError("no access with sk-1234567890abcdef")

        async def warm_up_async(self):
            raise self.error

    with pytest.raises(InputError) as raised:
        asyncio.run(Generator(Broken(model="m")).warm_up())
    assert str(raised.value).startswith("the judge m cannot be used: no access with <redacted:")
    Broken.error = ThresherError("our own words")
    with pytest.raises(ThresherError, match=r"^our own words$"):
        asyncio.run(Generator(Broken()).warm_up())


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": 5},
        {"X-A": None},
        {"X-A": ["a"]},
        {"X A": "b"},
        {"X-A": "é"},
        {"X-A": "b\nc"},
        {1: "a"},
        5,
        ["a"],
    ],
)
def test_headers_that_http_cannot_carry_are_refused_before_a_request(headers):
    source = OpenAIChatGenerator(Secret.from_token("k"), "m", generation_kwargs={"extra_headers": headers})
    with pytest.raises(InputError, match="the judge m cannot be used: HTTP cannot carry the header"):
        asyncio.run(Generator(source).warm_up())


@pytest.mark.parametrize("key", ["Canary-77\n", " Canary-77", "Canary-77é", "Canary\r\n-77"])
def test_a_key_that_http_cannot_carry_is_refused_without_its_text(key):
    with pytest.raises(InputError, match="HTTP cannot carry the header 'Authorization'") as raised:
        asyncio.run(Generator(OpenAIChatGenerator(Secret.from_token(key), "m")).warm_up())
    assert "Canary" not in str(raised.value)


@pytest.mark.parametrize("hooks", [True, False])
def test_a_client_whose_requests_cannot_wait_goes_the_long_way(monkeypatch, hooks):
    targets = []
    monkeypatch.setattr(module.wire, "install_hooks", lambda target: targets.append(target) or hooks)
    adopted = Generator(OpenAIChatGenerator(Secret.from_token("k"), "m"))
    asyncio.run(adopted.warm_up())
    assert (adopted._plain, targets) == (hooks, [adopted._target])
    other = Generator(WithClient())
    asyncio.run(other.warm_up())
    assert (other._plain, len(targets)) == (False, 1)
