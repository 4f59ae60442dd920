import asyncio
import json
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from haystack import Pipeline
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
from thresher.errors import InputError
from thresher.judges import asking
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

TEMPLATE = "How polite is this answer? {{ predicted_answers }}"
REPLY = {"reason": "text", "score": {"low": 1, "high": 5}}
FILE = """
name: politeness
template: |
  Is this answer polite, to this question?
  {{ questions }}
  {{ predicted_answers }}
reply:
  reason: text
  tone: [formal, casual]
  verdict: {good: 1, fair: 0.5, bad: 0}
score: verdict
"""


def run(reply, form=None, **options):
    judge = Judge(lambda _: reply if isinstance(reply, str) else json.dumps(reply))
    evaluator = CustomJudgeEvaluator(template=TEMPLATE, reply=form or REPLY, chat_generator=judge, **options)
    with asking(cache=False):
        return evaluator.run(predicted_answers=["a"])["result"], judge


def test_a_rating_with_its_reason():
    result, judge = run({"reason": "Curt.", "score": 2})
    assert result.score == 2.0
    assert result.measures[0].bounds == (1.0, 5.0)
    assert {name: result.evidence[0][name] for name in REPLY} == {"reason": "Curt.", "score": 2.0}
    assert blocks_of(judge.prompts[0]) == {"predicted_answers": "a"}
    form = '"reason", a text; "score", a whole number from 1 to 5.'
    assert judge.prompts[0].endswith(f"Reply with a JSON object that holds, in this order: {form}")


@pytest.mark.parametrize("labels", [("+", "-"), ("A+", "A-"), ("+1", "-1"), ("\N{THUMBS UP SIGN}", "!")])
def test_labels_that_differ_in_signs_only_are_different(labels):
    form = {"score": dict(zip(labels, (1, 0), strict=True))}
    replies = [json.dumps({"score": label}) for label in labels]
    assert [run(reply, form)[0].score for reply in replies] == [1.0, 0.0]
    contradiction, _ = run(" ".join(replies), form)
    assert contradiction.status.tolist() == [Status.UNREADABLE]


@settings(deadline=None, max_examples=30)
@given(st.integers(-3, 3), st.integers(1, 9), st.data())
def test_a_normalised_score_is_its_place_on_the_scale(low, width, data):
    said = data.draw(st.integers(low, low + width))
    form = {"score": {"low": low, "high": low + width}}
    result, _ = run({"score": said}, form, normalize=True)
    assert result.score == pytest.approx((said - low) / width)
    assert result.measures[0].bounds == (0.0, 1.0)
    assert run({"score": said}, form)[0].score == said


@pytest.mark.parametrize(
    ("form", "said", "score"),
    [
        ({"score": {"good": 1, "fair": 0.5, "bad": 0}}, "Fair", 0.5),
        ({"score": {"good": 2, "bad": -2}}, "bad", -2.0),
        ({"score": ["yes", "no"]}, "yes", 1.0),
        ({"score": [True, False]}, "no", 0.0),
        ({"score": {True: 0, False: 1}}, False, 1.0),
        ({"score": {"low": 0, "high": 1, "whole": False}}, 0.25, 0.25),
    ],
)
def test_labels_and_decimals(form, said, score):
    assert run({"score": said}, form)[0].score == score


def test_other_fields_are_kept_as_evidence():
    form = {"quotes": "texts", "tone": ["formal", "casual"], "score": {"low": 1, "high": 5}}
    said = {"quotes": ["x", "y"], "tone": "Casual", "score": 3}
    evidence = run(said, form)[0].evidence[0]
    assert (evidence["quotes"], evidence["tone"]) == (["x", "y"], "casual")


def test_a_plain_reply_is_read_where_all_else_is_text():
    assert run("I would say: 4 out of 5.")[0].score == 4.0
    form = {"quotes": "texts", "score": {"low": 1, "high": 5}}
    assert run("4", form)[0].status.tolist() == [Status.UNREADABLE]


@pytest.mark.parametrize(
    "said",
    [
        {"reason": "x"},
        {"reason": "x", "score": 6},
        {"reason": "x", "score": 2.5},
    ],
)
def test_replies_that_do_not_fit_are_asked_for_again(said):
    result, judge = run(said)
    assert result.status.tolist() == [Status.UNREADABLE]
    assert len(judge.prompts) == MAX_ASKS


@pytest.mark.parametrize("reason", [3, None, ["short", "polite"], {"tone": "flat"}])
def test_a_reason_that_is_no_text_does_not_cost_the_score(reason):
    result, judge = run({"Reason": reason, "SCORE": 4})
    assert (result.score, len(judge.prompts)) == (4.0, 1)
    assert result.evidence[0]["reason"] == ("" if reason is None else json.dumps(reason))


MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}]


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        (1999, "1999"),
        (1e-9, "1e-09"),
        (np.float64(2.5), "2.5"),
        (np.True_, "true"),
        (Decimal("1.50"), "1.50"),
        (date(2020, 1, 2), "2020-01-02"),
        ([1, "two"], {"1": "1", "2": "two"}),
        (np.array([1, 2]), {"1": "1", "2": "2"}),
        ({"year": 1999}, {"year": "1999"}),
        (MESSAGES, {"1 user": {"text": "hi"}, "2 assistant": {"text": "yo"}}),
        (
            [ChatMessage.from_user("hi"), ChatMessage.from_assistant("yo")],
            {"1 user": {"text": "hi"}, "2 assistant": {"text": "yo"}},
        ),
        (ChatMessage.from_user("hi"), {"1 user": {"text": "hi"}}),
    ],
)
def test_numbers_dates_and_conversations_are_shown(entry, shown):
    judge = Judge(lambda _: '{"reason": "x", "score": 5}')
    CustomJudgeEvaluator(judge, template="{{ extra }}", reply=REPLY).run(extra=[entry])
    block = blocks_of(judge.prompts[0])["extra"]
    assert (block if isinstance(shown, str) else json.loads(block)) == shown


def test_conversations_by_their_own_name_and_what_cannot_be_shown():
    judge = Judge(lambda _: '{"reason": "x", "score": 5}')
    chats = CustomJudgeEvaluator(judge, template="{{ conversations }}", reply=REPLY)
    chats.run(conversations=[MESSAGES])
    shown = json.loads(blocks_of(judge.prompts[0])["conversations"])
    assert shown == {"1 user": {"text": "hi"}, "2 assistant": {"text": "yo"}}
    other = CustomJudgeEvaluator(judge, template="{{ extra }}", reply=REPLY)
    for entry in (float("nan"), b"x", [["x"]], object(), [{"role": "robot", "content": "x"}]):
        with pytest.raises(InputError, match=r"extra\[1\]"):
            other.run(extra=["x", entry])


def test_the_variables_of_the_template_are_the_sockets():
    template = "{{ rules }} {{ contexts }} {% if questions %}{{ questions }}{% endif %}"
    judge = Judge(lambda _: '{"reason": "x", "score": 5}')
    evaluator = CustomJudgeEvaluator(judge, template=template, reply=REPLY)
    assert list(evaluator.__haystack_input__._sockets_dict) == ["questions", "contexts", "rules"]
    evaluator.run(questions=["q"], contexts=[["c", "d"]], rules=[{"first": "be brief"}])
    blocks = blocks_of(judge.prompts[0])
    assert (blocks["contexts"], blocks["rules"]) == ('{"1": "c", "2": "d"}', '{"first": "be brief"}')


def test_an_item_without_an_entry_is_missing_and_other_entries_are_refused():
    evaluator = CustomJudgeEvaluator(
        Judge(lambda _: '{"reason": "x", "score": 5}'), template=TEMPLATE, reply=REPLY
    )
    assert evaluator.run(predicted_answers=["a", None])["result"].status.tolist() == [0, Status.MISSING]
    with pytest.raises(InputError, match=r"predicted_answers\[0\] is int"):
        evaluator.run(predicted_answers=[3])


def test_sockets_that_lack_and_columns_that_nobody_reads_are_named():
    judge = CustomJudgeEvaluator(Judge([]), template="{{ predicted_answers }} {{ contexts }}", reply=REPLY)
    with pytest.raises(InputError, match=r"^contexts is missing; give contexts, predicted_answers"):
        judge.run(predicted_answers=["x"])
    with pytest.raises(
        InputError, match=r"^question is not an input of this metric; give contexts, predicted_"
    ):
        judge.run(predicted_answers=["x"], contexts=[["c"]], question=["q"])
    with pytest.raises(InputError, match=r"^contexts\[1\]\[2\] is int; give a text"):
        judge.run(predicted_answers=["x", "y"], contexts=[["c"], ["a", "b", 3]])


def test_it_stands_in_a_pipeline_s_yaml():
    yaml = """
components:
  politeness:
    type: thresher.components.judged.custom.custom_judge.CustomJudgeEvaluator
    init_parameters:
      name: politeness
      template: "Is this polite? {{ predicted_answers }}"
      reply: {reason: text, polite: [yes, no]}
      score: polite
      chat_generator:
        type: haystack.components.generators.chat.mock.MockChatGenerator
        init_parameters:
          responses: [{role: assistant, content: [{text: '{"reason": "x", "polite": "yes"}'}]}]
connections: []
"""
    pipeline = Pipeline.loads(yaml, allowed_modules=["thresher"])
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.dumps() == pipeline.dumps()
    out = asyncio.run(again.run_async({"politeness": {"predicted_answers": ["a"]}}))
    assert out["politeness"]["score"] == 1.0
    assert again.get_component("politeness").chat_generator.__class__ is MockChatGenerator


