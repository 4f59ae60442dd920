"""A judge that is always right about `rag_items`, for the prompts of LlamaIndex, Haystack and the graders."""

import json
import math
import re

from haystack.dataclasses import ChatMessage

from judges.oracle import sentences

_BLOCK = re.compile(r"<(\w+) ([0-9a-f]{12})>\n(.*?)\n</\1 \2>", re.DOTALL)
WHY = "It can be told from the passage."
_MARKS = ("allegedly", "incidentally")


def quality(answer):
    """How many statements of an answer are supported and to the point."""
    return sum(not any(mark in part for mark in _MARKS) for part in sentences(answer))


def blocks_of(text):
    """The fenced blocks of a prompt by name."""
    return {match[1]: match[3] for match in _BLOCK.finditer(text)}


def reply(text):
    """The right reply to one of the prompts, as its text asks for it."""
    blocks = blocks_of(text)
    names = set(blocks)
    if {"answer_a", "answer_b"} <= names:
        return _compared(text, quality(blocks["answer_a"]), quality(blocks["answer_b"]))
    if "information" in names:
        return verdict("no" if "allegedly" in blocks["information"] else "yes")
    if "guidelines" in names:
        kept = {"concrete": quality(blocks["answer"]) > 2}
        told = {id_: kept.get(each, True) for id_, each in json.loads(blocks["guidelines"]).items()}
        return json.dumps({id_: {"reason": WHY, "verdict": said} for id_, said in told.items()})
    if "criteria" in names:
        return _by_criteria(blocks)
    if "rubric" in names:
        grade = 1 + quality(blocks["answer"])
        return f"Feedback: {WHY} [RESULT] {grade}" if "[RESULT]" in text else rating(grade)
    return _about_rag(text, blocks)


def _about_rag(text, blocks):
    if 'list "statements"' in text:
        parts = sentences(blocks["answer"])
        told = [{"statement": part, "reason": WHY, "verdict": "allegedly" not in part} for part in parts]
        return json.dumps({"statements": told})
    if 'list "relevant_statements"' in text:
        every = [part for context in json.loads(blocks["contexts"]).values() for part in sentences(context)]
        return json.dumps({"relevant_statements": [part for part in every if re.search(r"number \d", part)]})
    if '"subject"' in text and "contexts" in blocks:
        return points(subject=2, answer=1 if "offtopic" in blocks["contexts"] else 2)
    if '"subject"' in text:
        return points(subject=1, focus=0.5 if "incidentally" in blocks["answer"] else 1)
    if '"score"' in text:
        return score(1 + quality(blocks["answer"]))
    return verdict("no" if "allegedly" in blocks["answer"] else "yes")


def _compared(text, a, b):
    if "In the first line" in text:
        return f"{1 + a} {1 + b}\n{WHY}"
    if "score_a" in text:
        return two_scores(1 + a, 1 + b)
    label = "A" if a > b else "B" if b > a else "tie"
    if "[RESULT]" in text:
        return f"Feedback: {WHY} [RESULT] {label if label != 'tie' else 'A'}"
    return verdict("A" if label == "tie" and "no tie" in text else label)


def _by_criteria(blocks):
    if "steps" not in blocks:
        return json.dumps({"steps": ["Read the answer.", "Look at each statement.", "Give the rating."]})
    return json.dumps({"rating": 1 + quality(json.loads(blocks["material"])["answer"])})


class Judge:
    """A ChatGenerator that answers with a function of the prompt, or with replies from a list, and counts.

    A reply may be a pair: the text, and the log-probabilities of its tokens in OpenAI's shape.
    """

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
        if isinstance(said, Exception):
            raise said
        said, logprobs = said if isinstance(said, tuple) else (said, None)
        meta = {"model": self.model, "finish_reason": "stop", "logprobs": logprobs}
        return {"replies": [ChatMessage.from_assistant(said, meta=meta)]}


def verdict(label, reason=WHY):
    return json.dumps({"reason": reason, "verdict": label})


def score(number, reason=WHY):
    return json.dumps({"reason": reason, "score": number})


def rating(number, reason=WHY):
    return json.dumps({"reason": reason, "rating": number})


def points(**numbers):
    return json.dumps({"reason": WHY, **numbers})


def two_scores(a, b):
    return json.dumps({"reason": WHY, "score_a": a, "score_b": b})


def with_logprobs(number, shares):
    """The reply `{"rating": n}` with the log-probabilities of its tokens."""
    tokens = ['{"', "rating", '":', " ", str(number), "}"]
    alternatives = [{"token": str(token), "logprob": math.log(share)} for token, share in shares.items()]
    content = [
        {"token": token, "logprob": -0.1, "top_logprobs": alternatives if token == str(number) else []}
        for token in tokens
    ]
    return "".join(tokens), {"content": content}
