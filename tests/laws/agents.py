"""Cases of the metrics of agents: conversations with calls, and the calls that were expected."""

from typing import Any


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


def reply(*calls: dict[str, Any], tokens: int = 10) -> dict[str, Any]:
    usage = {"prompt_tokens": 5 * tokens, "completion_tokens": tokens}
    return {"role": "assistant", "content": "ok", "tool_calls": list(calls), "meta": {"usage": usage}}


ASK = {"role": "user", "content": "go"}
CONVERSATIONS = [
    [ASK, reply(call("search", q="a")), reply(call("fetch", id=1)), reply(tokens=3)],
    [ASK, reply(call("weather", city="Paris")), ASK, reply(call("weather", city=" paris ", unit="C"))],
    [ASK, reply(call("b", x=1), call("a", y=2)), {"role": "tool", "content": "1"}, reply(tokens=7)],
    [ASK, reply(call("pay", amount=1), call("pay", amount=2)), reply(call("pay", amount=1), tokens=1)],
]
CALLS = {
    "conversations": CONVERSATIONS,
    "reference_tool_calls": [
        [call("search", q="a"), call("fetch", id=1)],
        [call("weather", city="paris")],
        [call("a", y=2), call("b", x=1)],
        [call("pay", amount=1)],
    ],
}
TRAJECTORIES = {
    "conversations": CONVERSATIONS,
    "reference_conversations": [CONVERSATIONS[0], *(chat[:2] for chat in CONVERSATIONS[1:])],
}
JUDGED = {
    "conversations": [[{"role": "system", "content": "You are a clerk."}, *chat] for chat in CONVERSATIONS],
    "ground_truth_answers": ["done", ["found", "fetched"], "seen", "paid"],
    "reference_topics": [["search"], ["weather", "rain"], ["letters"], ["payments"]],
    "chatbot_roles": ["A clerk.", "A forecaster.", "A reader.", "A cashier."],
}


def judged(sockets: str = "", **changes: Any) -> dict[str, Any]:
    inputs = {socket: JUDGED[socket] for socket in ("conversations", *sockets.split())}
    return {"inputs": inputs, "changes": changes}


_TEXT = {"text": "casefold", "turns": "last"}
_RULES = {"arguments": "ignore", **_TEXT, "undefined": "one"}
AGENTS: dict[str, dict[str, Any]] = {
    "agent_counts": {"inputs": {"conversations": CONVERSATIONS}, "changes": {"turns": "last"}},
    "agent_tokens": {"inputs": {"conversations": CONVERSATIONS}},
    "agentevals_trajectory_match": {
        "inputs": TRAJECTORIES,
        "changes": {"mode": "superset", "arguments": "ignore"},
    },
    "argument_correctness": judged(undefined="one"),
    "conversation_completeness": judged(undefined="one"),
    "deepeval_tool_correctness": {"inputs": CALLS, "changes": {"order": "exact", "fields": "arguments"}},
    "goal_accuracy": judged("ground_truth_answers", compares="summary", references="mean"),
    "knowledge_retention": judged(undefined="one"),
    "plan_adherence": judged(undefined="one"),
    "ragas_tool_call_accuracy": {"inputs": CALLS, "changes": {"order": "any"}},
    "ragas_tool_call_f1": {"inputs": CALLS},
    "role_adherence": judged("chatbot_roles", undefined="one"),
    "step_efficiency": judged(undefined="one"),
    "task_completion": judged(undefined="one"),
    "tool_call_arguments": {"inputs": CALLS, "changes": {**_TEXT, "undefined": "one"}},
    "tool_call_f1": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
    "tool_call_order": {"inputs": CALLS, "changes": {**_RULES, "match": "exact"}},
    "tool_call_precision": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
    "tool_call_recall": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
    "topic_adherence": judged("reference_topics", mode="recall", undefined="zero"),
    "turn_relevance": judged(window=1, undefined="one"),
}
