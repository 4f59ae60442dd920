import json

import pytest

from thresher.errors import InputError
from thresher.judges import Answer, Ask, Message, Reply, Texts, Unanswered, Verdicts, rehearse, together
from thresher.judges.walks import Walk
from thresher.results import Status


def ask(name="one", schema=None):
    return Ask(name, (Message("system", "s"), Message("user", f"about {name}")), schema or Texts("a"))


def one(name="one"):
    reply = yield ask(name)
    return reply.value


def test_a_flow_receives_what_was_replied():
    outcome = rehearse(one(), ['{"a": ["x"]}'])
    assert (outcome.value, outcome.status) == (("x",), Status.SCORED)
    assert [reply.answer.text for reply in outcome.replies] == ['{"a": ["x"]}']


def test_a_list_is_asked_at_once_and_answered_in_order():
    def flow():
        replies = yield [ask("one"), ask("two")]
        return [reply.value for reply in replies]

    walk = Walk(flow())
    assert [wanted.prompt for wanted in walk.asks] == ["one", "two"]
    assert rehearse(flow(), ['{"a": ["1"]}', '{"a": ["2"]}']).value == [("1",), ("2",)]


def test_an_empty_list_is_answered_by_an_empty_list():
    def flow():
        replies = yield []
        return replies

    assert rehearse(flow(), []).value == []


def test_a_flow_may_end_without_asking():
    def flow():
        raise Unanswered(Status.UNDEFINED, "nothing to judge")
        yield

    outcome = rehearse(flow(), [])
    assert (outcome.value, outcome.status, outcome.reason) == (None, Status.UNDEFINED, "nothing to judge")


def test_flows_side_by_side_ask_at_the_same_time():
    def two():
        first = yield from one("first")
        second = yield from one("second")
        return first + second

    walk = Walk(together(two(), one("third"), two()))
    rounds = []
    while walk.outcome is None:
        rounds.append([wanted.prompt for wanted in walk.asks])
        walk.give([Reply.read(wanted, Answer(json.dumps({"a": [wanted.prompt]}))) for wanted in walk.asks])
    assert rounds == [["first", "third", "first"], ["second", "second"]]
    assert walk.outcome.value == [("first", "second"), ("third",), ("first", "second")]


def test_one_flow_without_a_value_ends_those_beside_it():
    def fails():
        reply = yield ask("bad")
        raise Unanswered(Status.FAILED, reply.problem)

    outcome = rehearse(together(one(), fails(), one()), ['{"a": []}', RuntimeError("down"), '{"a": []}'])
    assert (outcome.status, outcome.reason) == (Status.FAILED, "down")
    assert len(outcome.replies) == 3


def test_a_rehearsal_tells_when_its_list_does_not_fit():
    with pytest.raises(InputError, match="asks for more replies than the list holds; the next is for one"):
        rehearse(one(), [])
    with pytest.raises(InputError, match="did not ask for 1 of the replies, the first: 'left'"):
        rehearse(one(), ['{"a": []}', "left"])


def test_a_rehearsal_takes_a_function_of_the_ask():
    assert rehearse(one(), lambda wanted: json.dumps({"a": [wanted.prompt]})).value == ("one",)


def test_a_note_changes_the_last_message_and_the_form():
    narrowed = ask(schema=Verdicts(("1", "2"))).noted("only 2", Verdicts(("2",)))
    assert narrowed.messages[0].text == "s"
    assert narrowed.messages[1].text == "about one\n\nonly 2"
    assert narrowed.schema.ids == ("2",)
    assert narrowed.digest != ask().digest


def test_evidence_is_plain_data():
    answer = Answer('{"a": []}', "m", "stop", 3, 4, 0.123456, 1, cached=True)
    assert Reply.read(ask(), answer).evidence() == {
        "prompt": "one",
        "reply": '{"a": []}',
        "model": "m",
        "finish": "stop",
        "tokens": [3, 4],
        "latency": 0.1235,
        "cached": True,
    }
    shares = {"cached_tokens": 2, "reasoning_tokens": 1}
    evidence = Reply.read(ask(), Answer("", "m", "stop", 3, 4, **shares)).evidence()
    assert {name: evidence[name] for name in shares} == shares
    assert Reply.failed(ask(), "down").evidence() == {"prompt": "one", "problem": "down"}
