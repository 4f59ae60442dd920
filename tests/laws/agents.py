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
_TEXT = {"text": "casefold", "turns": "last"}
_RULES = {"arguments": "ignore", **_TEXT, "undefined": "one"}
AGENTS: dict[str, dict[str, Any]] = {
    "agent_counts": {"inputs": {"conversations": CONVERSATIONS}, "changes": {"turns": "last"}},
    "agent_tokens": {"inputs": {"conversations": CONVERSATIONS}},
    "agentevals_trajectory_match": {
        "inputs": TRAJECTORIES,
        "changes": {"mode": "superset", "arguments": "ignore"},
    },
    "deepeval_tool_correctness": {"inputs": CALLS, "changes": {"order": "exact", "fields": "arguments"}},
    "ragas_tool_call_accuracy": {"inputs": CALLS, "changes": {"order": "any"}},
    "ragas_tool_call_f1": {"inputs": CALLS},
    "tool_call_arguments": {"inputs": CALLS, "changes": {**_TEXT, "undefined": "one"}},
    "tool_call_f1": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
    "tool_call_order": {"inputs": CALLS, "changes": {**_RULES, "match": "exact"}},
    "tool_call_precision": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
    "tool_call_recall": {"inputs": CALLS, "changes": {**_RULES, "order": "ordered"}},
}
