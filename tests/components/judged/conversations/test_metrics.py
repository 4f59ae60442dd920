import json
import re

import pytest
from haystack.components.generators.chat import MockChatGenerator

from components.judged.conversations.chats import FERRY, by_number, in_order, transcript, turns, verdicts
from thresher import InputError, evaluate
from thresher.components import metric_class
from thresher.components.judged.conversations._forms import NamedTexts, TextsByTurn
from thresher.judges import Rating, Texts, Verdicts, asking, prompt, rehearse
from thresher.judges.prompt import FOLDER
from thresher.judges.reply import read_reply
from thresher.judges.scores import Score
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

CHAT = transcript(FERRY)
GOAL = json.dumps({"goal": "The user wants the time.", "outcome": "The time is given."})


def outcome(name, replies, *given, **options):
    chat, *others = given or (CHAT,)
    return rehearse(metric_class(name)(**options)._flow(chat, *others), replies)


def prompts_of(result):
    return [reply.ask.prompt.removeprefix("conversations/") for reply in result.replies]


def run(name, replies, columns, **options):
    reply = in_order(replies)
    with asking(cache=False):
        judge = MockChatGenerator(response_fn=reply)
        return metric_class(name)(judge, **options).run(**columns)["result"]


def form_of(name, example):
    keys = tuple(json.loads(example))
    if name == "goal":
        return NamedTexts(keys)
    if name.endswith(".facts"):
        return TextsByTurn(keys)
    if name == "task_completion":
        return Score(0, 1)
    return Verdicts(keys) if '"verdict"' in example else Texts(*keys)


def test_the_example_of_every_prompt_fits_its_form():
    names = [path.stem for path in FOLDER.glob("conversations/*.jinja")]
    assert len(names) == 17
    for name in names:
        source = prompt(f"conversations/{name}").source
        example = re.search(r"^Reply: (.*)$", source, re.MULTILINE)[1]
        form = form_of(name, example)
        assert read_reply(example, form).value, name
        assert not isinstance(form, Rating)
        assert source.rstrip().splitlines()[-1].startswith("Reply with a JSON object that holds"), name


def test_turns_have_their_numbers_roles_calls_and_results():
    assert list(CHAT.shown) == [
        "1 system", "2 user", "3 assistant", "4 tool", "5 tool", "6 assistant", "7 user", "8 assistant"
    ]  # fmt: skip
    call = {"tool": "ferries", "arguments": {"to": "Lunna"}}
    text = "First the ferries, then the weather."
    assert CHAT.shown["3 assistant"] == {"text": text, "calls": [call, call]}
    assert CHAT.shown["4 tool"] == {"results": [{"tool": "ferries", "result": "noon"}]}
    assert CHAT.calls == {"1": {"turn": 3, **call}, "2": {"turn": 3, **call}}
    assert CHAT.written_calls == {"1": 'turn 3: ferries(to="Lunna")', "2": 'turn 3: ferries(to="Lunna")'}
    assert CHAT.turns["3"].splitlines()[1:] == ['calls ferries(to="Lunna")'] * 2
    assert CHAT.units == [["2", "3", "6"], ["7", "8"]]
    failed = transcript(
        [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": "timeout", "is_error": True}
                ],
            },
        ]
    )
    assert list(failed.turns.values()) == ["calls f()", "f failed with: timeout"]
    assert failed.shown["2 tool"] == {"results": [{"tool": "f", "error": "timeout"}]}


def test_a_goal_is_inferred_where_no_reference_states_it():
    result = outcome("goal_accuracy", [GOAL, verdicts({"goal": "yes"})], CHAT, None)
    assert prompts_of(result) == ["goal", "goal_accuracy"]
    assert result.value.score == 1.0
    assert result.value.evidence["references"][0]["goal"] == "The user wants the time."
    assert "At noon." in result.replies[1].ask.text


def test_the_best_of_several_references_counts():
    replies = [verdicts({"goal": "no"}), verdicts({"goal": "yes"})]
    assert outcome("goal_accuracy", replies, CHAT, ["a", " ", "b"]).value.score == 1.0
    assert outcome("goal_accuracy", replies, CHAT, ["a", "b"], references="mean").value.score == 0.5


