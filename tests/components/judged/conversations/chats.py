"""Conversations, and replies of a judge about them."""

import json

from thresher.components.judged.conversations._transcript import Transcript
from thresher.conversations import read_conversation

FERRY = [
    {"role": "system", "content": "You are a courteous clerk."},
    {"role": "user", "content": "I live in Tarn. When does the ferry leave?"},
    {
        "role": "assistant",
        "content": "First the ferries, then the weather.",
        "tool_calls": [
            {"id": "a", "function": {"name": "ferries", "arguments": '{"to": "Lunna"}'}},
            {"id": "b", "function": {"name": "ferries", "arguments": '{"to": "Lunna"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "noon"},
    {"role": "tool", "tool_call_id": "b", "content": "noon"},
    {"role": "assistant", "content": "At noon."},
    {"role": "user", "content": "And the match?"},
    {"role": "assistant", "content": "Where do you live?"},
]


def transcript(messages):
    return Transcript(read_conversation(messages).messages)


def turns(pairs):
    return [{"role": role, "content": text} for role, text in pairs]


def verdicts(labels):
    """A reply with a verdict for each id."""
    reasons = {id_: {"reason": f"Because of {id_}.", "verdict": label} for id_, label in labels.items()}
    return json.dumps(reasons)


def by_number(labels):
    return verdicts({str(place): label for place, label in enumerate(labels, 1)})


def in_order(replies):
    """A judge that gives these replies in order, and then the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
