"""Empty replies at the token limit: the limit is raised once."""

import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from judges.asked import flow
from thresher.judges import (
    Answer,
    Price,
    Prices,
    Verdicts,
    asking,
    drive,
    judge_each,
    prompt,
    rehearse,
)
from thresher.judges.reply import SPENT
from thresher.results import Status

EMPTY = Answer("", finish="length")


def limited(judge, **limit):
    return judge(generation_kwargs={"temperature": 0, **limit})


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_the_limit_that_the_generator_has_is_raised_once(server, judge, name):
    server.reset(reasoning=100)
    with asking(cache=False, prices=Prices(Price(1e6, 1e6))) as account:
        (outcome,) = drive([flow()], limited(judge, **{name: 60}))
    assert outcome.value == ("text",)
    assert [body[name] for body in server.bodies] == [60, 240]
    assert [reply.spent for reply in outcome.replies] == [True, False]
    assert outcome.replies[0].evidence()["problem"] == SPENT
    assert (account.calls, account.answers) == (2, 2)
    assert account.cost == account.prompt_tokens + account.completion_tokens
    assert account.completion_tokens > 60 + 100
    assert account.notes == [f"mock: empty replies at the token limit: {name} raised from 60 to 240"]


def test_a_raised_limit_that_is_too_low_makes_the_item_unreadable(server, judge):
    server.reset(reasoning=1000)
    (outcome,) = drive([flow()], limited(judge, max_tokens=60))
    assert (outcome.status, len(server.bodies)) == (Status.UNREADABLE, 2)
    assert outcome.reason == (
        f"own/claims: the reply cannot be read: {SPENT} (max_tokens raised from 60 to 240), after 2 requests"
    )


def test_a_rerun_sends_nothing(server, judge, tmp_path):
    server.reset(reasoning=100)
    for calls in (2, 0):
        with asking(cache=tmp_path / "answers.sqlite") as account:
            (outcome,) = drive([flow()], limited(judge, max_tokens=60))
        assert (outcome.value, account.calls) == (("text",), calls)


def test_a_budget_counts_both_requests(server, judge):
    server.reset(reasoning=100)
    with asking(cache=False, max_calls=1) as account:
        (outcome,) = drive([flow()], limited(judge, max_tokens=60))
    assert (outcome.status, account.calls) == (Status.FAILED, 1)
    assert "budget of 1 call is spent" in outcome.reason


def test_another_generator_gets_the_limit_as_a_setting():
    class Reasoning(MockChatGenerator):
        generation_kwargs = {"max_tokens": 60}  # noqa: RUF012
        limits = []  # noqa: RUF012

        def run(self, messages, generation_kwargs=None):  # noqa: ARG002
            self.limits.append((generation_kwargs or self.generation_kwargs)["max_tokens"])
            if self.limits[-1] < 100:
                return {"replies": [ChatMessage.from_assistant("", meta={"finish_reason": "length"})]}
            return {"replies": [ChatMessage.from_assistant('{"claims": ["x"]}')]}

        async def run_async(self, messages, generation_kwargs=None):
            return self.run(messages, generation_kwargs)

    (outcome,) = drive([flow()], Reasoning())
    assert (outcome.value, Reasoning.limits) == (("x",), [60, 240])


def test_without_a_known_limit_two_empty_replies_end_the_item():
    outcome = rehearse(flow(), [EMPTY, EMPTY])
    assert outcome.reason == f"own/claims: the reply cannot be read: {SPENT}, after 2 requests"
    ask = prompt("valor/faithfulness").ask(Verdicts(("1",)), contexts=["c"], claims={"1": "a"})
    outcome = rehearse(judge_each(ask), [EMPTY, EMPTY])
    assert outcome.reason == f"valor/faithfulness: no verdict on 1 of 1 ({SPENT}), after 2 requests"


def test_an_empty_reply_below_the_limit_is_asked_for_again_as_before():
    assert rehearse(flow(), [Answer(""), Answer('{"claims": ["x"]}')]).value == ("x",)
