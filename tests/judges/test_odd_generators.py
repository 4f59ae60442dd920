"""Generators that do what no generator should: the engine lives on, and says what happened."""

import asyncio

import pytest
from haystack.dataclasses import ChatMessage

from thresher.errors import InputError
from thresher.judges import Limits, asking, drive, extract, prompt
from thresher.results import Status


class Blocking:
    """Answers with a function, in a thread."""

    model = "odd"

    def __init__(self, answer):
        self.answer = answer

    def run(self, messages):
        return self.answer(messages)


class Asynchronous(Blocking):
    """Answers on the engine's loop."""

    async def run_async(self, messages):
        return self.answer(messages)


def said(meta=None):
    return {"replies": [ChatMessage.from_assistant('{"claims": ["It is."]}', meta=meta)]}


def outcome(judge):
    flow = extract(prompt("valor/claims"), "claims", "It is.")
    with asking(cache=False, limits=Limits(max_tries=1)):
        return drive([flow], judge)[0]


@pytest.mark.parametrize("kind", [Blocking, Asynchronous])
@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt, SystemExit, StopIteration, asyncio.CancelledError, MemoryError]
)
def test_whatever_is_raised_costs_its_item_and_the_next_is_answered(kind, raised):
    def broken(_):
        raise raised

    found = outcome(kind(broken))
    assert found.status is Status.FAILED
    assert raised.__name__ in found.reason
    assert outcome(kind(lambda _: said())).value == ("It is.",)


@pytest.mark.parametrize(
    "meta",
    [
        {"usage": None, "finish_reason": None},
        {"usage": {"prompt_tokens": "many"}},
        {"usage": {"prompt_tokens": float("nan")}},
        {"latency": "short"},
    ],
)
def test_odd_counts_lose_no_reply(meta):
    assert outcome(Blocking(lambda _: said(meta))).value == ("It is.",)


class Unready(Blocking):
    """Cannot be made ready."""

    def warm_up(self):
        raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        (Unready(lambda _: said()), "the judge odd cannot be used: out of memory"),
        (Blocking, "chat_generator is the class Blocking; give a Haystack ChatGenerator"),
        (5, "chat_generator is int; give a Haystack ChatGenerator"),
    ],
)
def test_what_cannot_be_asked_at_all_is_told_in_one_line(judge, told):
    with pytest.raises(InputError, match=told):
        outcome(judge)


def test_an_endpoint_that_answers_nobody_is_not_asked_on(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)

    def drop(_):
        raise ConnectionError("the line is dead")

    flows = [extract(prompt("valor/claims"), "claims", f"It is {number}.") for number in range(300)]
    with asking(cache=False, limits=Limits(max_concurrency=4, max_tries=3)) as account:
        outcomes = drive(flows, Blocking(drop))
    assert {found.status for found in outcomes} == {Status.FAILED}
    assert account.calls < 300, "three tries each would be 900"
    assert outcomes[-1].reason == (
        "valor/claims: not asked, as the judge stopped answering: ConnectionError: the line is dead"
    )
    assert account.lost == {"ConnectionError: the line is dead": 300}


def test_asks_that_fail_beside_others_that_succeed_give_up_alone(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)

    def drop_some(messages):
        if "odd" in messages[-1].text:
            raise ConnectionError("the line is dead")
        return said()

    texts = [f"It is {'odd' if number % 2 else 'even'} {number}." for number in range(60)]
    flows = [extract(prompt("valor/claims"), "claims", text) for text in texts]
    with asking(cache=False, limits=Limits(max_concurrency=1, max_tries=1)) as account:
        outcomes = drive(flows, Blocking(drop_some))
    assert [found.status is Status.SCORED for found in outcomes] == [True, False] * 30
    assert account.calls == 60


@pytest.mark.parametrize("kind", [Blocking, Asynchronous])
def test_halves_of_surrogate_pairs_lose_no_item_and_stop_no_cache(kind, tmp_path):
    prompts = []

    def answer(messages):
        prompts.append(messages[-1].text.encode())  # raises, were there halves in it
        return {"replies": [ChatMessage.from_assistant('{"claims": ["half \ud83d", "whole \U0001f600"]}')]}

    flow = extract(prompt("valor/claims"), "claims", "A half \ud83d of one.")
    with asking(cache=tmp_path / "answers.sqlite"):
        found = drive([flow], kind(answer))[0]
    assert found.value == ("half \ufffd", "whole \U0001f600")
    assert len(prompts) == 1


@pytest.mark.parametrize("logprob", [float("-inf"), None, "far"])
def test_odd_log_probabilities_lose_no_reply(logprob, tmp_path):
    odd = {"content": [{"token": "{", "logprob": logprob}]}
    flow = extract(prompt("valor/claims"), "claims", "It is.")
    with asking(cache=tmp_path / "answers.sqlite"):
        found = drive([flow], Blocking(lambda _: said({"logprobs": odd})))[0]
    assert found.value == ("It is.",)


@pytest.mark.parametrize("kind", [Blocking, Asynchronous])
def test_replies_that_are_plain_texts_are_read(kind):
    assert outcome(kind(lambda _: {"replies": ['{"claims": ["It is."]}']})).value == ("It is.",)
