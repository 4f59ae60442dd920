"""Statements of an answer with their verdicts, in one reply."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.judges import ReplySchema
from thresher.judges.choice import YES_NO
from thresher.judges.fields import TEXT, field_of, json_object, label_of, note_on, reason_of
from thresher.judges.schema import Json, Misfit

_SCORES = {1: "yes", 0: "no", "1": "yes", "0": "no"}


@dataclass(frozen=True)
class Statement:
    """A statement, its verdict and reason; `note` records a verdict in words other than yes and no."""

    text: str
    inferred: bool
    reason: str = ""
    note: str = field(default="", compare=False)

    def evidence(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "text": self.text,
            "verdict": YES_NO[0] if self.inferred else YES_NO[1],
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Statements(ReplySchema[tuple[Statement, ...]]):
    """`{"statements": [{"statement": "...", "reason": "...", "verdict": "yes"}]}`.

    Haystack's form, two lists of equal length, is read too:
    `{"statements": ["..."], "statement_scores": [1]}`.

    Attributes:
        labels: the labels of `verdict`, for yes and for no.
    """

    labels: tuple[str, ...] = YES_NO

    def json_schema(self) -> Json:
        """A list of statements, each with reason and verdict."""
        verdict = {"type": "string", "enum": [*self.labels]}
        statement = json_object({"statement": TEXT, **self._copies, "reason": TEXT, "verdict": verdict})
        return json_object({"statements": {"type": "array", "items": statement}})

    @property
    def _copies(self) -> Json:
        """JSON schemas of the fields with copied words."""
        return {}

    def read(self, data: Json) -> tuple[Statement, ...]:
        """The statements; each must have a verdict."""
        listed = field_of(data, "statements")
        if not isinstance(listed, Sequence) or isinstance(listed, str):
            raise Misfit('"statements" must be a list')
        if "statement_scores" in data:
            return self._by_two_lists(listed, field_of(data, "statement_scores"))
        return tuple(self._single(entry) for entry in listed)

    def imagine(self, subject: str) -> str:
        """One inferred statement per sentence of the subject."""
        return json.dumps({"statements": self._imagined(subject)}, ensure_ascii=False)

    def _imagined(self, subject: str) -> list[dict[str, Any]]:
        sentences = [part for part in re.split(r"(?<=[.!?])\s+", subject.strip()) if part] or ["-"]
        reason = "The passage states this, so it can be told from it."
        return [{"statement": text, "reason": reason, "verdict": self.labels[0]} for text in sentences]

    def _single(self, entry: Any) -> Statement:
        if not isinstance(entry, Mapping):
            raise Misfit("each statement must be an object with its verdict")
        data = dict(entry)
        text = field_of(data, "statement", "text")
        if not isinstance(text, str) or not text.strip():
            raise Misfit('"statement" must be a text')
        verdict = field_of(data, "verdict")
        label = label_of(verdict, self.labels)
        return Statement(text.strip(), label == self.labels[0], reason_of(data), note_on(verdict, label))

    @staticmethod
    def _by_two_lists(texts: Sequence[Any], scores: Any) -> tuple[Statement, ...]:
        if not isinstance(scores, list) or len(scores) != len(texts):
            raise Misfit("there must be one score for each statement")
        labels = [None if isinstance(score, bool | list | dict) else _SCORES.get(score) for score in scores]
        if None in labels or not all(isinstance(text, str) for text in texts):
            raise Misfit("statements must be texts, and their scores 0 or 1")
        return tuple(Statement(text, label == "yes") for text, label in zip(texts, labels, strict=True))
