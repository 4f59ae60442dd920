"""Custom judges with several steps: replies are data of later steps, and the library counts entries."""

import json

import pytest
from haystack import Pipeline

from components.judged.origins import Judge, blocks_of
from thresher.components import CustomJudgeEvaluator
from thresher.errors import InputError
from thresher.results import Status

FACTS = {
    "name": "facts",
    "template": "List the facts of this answer. {{ predicted_answers }}",
    "reply": {"facts": "texts"},
}
OPTIONS = {
    "earlier_steps": [FACTS],
    "template": "Which facts do the contexts support? {{ contexts }} {{ facts }}",
    "each_of": "facts",
    "reply": {"reason": "text", "verdict": ["yes", "no"]},
    "score": "verdict",
    "name": "support",
}
ITEM = {"contexts": [["The tower is 48 m high."]], "predicted_answers": ["It is 48 m high and old."]}


def facts(*texts):
    return json.dumps({"facts": texts})


def verdicts(*labels, first=1):
    return json.dumps({str(n): {"reason": "-", "verdict": label} for n, label in enumerate(labels, first)})


def support(*replies, **options):
    return CustomJudgeEvaluator(chat_generator=Judge(list(replies)), **OPTIONS | options)


def test_each_entry_of_an_earlier_list_gets_a_verdict_and_the_score_is_their_mean():
    metric = support(facts("48 m high", " ", "old"), verdicts("yes", "no"))
    out = metric.run(**ITEM)
    assert out["score"] == 0.5
    first, second = metric.chat_generator.prompts
    assert first.endswith('"facts", a list of texts.')
    assert json.loads(blocks_of(second)["facts"]) == {"1": "48 m high", "2": "old"}
    whom = "for the number of each of the facts an object with"
    assert f'{whom}, in this order: "reason", a text; "verdict", one of "yes", "no".' in second
    evidence = out["result"].evidence[0]
    assert [(fact["text"], fact["verdict"]) for fact in evidence["facts"]] == [
        ("48 m high", "yes"),
        ("old", "no"),
    ]
    assert evidence["steps"] == {"facts": {"facts": ["48 m high", "old"]}}
    assert [reply["prompt"] for reply in evidence["replies"]] == ["custom/support.facts", "custom/support"]


def test_a_verdict_left_out_is_asked_for_again_and_never_shrinks_the_denominator():
    metric = support(facts("a", "b", "c"), verdicts("yes", "yes"), verdicts("no", first=3))
    assert metric.run(**ITEM)["score"] == pytest.approx(2 / 3)
    lost = support(facts("a", "b", "c"), *[verdicts("yes", "yes")] * 5).run(**ITEM)
    assert lost["result"].status.tolist() == [Status.UNREADABLE]


def test_labels_may_have_scores_and_be_scaled():
    reply = {"reason": "text", "verdict": {"full": 2, "part": 1, "none": 0}}
    replies = facts("a", "b"), verdicts("full", "part")
    assert support(*replies, reply=reply).run(**ITEM)["score"] == 1.5
    assert support(*replies, reply=reply, normalize=True).run(**ITEM)["score"] == 0.75


@pytest.mark.parametrize(("policy", "score"), [("zero", 0), ("one", 1)])
def test_an_empty_list_is_undefined_or_scores_by_policy(policy, score):
    empty = support(facts()).run(**ITEM)["result"]
    assert (empty.status.tolist(), empty.reasons[0]) == ([Status.UNDEFINED], "there are no facts")
    assert support(facts(), no_entries=policy).run(**ITEM)["score"] == score


