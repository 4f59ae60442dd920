"""Small models for components that need one: they load nothing and always say the same."""

from typing import Any


class LetterCounts:
    """An embedder: how often each of six letters stands in a text, and one for the text itself."""

    def run(self, text: str) -> dict[str, Any]:
        return {"embedding": [1.0, *(float(text.count(letter)) for letter in "abcetx")]}

    def to_dict(self) -> dict[str, Any]:
        return {"type": "laws.models.LetterCounts", "init_parameters": {}}

    @classmethod
    def from_dict(cls, _data: dict[str, Any]) -> "LetterCounts":
        return cls()


class LengthRatio:
    """A cross-encoder: the shorter text's share of the longer one."""

    def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [(1 + min(map(len, pair))) / (1 + max(map(len, pair))) for pair in pairs]

    def to_dict(self) -> dict[str, Any]:
        return {"type": "laws.models.LengthRatio", "init_parameters": {}}

    @classmethod
    def from_dict(cls, _data: dict[str, Any]) -> "LengthRatio":
        return cls()
