"""Replies with questions that a judge generates from an answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.counted import counted
from thresher.judges import ReplySchema
from thresher.judges.choice import YES_NO
from thresher.judges.fields import label_of, note_on
from thresher.judges.schema import Json, Misfit


@dataclass(frozen=True)
class Question:
    """A question that a text answers.

    Attributes:
        text: the question.
        noncommittal: whether the text evades it.
        note: says if the flag was in other words than yes and no.
    """

    text: str
    noncommittal: bool
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Questions(ReplySchema[tuple[Question, ...]]):
    """Generated questions: `{"questions": [{"question": "...", "noncommittal": "no"}, ...]}`.

    Attributes:
        number: required number; further ones are ignored, fewer are a misfit.
        labels: the labels of `noncommittal`, for yes and for no.
    """

    number: int
    labels: tuple[str, ...] = YES_NO

    def json_schema(self) -> Json:
        """A list of objects with both keys."""
        flag = {"type": "string", "enum": [*self.labels]}
        entry = _strict({"question": {"type": "string"}, "noncommittal": flag})
        return _strict({"questions": {"type": "array", "items": entry}})

    def read(self, data: Json) -> tuple[Question, ...]:
        """The first `number` questions."""
        entries = data.get("questions")
        if not isinstance(entries, list):
            raise Misfit('it has no list "questions"')
        if len(entries) < self.number:
            raise Misfit(f"it holds {counted(len(entries), 'question')} where {self.number} were asked for")
        return tuple(_question(entry, self.labels) for entry in entries[: self.number])

    def imagine(self, subject: str) -> str:
        """Questions as long as the subject's first line."""
        entry = {"question": f"{subject.strip()[:120]}?", "noncommittal": self.labels[1]}
        return json.dumps({"questions": [entry] * self.number}, ensure_ascii=False)


def _question(entry: Any, labels: tuple[str, ...]) -> Question:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("question"), str):
        raise Misfit('an entry of "questions" has no "question"')
    text = entry["question"].strip()
    flag = entry.get("noncommittal")
    if not text:
        raise Misfit('an entry of "questions" is empty')
    try:
        label = label_of(flag, labels)
    except Misfit as error:
        raise Misfit(f'"noncommittal": {error}') from error
    return Question(text, label == labels[0], note_on(flag, label))


def _strict(properties: Json) -> Json:
    required = [*properties]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
