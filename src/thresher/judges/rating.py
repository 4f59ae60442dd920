"""Reply form with a whole number on a scale."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from thresher.judges.fields import TEXT, field_of, json_object, number_in, number_of, reason_of
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, ReplySchema, refuse_objects

_REASON = "The text stays on its subject and each sentence follows from the one before. Nothing is missing."


@dataclass(frozen=True)
class JudgeRating:
    """A number on a scale and the reason."""

    rating: int
    reason: str = ""


@dataclass(frozen=True)
class Rating(ReplySchema[JudgeRating]):
    """A whole number on a scale: `{"reason": "...", "rating": 4}`; never clamped."""

    panel_use: ClassVar[PanelUse] = "votes"
    low: int
    high: int

    def json_schema(self) -> Json:
        """A reason, then the rating as one of the scale's numbers."""
        return json_object({"reason": TEXT, "rating": {"type": "integer", "enum": self._numbers()}})

    def read(self, data: Json) -> JudgeRating:
        """The rating; `4`, `4.0`, `"4"` and `"4/5"` are equal."""
        return JudgeRating(self._on_scale(field_of(data, "rating", "score")), reason_of(data))

    def read_text(self, text: str) -> JudgeRating:
        """The only rating in a plain text, with the text as reason.

        A text with an object is not read: a number in an object that did not fit may be anything.
        """
        refuse_objects(text)
        return JudgeRating(self._on_scale(number_in(text, self.low, self.high)), text.strip())

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """The highest rating, with a reason of two sentences."""
        return json.dumps({"reason": _REASON, "rating": self.high})

    def _numbers(self) -> list[int]:
        return [*range(self.low, self.high + 1)]

    def _on_scale(self, value: Any) -> int:
        return int(number_of(value, self.low, self.high, whole=True))
