"""Made-up conversations whose true scores are known, and a judge that is always right about them.

Marks tell what is true: `allegedly` in a sentence of the user: the assistant does not do it; `offtopic` in a
turn of the assistant: it does not respond; `forgetful` in one: it ignores a fact, which starts with "My";
`twice` in a call: it is not needed; `elsewhere` in a call: its arguments are wrong; `failing` in the last
reply: the goal is not reached.
"""

import json
import random
import re

_REASON = "The turns speak of exactly this, and so the matter can be settled from them."
_MARKS = {
    "intentions": "allegedly",
    "turns": "forgetful",
    "needed": "twice",
    "arguments": "elsewhere",
    "reply": "offtopic",
    "goal": "failing",
}


def chat_items(number=8, seed=5):
    """Items as dicts: the columns of the recipes `conversation` and `agent`, and true scores by metric."""
    rng = random.Random(seed)  # noqa: S311
    return [_item(place, rng) for place in range(number)]


def reply(text, blocks):
    """The right reply to a prompt about a conversation, as data; None for other prompts."""
    if "conversation" not in blocks:
        return None
    shown = json.loads(blocks["conversation"])
    turns = {turn: parts.get("text") or json.dumps(parts) for turn, parts in shown.items()}
    wanted = re.search(r'holds the list "(\w+)"', text)
    if wanted:
        said = [part for turn, each in turns.items() if "user" in turn for part in _sentences(each)]
        return {wanted[1]: [part for part in said if "want" in part]}
    if "list of its facts" in text:
        return {
            turn: [part for part in _sentences(turns[f"{turn} user"]) if part.startswith("My")]
            for turn in blocks["turns"].split(", ")
        }
    if 'the text "goal"' in text:
        return {"goal": "The user wants it all.", "outcome": turns[[*turns][-1]]}
    return _verdicts(text, blocks, turns)


def _verdicts(text, blocks, turns):
    if "intentions" in blocks:
        things, mark = json.loads(blocks["intentions"]), "intentions"
    elif "calls" in blocks:
        things = {id_: json.dumps(call) for id_, call in json.loads(blocks["calls"]).items()}
        mark = "needed" if "is needed for" in text else "arguments"
    elif "turns" in blocks:
        listed = {turn: turns[f"{turn} assistant"] for turn in blocks["turns"].split(", ")}
        relevance = 'for "reply"' in text
        things = {"reply": " ".join(listed.values())} if relevance else listed
        mark = "reply" if relevance else "turns"
    else:
        things, mark = {"goal": turns[[*turns][-1]]}, "goal"
    return {
        id_: {"reason": _REASON, "verdict": "no" if _MARKS[mark] in thing else "yes"}
        for id_, thing in things.items()
    }


def _sentences(text):
    return [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]


def _item(place, rng):
    wishes = [rng.random() < 0.6 for _ in range(3)]
    replies = [(rng.random() < 0.7, rng.random() < 0.7) for _ in range(2)]
    calls = [(rng.random() < 0.6, rng.random() < 0.6) for _ in range(2)]
    reached = rng.random() < 0.5
    asked = [
        f"I {'' if done else 'allegedly '}want thing {place}.{wish}." for wish, done in enumerate(wishes)
    ]
    made = [
        {
            "name": "find",
            "args": {"thing": f"{place}.{call} {'' if needed else 'twice'} {'' if right else 'elsewhere'}"},
        }
        for call, (needed, right) in enumerate(calls)
    ]
    said = [
        f"Reply {place}.{turn}{'' if relevant else ' offtopic'}{'' if retained else ' forgetful'}."
        for turn, (relevant, retained) in enumerate(replies)
    ]
    said[-1] += "" if reached else " failing"
    chat = [
        {"role": "user", "content": f"My name is {place}. {asked[0]}"},
        {"role": "assistant", "content": said[0], "tool_calls": made},
        {"role": "user", "content": " ".join(asked[1:])},
        {"role": "assistant", "content": said[1]},
    ]
    truth = {
        "conversation_completeness": sum(wishes) / 3,
        "turn_relevance": sum(relevant for relevant, _ in replies) / 2,
        "knowledge_retention": sum(retained for _, retained in replies) / 2,
        "goal_accuracy": float(reached),
        "step_efficiency": sum(needed for needed, _ in calls) / 2,
        "argument_correctness": sum(right for _, right in calls) / 2,
    }
    return {"id": f"c{place}", "conversations": chat, "reference_tool_calls": made[:1], "truth": truth}
