"""Reply forms with numbers: a decimal score, points for several questions, scores of two answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from thresher.judges.fields import (
    TEXT,
    field_of,
    json_object,
    number_in,
    number_of,
    reason_of,
)
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, Misfit, ReplySchema, refuse_objects

_NUMBER: Json = {"type": "number"}
_REASON = "The answer keeps to the question and each of its statements can be followed. Nothing is missing."


@dataclass(frozen=True)
class JudgeScore:
    """A score and the reason."""

    score: float
    reason: str = ""


@dataclass(frozen=True)
class Score(ReplySchema[JudgeScore]):
    """A number on a scale, decimals allowed: `{"reason": "...", "score": 4.5}`; never clamped."""

    panel_use: ClassVar[PanelUse] = "votes"
    low: float
    high: float

    def json_schema(self) -> Json:
        """A reason, then the score."""
        return json_object({"reason": TEXT, "score": _NUMBER})

    def read(self, data: Json) -> JudgeScore:
        """The score; `4.5`, `"4.5"` and `"4.5/5"` are equal."""
        return JudgeScore(number_of(field_of(data, "score", "rating"), self.low, self.high), reason_of(data))

    def read_text(self, text: str) -> JudgeScore:
        """The only score in a plain text, with the text as reason."""
        refuse_objects(text)
        return JudgeScore(number_in(text, self.low, self.high), text.strip())

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """The highest score, with a reason of two sentences."""
        return json.dumps({"reason": _REASON, "score": self.high})


@dataclass(frozen=True)
class JudgePoints:
    """Points: their sum, the points of each question if known, and the reason."""

    total: float
    points: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Points(ReplySchema[JudgePoints]):
    """Points for several questions: `{"reason": "...", "subject": 2, "answer": 1.5}`.

    Attributes:
        most: questions with their maximum points.
    """

    panel_use: ClassVar[PanelUse] = "votes"
    most: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        """Maximum of all points."""
        return sum(most for _, most in self.most)

    def json_schema(self) -> Json:
        """A reason, then the points for each question."""
        return json_object({"reason": TEXT, **{name: _NUMBER for name, _ in self.most}})

    def read(self, data: Json) -> JudgePoints:
        """The points; every question must have some."""
        points = {name: number_of(field_of(data, name), 0, most) for name, most in self.most}
        return JudgePoints(sum(points.values()), points, reason_of(data))

    def read_text(self, text: str) -> JudgePoints:
        """The sum, if a plain text has a single number."""
        refuse_objects(text)
        return JudgePoints(number_in(text, 0, self.total), {}, text.strip())

    def votes(self, value: JudgePoints) -> dict[str, str | float]:
        """The points of each question, and their sum."""
        return {**value.points, "total": value.total}

    def elected(self, values: Sequence[JudgePoints], votes: Mapping[str, str | float]) -> JudgePoints:
        """The pooled points; their sum is pooled only if a judge gave no other number."""
        points = {name: float(votes[name]) for name, _ in self.most if name in votes}
        complete = len(points) == len(self.most) and all(value.points for value in values)
        total = sum(points.values()) if complete else float(votes["total"])
        return JudgePoints(total, points if complete else {}, values[0].reason)

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """All points but a half, so that an estimate includes later packs of contexts."""
        first, most = self.most[0]
        return json.dumps({"reason": _REASON, **dict(self.most), first: most - 0.5})


@dataclass(frozen=True)
class JudgeScorePair:
    """The scores of two answers and the reason."""

    a: float
    b: float
    reason: str = ""


@dataclass(frozen=True)
class TwoScores(ReplySchema[JudgeScorePair]):
    """Scores of two answers on one scale: `{"reason": "...", "score_a": 8, "score_b": 6}`.

    Attributes:
        low: the lowest score.
        high: the highest.
        whole: whether only whole numbers are valid.
        reason_first: whether the reason precedes the scores, which can then be based on it.
    """

    panel_use: ClassVar[PanelUse] = "votes"
    low: float
    high: float
    whole: bool = False
    reason_first: bool = True

    def json_schema(self) -> Json:
        """A reason and both scores, in the configured order."""
        scores: Json = {"score_a": _NUMBER, "score_b": _NUMBER}
        return json_object({"reason": TEXT, **scores} if self.reason_first else {**scores, "reason": TEXT})

    def read(self, data: Json) -> JudgeScorePair:
        """Both scores."""
        return JudgeScorePair(
            self._on_scale(data, "score_a"), self._on_scale(data, "score_b"), reason_of(data)
        )

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """Two high scores, with a reason of two sentences."""
        return json.dumps({"reason": _REASON, "score_a": self.high, "score_b": self.high})

    def _on_scale(self, data: Json, name: str) -> float:
        try:
            return number_of(field_of(data, name), self.low, self.high, whole=self.whole)
        except Misfit as error:
            raise Misfit(f'"{name}": {error}') from error


def as_plain(points: JudgePoints) -> dict[str, Any]:
    """Points as plain data, for evidence."""
    return {"points": dict(points.points), "total": points.total, "reason": points.reason}