def test_a_metric_in_a_file_of_its_own(tmp_path):
    path = tmp_path / "politeness.yaml"
    path.write_text(FILE)
    said = '{"reason": "x", "tone": "formal", "verdict": "fair"}'
    evaluator = CustomJudgeEvaluator.from_file(path, Judge(lambda _: said))
    result = evaluator.run(questions=["q"], predicted_answers=["a"])["result"]
    assert (result.name, result.score) == ("politeness", 0.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("template: x", "`template` and `reply`"),
        ("- a", "`template` and `reply`"),
        ("template: [", "parsing"),
        (
            "{template: '{{ a }}', reply: {score: {low: 1, high: 2}}, colour: red}",
            "option 'colour' is unknown",
        ),
        ("{template: 'x', reply: {score: {low: 1, high: 2}}}", "has no variable"),
    ],
)
def test_a_file_that_describes_no_metric_is_named(tmp_path, text, told):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told) as error:
        CustomJudgeEvaluator.from_file(path)
    assert str(path) in str(error.value)
    with pytest.raises(InputError, match="No such file"):
        CustomJudgeEvaluator.from_file(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("How polite is it?", "has no variable"),
        ("{{ predicted_answer }}", "write predicted_answers"),
        ("{{ retrieved_documents }}", "cannot be an input"),
        ("{{ schema }}", "cannot be an input"),
        ("{{ instance }}", "cannot be an input"),
        ("{{ a", "is not a jinja template"),
        ("", "template="),
        (None, "template="),
    ],
)
def test_templates_are_checked_when_loaded(template, told):
    with pytest.raises(InputError, match=told):
        CustomJudgeEvaluator(template=template, reply=REPLY)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({}, "reply must map"),
        (["score"], "must be a mapping"),
        ({"rating": {"low": 1, "high": 5}}, "score: reply field 'score' is unknown; choose one of rating"),
        ({"score": "text"}, "reply.score gives no score"),
        ({"score": ["good", "bad"]}, "reply.score gives no score"),
        ({"score": {"good": 1, "bad": 1}}, "only the score 1"),
        ({"score": {"good": "much"}}, r"reply\.score\.good"),
        ({"score": {"low": 5, "high": 1}}, "the lower one first"),
        ({"score": {"low": 0.5, "high": 1}}, "whole numbers"),
        ({"score": {"low": "a", "high": 1}}, r"reply\.score\.low"),
        ({"score": {"low": 1, "high": 5}, "reason": "words"}, "reply.reason='words' is not a kind of field"),
        ({"score": {"low": 1, "high": 5}, "tone": ["formal"]}, "is not a kind of field"),
        ({"score": {}}, "is not a kind of field"),
        ({"score": {"low": 1, "high": 5, "whole": "false"}}, r"reply\.score\.whole='false' must be true or"),
        ({"score": {"good": 1, "Good": 0}}, "the label 'good' occurs twice"),
        ({"score": {"low": 1, "high": 5}, "tone": ["formal", "FORMAL"]}, "the label 'formal' occurs twice"),
    ],
)
def test_forms_are_checked_when_loaded(reply, told):
    with pytest.raises(InputError, match=told):
        CustomJudgeEvaluator(template=TEMPLATE, reply=reply)


def test_template_and_form_are_in_the_signature():
    signatures = {
        str(evaluator.run(predicted_answers=[])["result"].measures[0].signature)
        for template in (TEMPLATE, TEMPLATE + "!")
        for form in (REPLY, {"score": {"low": 1, "high": 5}})
        for evaluator in [CustomJudgeEvaluator(template=template, reply=form)]
    }
    assert len(signatures) == 4


@pytest.mark.parametrize(
    "template",
    ["{% for one in contexts %}{{ one }}{% endfor %}", "{{ contexts[0] }}", "{{ contexts.first }}"],
)
def test_a_template_that_takes_a_column_apart_is_refused(template):
    with pytest.raises(InputError, match=r"line 1: contexts is inserted whole.*write \{\{ contexts \}\}"):
        CustomJudgeEvaluator(template=template, reply=REPLY)


@pytest.mark.parametrize(
    "template",
    ["{{ (questions|upper).__class__ }}", "{{ questions / 2 }}", "{{ questions }}{% include 'a' %}"],
)
def test_a_template_that_cannot_be_filled_in_is_told_in_one_line(template):
    with pytest.raises(InputError, match="cannot be filled in") as told:
        CustomJudgeEvaluator(template=template, reply=REPLY)
    assert "\n" not in str(told.value)


def test_an_unknown_filter_is_told_in_one_line():
    with pytest.raises(InputError, match=r"line 1: No filter named 'loud'\.$"):
        CustomJudgeEvaluator(template="{{ questions|loud }}", reply=REPLY)
