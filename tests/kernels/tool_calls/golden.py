"""The golden cases: calls that were made, calls that were expected, and the scores of their origin."""

import json
from pathlib import Path

from thresher.conversations import Message, ToolCall

FOLDER = Path(__file__).parents[2] / "golden/judges2"


def cases(name):
    return json.loads((FOLDER / f"{name}.json").read_text())["cases"]


def calls(steps):
    return [ToolCall(call["name"], call["args"]) for step in steps for call in step]


def messages(steps):
    """One message of the user, per step one with calls and one result a call, and a last reply."""
    trajectory = [Message("user", "go")]
    for step in steps:
        trajectory.append(Message("assistant", "", tuple(calls([step]))))
        trajectory += [Message("tool") for _ in step]
    return [*trajectory, Message("assistant", "done")]


def differences(name, compute):
    """The cases whose scores are not those of the golden file: id, key, score and expected score."""
    return [
        (case["id"], key, score, expected)
        for case in cases(name)
        for key, expected in case["expect"].items()
        if (score := compute(case, key)) != expected
        and not (score and expected and abs(score - expected) < 1e-12)
    ]
