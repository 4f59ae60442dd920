"""A judge that is always right about `rag_items`, for the prompts of ragas and Nvidia; and embedders.

A statement with the mark `allegedly` stands in no passage, except that the irrelevant one, read alone, would
let one believe it.
"""

import json
import re
import zlib

import numpy as np
from haystack import component
from haystack.dataclasses import ChatMessage

from judges.oracle import sentences

_BLOCK = re.compile(r"<(\w+) ([0-9a-f]{12})>\n(.*?)\n</\1 \2>", re.DOTALL)
WHY = "It can be told from the passage."


def reply(text):
    """The right reply to one of the prompts, as JSON text."""
    blocks = {match[1]: match[3] for match in _BLOCK.finditer(text)}
    rule = _RULES[tuple(sorted(blocks))]
    return json.dumps(rule(text=text, **{f"_{name}": block for name, block in blocks.items()}))


def _listed(text, _text, **_):
    key = re.search(r'holds the list "(\w+)"', text)[1]
    return {key: sentences(_text)}


def _verdicts(things, is_so):
    word = {True: "yes", False: "no"}
    return {id_: {"reason": WHY, "verdict": word[is_so(thing)]} for id_, thing in json.loads(things).items()}


def _inferred(_claims, _contexts, **_):
    contexts = list(json.loads(_contexts).values())

    def holds(claim):
        if "allegedly" in claim:
            return len(contexts) == 1 and "offtopic" in contexts[0]
        return "undocumented" not in claim and any("offtopic" not in context for context in contexts)

    return _verdicts(_claims, holds)


def _useful(_contexts, **_):
    return _verdicts(_contexts, lambda context: "offtopic" not in context)


def _of_contexts_and_question(text, _contexts, **_):
    if '"rating"' in text:
        return {"reason": WHY, "rating": 1}
    every = [part for context in json.loads(_contexts).values() for part in sentences(context)]
    return {"sentences": [part for part in every if re.search(r"number \d", part)]}


def _compared(_answer_statements, _reference_statements, **_):
    answer = _verdicts(_answer_statements, lambda said: "allegedly" not in said)
    return answer | _verdicts(_reference_statements, lambda stated: "undocumented" not in stated)


def _asked(_text, _number, **_):
    name = re.search(r"\w+ \w+ number \d+", _text)[0]
    question = f"When was the {name} finished, what did it cost, how long is it, and who paid there?"
    return {"questions": [{"question": question, "noncommittal": "no"}] * int(_number)}


def _rated(low, high, mark, block):
    return lambda **blocks: {"reason": WHY, "rating": low if mark in blocks[f"_{block}"] else high}


_RULES = {
    ("question", "text"): _listed,
    ("text",): _listed,
    ("claims", "contexts"): _inferred,
    ("answer_statements", "question", "reference_statements"): _compared,
    ("contexts", "question", "reference"): _useful,
    ("answer", "contexts", "question"): _useful,
    ("contexts", "question", "sentences"): lambda _sentences, **_: _verdicts(
        _sentences, lambda part: "undocumented" not in part
    ),
    ("contexts", "question"): _of_contexts_and_question,
    ("number", "text"): _asked,
    ("definition", "material"): lambda _material, **_: {
        "material": {"reason": WHY, "verdict": "yes" if "allegedly" in _material else "no"}
    },
    ("material", "rubric"): _rated(2, 5, "allegedly", "material"),
    ("answer", "question", "reference"): _rated(2, 4, "allegedly", "answer"),
    ("examined", "question", "standard"): _rated(0, 4, "allegedly", "standard"),
    ("answer", "contexts"): _rated(1, 2, "allegedly", "answer"),
}


class Judge:
    """A ChatGenerator that answers with a function of the prompt, or with replies from a list, and counts."""

    def __init__(self, replies=reply):
        self.replies = replies
        self.prompts = []

    @property
    def model(self):
        return "scripted"

    def run(self, messages):
        text = "\n".join(message.text for message in messages)
        self.prompts.append(text)
        said = self.replies(text) if callable(self.replies) else self.replies[len(self.prompts) - 1]
        meta = {"model": self.model, "finish_reason": "stop"}
        return {"replies": [ChatMessage.from_assistant(said, meta=meta)]}


@component
class WordEmbedder:
    """A text embedder: hashed words. Refuses texts that hold `unspeakable`."""

    def __init__(self, size: int = 64):
        self.size = size
        self.texts = []

    @component.output_types(embedding=list[float])
    def run(self, text: str):
        if "unspeakable" in text:
            raise ConnectionError("the line is dead")
        self.texts.append(text)
        vector = np.zeros(self.size)
        for word in text.lower().split():
            vector[zlib.crc32(word.encode()) % self.size] += 1
        return {"embedding": vector.tolist()}


@component
class ClockEmbedder:
    """A text embedder whose vectors point where the text says, in degrees; `nowhere` gives zeros."""

    @component.output_types(embedding=list[float])
    def run(self, text: str):
        if text == "nowhere":
            return {"embedding": [0.0, 0.0]}
        angle = np.radians(float(text.rstrip("?")))
        return {"embedding": [float(np.cos(angle)), float(np.sin(angle))]}


def verdicts(*labels, ids=None):
    """The raw reply of a judge with these verdicts, on "1", "2", ... or on `ids`."""
    names = ids or [str(place) for place in range(1, len(labels) + 1)]
    return json.dumps(
        {id_: {"reason": WHY, "verdict": label} for id_, label in zip(names, labels, strict=True)}
    )


def listed(key, *texts):
    """The raw reply of a judge that extracts."""
    return json.dumps({key: list(texts)})
