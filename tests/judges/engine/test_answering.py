"""Replies of generators and endpoints as answers, field by field."""

from types import SimpleNamespace

import pytest
from haystack.dataclasses import ChatMessage

from thresher.judges import Ask, Message, Texts
from thresher.judges.engine.answering import answer_in, answer_of, cut_off, messages_of, plain_messages_of
from thresher.judges.flow import Answer

META = {
    "model": "m-2026",
    "finish_reason": "length",
    "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    "latency": 0.5,
}


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (None, Answer(None, model="asked", latency=2.0)),
        ({"replies": []}, Answer(None, model="asked", latency=2.0)),
        ({"replies": ["yes"]}, Answer("yes", model="asked", latency=2.0)),
        ({"replies": [ChatMessage.from_assistant("yes")]}, Answer("yes", model="asked", latency=2.0)),
        (
            {"replies": [ChatMessage.from_assistant("yes", meta=META)]},
            Answer("yes", "m-2026", "length", 7, 3, 0.5),
        ),
        (
            {
                "replies": [
                    ChatMessage.from_assistant(
                        "n\ud83d", meta={"usage": {"input_tokens": 4, "output_tokens": 2}}
                    )
                ]
            },
            Answer("n\ufffd", "asked", "stop", 4, 2, 2.0),
        ),
        (
            {
                "replies": [
                    ChatMessage.from_assistant("n", meta={"usage": {"prompt_tokens": "4"}, "latency": "1"})
                ]
            },
            Answer("n", "asked", "stop", 0, 0, 2.0),
        ),
    ],
)
def test_a_generators_reply(result, answer):
    assert answer_of(result, 2.0, "asked") == answer


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ({}, Answer(None, model="asked", latency=2.0)),
        ({"choices": []}, Answer(None, model="asked", latency=2.0)),
        ({"choices": [{}]}, Answer(None, model="asked", latency=2.0)),
        (
            {
                "choices": [{"message": {"content": "yes"}, "finish_reason": "length"}],
                "model": "m-2026",
                "usage": {"prompt_tokens": 7, "completion_tokens": 3},
            },
            Answer("yes", "m-2026", "length", 7, 3, 2.0),
        ),
    ],
)
def test_an_endpoints_reply(data, answer):
    assert answer_in(data, 2.0, "asked") == answer


def test_what_is_no_reply_of_an_endpoint():
    with pytest.raises(ConnectionError) as error:
        answer_in("<html>" + 100 * "x", 1.0, "m")
    assert str(error.value) == f"the server replied with {'<html>' + 74 * 'x'!r} instead of a chat completion"


ASK = Ask("p", (Message("system", "Be brief."), Message("user", "half \ud83d é")), Texts("t"))


def test_messages_keep_role_and_text_and_hold_no_half_characters():
    assert plain_messages_of(ASK) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "half \ufffd é"},
    ]
    assert messages_of(ASK) == [
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("half \ufffd é"),
    ]


def test_log_probabilities_are_read_from_both_kinds_of_replies():
    logprobs = {"content": [{"token": "4", "top_logprobs": [{"token": "4", "logprob": -0.1}]}]}
    plain = [["4", [["4", -0.1]]]]
    choice = {"message": {"content": "4"}, "logprobs": logprobs}
    assert answer_in({"choices": [choice]}, 2.0, "m").logprobs == plain
    reply = ChatMessage.from_assistant("4", meta={"logprobs": logprobs})
    assert answer_of({"replies": [reply]}, 2.0, "m").logprobs == plain


def test_token_counts_that_are_missing_or_infinite_are_zero():
    usage = {"prompt_tokens": float("inf")}
    answer = answer_in({"choices": [{"message": {"content": "4"}}], "usage": usage}, 2.0, "m")
    assert (answer.prompt_tokens, answer.completion_tokens) == (0, 0)


def test_the_error_of_a_client_without_a_completion_goes_on():
    error = LengthFinishReasonError()
    del error.completion
    with pytest.raises(LengthFinishReasonError):
        cut_off(error)


class LengthFinishReasonError(Exception):
    """As OpenAI's client raises it."""

    def __init__(self, *choices, usage=None):
        super().__init__("cut off")
        self.completion = SimpleNamespace(choices=choices, model="m-2026", usage=usage)


def test_a_reply_that_was_cut_off_is_read():
    choice = SimpleNamespace(message=SimpleNamespace(content="part"))
    usage = SimpleNamespace(model_dump=lambda: {"prompt_tokens": 7, "completion_tokens": 3})
    answer = answer_of(cut_off(LengthFinishReasonError(choice, usage=usage)), 2.0, "asked")
    assert answer == Answer("part", "m-2026", "length", 7, 3, 2.0)
    silent = SimpleNamespace(message=SimpleNamespace(content=None))
    assert answer_of(cut_off(LengthFinishReasonError(silent)), 2.0, "m") == Answer(
        "", "m-2026", "length", latency=2.0
    )


@pytest.mark.parametrize("error", [LengthFinishReasonError(), ValueError("other")])
def test_other_errors_go_on(error):
    with pytest.raises(type(error)) as raised:
        cut_off(error)
    assert raised.value is error
