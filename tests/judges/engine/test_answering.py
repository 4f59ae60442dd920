"""Replies of generators and endpoints as answers, field by field."""

from types import SimpleNamespace

import pytest
from haystack.dataclasses import ChatMessage

from thresher.judges.engine.answering import answer_in, answer_of, cut_off
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
