"""The metrics give the values of their origins for equal decisions of the judge, or differ as documented."""

import json
from pathlib import Path

import pytest

from components.judged.conversations.chats import by_number, in_order, transcript, turns, verdicts
from thresher.components import metric_class, metric_name
from thresher.judges import rehearse
from thresher.results import Status

GOLDEN = Path(__file__).parents[3] / "golden" / "judges2"
OWN_VALUES = {
    "d04": 0.5,  # "Yes" and "NO" are read
    "d18": 1.0,  # a turn of the user is not a turn out of the role
    "d20": 2 / 3,  # a turn that is listed twice is one turn
    "d37": 0.3,  # a bar belongs to gates
}
UNREADABLE = {"d02", "d03", "d32", "d36"}  # a word that is not in the vocabulary, a score off the scale
NOT_ASKED = {"d40"}  # a number for the efficiency of all steps
YES_NO = {True: "yes", False: "no"}


def cases(name):
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def completeness(case, _):
    intentions, *judged = case["script"]
    return [json.dumps(intentions), by_number([entry["verdict"] for entry in judged])]


def relevance(case, chat):
    said = [entry["verdict"] for entry in case["script"]]
    return [verdicts({"reply": label}) for label, _ in zip(said, chat.units, strict=False)]


def role(case, chat):
    out = {str(entry["index"] + 1) for entry in case["script"][0]["verdicts"]}
    return [verdicts({turn: YES_NO[turn not in out] for turn in chat.said_by("assistant")})]


def retention(case, chat):
    """DeepEval asks for all facts and then about the turns after the first one; yes means forgotten."""
    known = iter([entry["data"] for entry in case["script"] if "data" in entry])
    forgotten = iter([entry["verdict"] == "yes" for entry in case["script"] if "verdict" in entry])
    facts, retained = {}, {}
    for turn, message in enumerate(chat.messages, 1):
        if message.role == "user":
            facts[str(turn)] = [f"{key}: {value}" for key, value in next(known).items()]
        elif any(facts.values()):
            retained[str(turn)] = YES_NO[not next(forgotten)]
    return [json.dumps(facts), verdicts(retained)]


def arguments(case, _):
    return [by_number([entry["verdict"] for entry in case["script"][0]["verdicts"]])]


def completion(case, _):
    asked, rated = case["script"]
    goal = {"goal": asked["task"], "outcome": asked["outcome"]}
    return [json.dumps(goal), json.dumps({"reason": rated["reason"], "score": rated["verdict"]})]


def plan(case, _):
    steps = case["script"][1]["plan"]
    return [json.dumps({"steps": steps}), by_number(["yes", "no"])]


def efficiency(*_):
    return [by_number(["yes", "no"])]


REPLIES = {
    "ConversationCompletenessMetric": completeness,
    "TurnRelevancyMetric": relevance,
    "RoleAdherenceMetric": role,
    "KnowledgeRetentionMetric": retention,
    "ArgumentCorrectnessMetric": arguments,
    "TaskCompletionMetric": completion,
    "PlanAdherenceMetric": plan,
    "StepEfficiencyMetric": efficiency,
}


def judged(case):
    """The outcome of the flow for a case of DeepEval."""
    kind = metric_class(metric_name(case["metric"]))
    window = case["options"].get("window_size")
    part = kind(undefined="one", **({} if window is None else {"window": window}))
    messages = turns(case.get("turns", [("user", "q"), ("assistant", "a")]))
    messages[-1] |= {"tool_calls": [{"name": "f", "args": {"x": place}} for place in range(2)]}
    chat = transcript(messages if "turns" not in case else turns(case["turns"]))
    replies = REPLIES[case["metric"]](case, chat) or [""]
    given = [chat, "" if case["title"] == "no role" else "a role"] if "Role" in case["metric"] else [chat]
    return rehearse(part._flow(*given), in_order(replies))


def test_deepeval():
    for case in cases("conversations_deepeval"):
        if case["id"] in NOT_ASKED:
            continue
        outcome = judged(case)
        if case["id"] in UNREADABLE:
            assert outcome.status is Status.UNREADABLE, case
        elif case["title"] == "no role":
            assert outcome.status is Status.MISSING
        else:
            expected = OWN_VALUES.get(case["id"], case["expect"])
            assert outcome.value.score == pytest.approx(expected), (case, outcome.reason)


def test_goal_accuracy_of_ragas():
    for case in cases("goal_accuracy_ragas"):
        goal, compared = case["script"]
        replies = [
            json.dumps({"goal": goal["user_goal"], "outcome": goal["end_state"]}),
            json.dumps({"goal": {**compared, "verdict": compared["verdict"]}}),
        ]
        chat = transcript(turns([("user", "u"), ("assistant", "a")]))
        outcomes = ["e"] if case["metric"].endswith("WithReference") else None
        part = metric_class(case["metric"])(compares="summary")
        outcome = rehearse(part._flow(chat, outcomes), in_order(replies))
        if compared["verdict"] == "2":
            assert outcome.status is Status.UNREADABLE
        else:  # the number 1 is read as "1"
            expected = 1.0 if isinstance(case["expect"], dict) else case["expect"]
            assert (outcome.value.score, len(outcome.replies)) == (expected, case["calls"]), case


def topics_outcome(case, **options):
    replies = [
        json.dumps({"topics": case["topics"]}),
        by_number([YES_NO[not refused] for refused in case["refused"]]),
        by_number([YES_NO[within] for within in case["within_reference_topics"]]),
    ]
    part = metric_class("topic_adherence")(mode=case["mode"], **options)
    chat = transcript(turns([("user", "u"), ("assistant", "a")]))
    return rehearse(part._flow(chat, ["r"]), in_order(replies))


def test_topic_adherence_of_ragas():
    for case in cases("topic_adherence_ragas"):
        outcome = topics_outcome(case, undefined="zero")
        if len(case["within_reference_topics"]) < len(case["topics"]):  # ragas pads the list with no
            assert outcome.status is Status.UNREADABLE, case
        else:
            assert outcome.value.score == pytest.approx(case["legacy"], abs=1e-9), case


def test_topics_without_a_denominator_are_undefined():
    undefined = set()
    for case in cases("topic_adherence_ragas"):
        outcome = topics_outcome(case)
        pairs = set(zip(case["refused"], case["within_reference_topics"], strict=False))
        counted = {
            "precision": {(False, True), (False, False)},
            "recall": {(False, True), (True, True)},
            "f1": {(False, True), (False, False), (True, True)},
        }
        lacking = not pairs & counted[case["mode"]]
        assert (outcome.status is Status.UNDEFINED) == lacking, case
        undefined |= {case["id"]} if lacking else set()
    assert len(undefined) > 5
