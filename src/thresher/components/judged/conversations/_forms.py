"""Forms of replies about conversations: named texts, and texts by turn."""

import json
from dataclasses import dataclass
from typing import ClassVar

from thresher.judges import ReplySchema
from thresher.judges.fields import TEXT, field_of, json_object
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, Misfit


@dataclass(frozen=True)
class NamedTexts(ReplySchema[tuple[str, ...]]):
    """One text under each of several keys: `{"goal": "...", "outcome": "..."}`.

    Attributes:
        keys: the keys.
    """

    panel_use: ClassVar[PanelUse] = "once"
    keys: tuple[str, ...]

    def json_schema(self) -> Json:
        """The keys, all required."""
        return json_object(dict.fromkeys(self.keys, TEXT))

    def read(self, data: Json) -> tuple[str, ...]:
        """The texts in the order of the keys; none may be blank."""
        return tuple(self._text(data, key) for key in self.keys)

    def imagine(self, subject: str) -> str:
        """The start of the subject under each key."""
        return json.dumps({key: f"{key}: {subject.strip()[:120]}" for key in self.keys}, ensure_ascii=False)

    def _text(self, data: Json, key: str) -> str:
        text = field_of(data, key)
        if not isinstance(text, str) or not text.strip():
            raise Misfit(f'"{key}" is not a text')
        return text.strip()


@dataclass(frozen=True)
class TextsByTurn(ReplySchema[dict[str, tuple[str, ...]]]):
    """A list of texts for each turn: `{"1": ["...", "..."], "3": []}`.

    Attributes:
        turns: ids of the turns; each must have a list, which may be empty.
    """

    panel_use: ClassVar[PanelUse] = "once"
    turns: tuple[str, ...]

    def json_schema(self) -> Json:
        """One required list of texts per turn."""
        return {
            "$defs": {"texts": {"type": "array", "items": TEXT}},
            **json_object({turn: {"$ref": "#/$defs/texts"} for turn in self.turns}),
        }

    def read(self, data: Json) -> dict[str, tuple[str, ...]]:
        """The texts of each turn without blank ones."""
        return {turn: self._texts(data, turn) for turn in self.turns}

    def imagine(self, subject: str) -> str:
        """One text per turn."""
        return json.dumps(
            {turn: [f"In turn {turn}: {subject.strip()[:80]}"] for turn in self.turns}, ensure_ascii=False
        )

    def _texts(self, data: Json, turn: str) -> tuple[str, ...]:
        texts = field_of(data, turn)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Misfit(f'"{turn}" is not a list of texts')
        return tuple(text.strip() for text in texts if text.strip())