def test_fields_of_every_kind_are_variables_of_later_steps():
    steps = [
        {
            "name": "read",
            "template": "{{ questions }}",
            "reply": {"topic": "text", "level": {"low": 1, "high": 3}},
        },
        {"name": "kind", "template": "{{ topic }} {{ level }}", "reply": {"kind": ["short", "long"]}},
    ]
    judge = Judge(['{"topic": "height", "level": 2}', '{"kind": "short"}', '{"score": 4}'])
    metric = CustomJudgeEvaluator(
        judge,
        earlier_steps=steps,
        template="{{ kind }} {{ level }} {{ predicted_answers }}",
        reply={"score": {"low": 1, "high": 5}},
    )
    out = metric.run(questions=["How high?"], predicted_answers=["48 m"])
    assert out["score"] == 4
    assert blocks_of(judge.prompts[2]) == {"kind": "short", "level": "2", "predicted_answers": "48 m"}
    assert out["result"].evidence[0]["steps"]["kind"] == {"kind": "short"}


def test_an_earlier_step_that_cannot_be_read_ends_the_item():
    result = support(*["no idea"] * 5).run(**ITEM)["result"]
    assert result.status.tolist() == [Status.UNREADABLE]
    assert result.reasons[0].startswith("custom/support.facts: the reply cannot be read")


def test_all_judges_of_a_panel_judge_the_list_of_one():
    first = Judge([facts("a", "b"), verdicts("yes", "no")])
    others = [Judge([verdicts("yes", "yes")]), Judge([verdicts("no", "yes")])]
    metric = CustomJudgeEvaluator([first, *others], **OPTIONS)
    assert metric.run(**ITEM)["score"] == 1
    assert [len(judge.prompts) for judge in (first, *others)] == [2, 1, 1]


def test_every_step_is_in_the_signature_and_in_yaml():
    def signed(**options):
        return dict(
            support(**options).run(contexts=[], predicted_answers=[])["result"].measures[0].signature.settings
        )

    plain = signed()
    other = signed(earlier_steps=[FACTS | {"template": "Facts? {{ predicted_answers }}"}])
    assert plain["template.facts"].startswith("custom/support.facts@")
    assert plain["template.facts"] != other["template.facts"]
    assert plain["template"] == other["template"]
    pipeline = Pipeline()
    pipeline.add_component("m", CustomJudgeEvaluator(**OPTIONS))
    again = Pipeline.loads(pipeline.dumps()).get_component("m")
    assert (again.earlier_steps, again.each_of) == ([FACTS], "facts")


def test_own_words_replace_those_of_a_step():
    words = {"custom/support.facts": "Nenne die Fakten. {{ predicted_answers }}"}
    metric = support(facts("a"), verdicts("yes"), templates=words)
    assert metric.run(**ITEM)["score"] == 1
    assert "Nenne die Fakten" in metric.chat_generator.prompts[0]


def step(**parts):
    return {"earlier_steps": [FACTS | parts]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (step(name=""), r"earlier_steps\[0\] lacks name; a step has name, template, reply"),
        (step(replies={}), r"earlier_steps\[0\]: 'replies' is unknown; choose one of name, template, reply"),
        (step(name="two words"), "name must be a word"),
        (step(reply={"facts": "text"}), "each_of='facts' is unknown"),
        (step(reply={"contexts": "texts"}), "the field 'contexts' is the name of a column"),
        (step(reply={"the facts": "texts"}), "the field 'the facts' must be a word"),
        (step(template="{{ facts }}"), "facts shows facts, which no step before it replies"),
        ({"earlier_steps": [FACTS, FACTS]}, "the name 'facts' occurs twice"),
        ({"earlier_steps": [FACTS, FACTS | {"name": "more"}]}, "the field 'facts' occurs twice"),
        ({"each_of": "claims"}, "each_of='claims' is unknown; choose one of facts"),
        (
            {"template": "Well? {{ contexts }}"},
            r"the template lacks \{\{ facts \}\}, whose entries it is to judge",
        ),
        (
            {"reply": {"verdict": ["yes", "no"]}},
            "each_of needs score: verdict and reply: {reason: text, verdict",
        ),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(InputError, match=message):
        support(**options)