def test_a_summary_is_compared_without_the_conversation():
    result = outcome("goal_accuracy", [GOAL, verdicts({"goal": "no"})], CHAT, ["e"], compares="summary")
    assert prompts_of(result) == ["goal", "goal_accuracy.summary"]
    assert "At noon." not in result.replies[1].ask.text
    assert result.value.evidence["references"][0]["outcome"] == "The time is given."


def test_verdicts_that_are_left_out_are_asked_for_again():
    topics = json.dumps({"topics": ["a", "b", "a"]})
    answered = by_number(["yes", "yes"])
    replies = [topics, answered, verdicts({"1": "yes"}), verdicts({"2": "no"})]
    result = outcome("topic_adherence", replies, CHAT, ["r"])
    assert result.value.counts == {"tp": 1, "fp": 1, "fn": 0}
    assert result.value.score == pytest.approx(2 / 3)
    assert "Give verdicts for these ids only: 2." in result.replies[3].ask.text
    assert prompts_of(result)[1:3] == ["topics.answered", "topics.within"]


def test_topics_of_all_items_are_pooled():
    replies = {
        "List the topics": [json.dumps({"topics": ["a", "b"]}), json.dumps({"topics": ["c"]})],
        "deals with it": [by_number(["yes", "yes"]), by_number(["no"])],
        "falls within": [by_number(["yes", "no"]), by_number(["yes"])],
    }

    def reply(messages):
        text = messages[-1].text
        which = next(key for key in replies if key in text.partition("\n")[0])
        return replies[which]["second" in text if which != "falls within" else "Skiing" in text]

    chats = [turns([("user", word), ("assistant", "a")]) for word in ("first", "second")]
    columns = {"conversations": chats, "reference_topics": [["Ferries"], ["Skiing"]]}
    with asking(cache=False):
        judge = MockChatGenerator(response_fn=reply)
        result = metric_class("topic_adherence")(judge).run(**columns)["result"]
    assert result.item_scores().tolist() == pytest.approx([2 / 3, 0.0])
    assert result.value("topic_adherence_micro_precision") == 0.5
    assert result.value("topic_adherence_micro_recall") == 0.5
    assert result.value("topic_adherence_micro_f1") == 0.5


def test_the_role_is_that_of_the_column_or_of_the_system():
    said = verdicts({"3": "yes", "6": "yes", "8": "no"})
    for role, shown in ((None, "courteous clerk"), ("A pirate.", "<role")):
        result = outcome("role_adherence", [said], CHAT, role)
        assert result.value.counts == {"in_role": 2, "turns": 3}
        assert shown in result.replies[0].ask.text
        assert ("A pirate." in result.replies[0].ask.text) == (role is not None)
    lacking = outcome("role_adherence", [], transcript(FERRY[1:]), None)
    assert lacking.status is Status.MISSING
    columns = {"conversations": [FERRY, FERRY], "chatbot_roles": [None, "A clerk."]}
    assert run("role_adherence", [said], columns).status.tolist() == [Status.MISSING, Status.SCORED]


def test_only_turns_after_the_first_fact_can_forget_it():
    facts = json.dumps({"2": ["The user lives in Tarn."], "7": []})
    result = outcome("knowledge_retention", [facts, verdicts({"3": "yes", "6": "yes", "8": "no"})])
    assert result.value.counts == {"retaining": 2, "turns": 3}
    assert "turn 2: The user lives in Tarn." in result.replies[1].ask.text
    late = json.dumps({"2": [], "7": ["The user likes sports."]})
    assert outcome("knowledge_retention", [late, verdicts({"8": "yes"})]).value.counts["turns"] == 1


def test_facts_without_a_turn_are_asked_for_again():
    facts = json.dumps({"2": [], "7": []})
    result = outcome("knowledge_retention", ['{"2": ["x"]}', facts])
    assert (result.status, result.reason) == (Status.UNDEFINED, "the user states no fact")
    assert 'it has no "7"' in result.replies[1].ask.text


def test_a_reply_is_judged_in_its_window():
    replies = [verdicts({"reply": "yes"}), verdicts({"reply": "no"})]
    result = outcome("turn_relevance", replies, window=1)
    assert result.value.score == 0.5
    assert [unit["verdict"] for unit in result.value.evidence["units"]] == ["yes", "no"]
    first, second = (reply.ask.text for reply in result.replies)
    assert "courteous" not in first  # the system's message is in no unit
    assert "4 tool" in first
    assert "At noon." not in second
    wide = outcome("turn_relevance", replies).replies[1].ask.text
    assert "At noon." in wide
    assert "match" not in outcome("turn_relevance", replies).replies[0].ask.text


def test_calls_are_judged_one_by_one():
    for name, counted in (("step_efficiency", "needed"), ("argument_correctness", "right")):
        result = outcome(name, [by_number(["yes", "no"])])
        assert result.value.counts == {counted: 1, "calls": 2}
        assert result.value.evidence["calls"][1]["text"] == 'turn 3: ferries(to="Lunna")'


def test_a_plan_and_the_intentions_are_judged_by_their_parts():
    steps = json.dumps({"steps": ["The ferries.", "The weather."]})
    planned = outcome("plan_adherence", [steps, by_number(["yes", "no"])])
    assert planned.value.counts == {"followed": 1, "planned_steps": 2}
    wishes = json.dumps({"intentions": ["The time.", "The match."]})
    complete = outcome("conversation_completeness", [wishes, by_number(["yes", "no"])])
    assert complete.value.counts == {"satisfied": 1, "intentions": 2}


def test_a_score_off_the_scale_is_asked_for_again_and_never_used():
    off = '{"reason": "r", "score": 1.4}'
    assert outcome("task_completion", [GOAL, off, '{"reason": "r", "score": 0.4}']).value.score == 0.4
    assert outcome("task_completion", [GOAL, *[off] * MAX_ASKS]).status is Status.UNREADABLE


EMPTY = {
    "goal_accuracy": ([], "the user says nothing"),
    "task_completion": ([], "the user says nothing"),
    "topic_adherence": ([], "the user says nothing"),
    "knowledge_retention": ([], "the user says nothing"),
    "conversation_completeness": ([], "the user says nothing"),
    "turn_relevance": ([], "no turn of the user has a reply"),
    "step_efficiency": ([], "no tool is called"),
    "argument_correctness": ([], "no tool is called"),
    "plan_adherence": (['{"steps": []}'], "no plan is announced"),
}


def test_a_conversation_with_nothing_to_judge_is_undefined():
    chat = transcript(turns([("assistant", "Welcome!")]))
    for name, (replies, reason) in EMPTY.items():
        further = {"goal_accuracy": [None], "topic_adherence": [["r"]]}.get(name, [])
        result = outcome(name, replies, chat, *further)
        assert (result.status, result.reason) == (Status.UNDEFINED, reason), name
        if name != "goal_accuracy":
            assert outcome(name, replies, chat, *further, undefined="one").value.score == 1.0


def test_a_turn_of_the_user_alone_says_nothing_of_the_assistant():
    chat = transcript(turns([("user", "Hi! I am Ann.")]))
    facts = json.dumps({"1": ["The user is called Ann."]})
    forgotten = outcome("knowledge_retention", [facts], chat)
    assert forgotten.reason == "the assistant says nothing after the first fact"
    assert outcome("role_adherence", [], chat, "A clerk.").reason == "the assistant says nothing"


def test_columns_of_other_frameworks_are_known():
    rows = [
        {
            "turns": turns([("user", "a"), ("assistant", "b")]),
            "chatbot_role": "A clerk.",
            "expected_outcome": "c",
        }
    ]
    judge = MockChatGenerator(verdicts({"2": "yes", "goal": "yes"}))
    metrics = [metric_class(name)(judge) for name in ("RoleAdherenceMetric", "goal_accuracy")]
    with asking(cache=False):
        results = evaluate(metrics, rows)
    assert {name: metric.value for name, metric in results.metrics.items()} == {
        "role_adherence": 1.0,
        "goal_accuracy": 1.0,
    }


def test_an_entry_that_is_not_a_text_is_named():
    for name, column, entry in (
        ("role_adherence", "chatbot_roles", 3),
        ("topic_adherence", "reference_topics", 3),
    ):
        with pytest.raises(InputError, match=rf"{column}\[0\] is int"):
            run(name, [], {"conversations": [FERRY], column: [entry]})
