"""A rating whose scale has gaps, or names its steps: 0, 2 or 4."""

import re
from dataclasses import dataclass, replace
from typing import Any

from thresher.judges.rating import JudgeRating, Rating
from thresher.judges.schema import Misfit


@dataclass(frozen=True)
class Levels(Rating):
    """One of some whole numbers: `{"reason": "...", "rating": 2}`; anything between is unreadable.

    Attributes:
        levels: the numbers, rising.
    """

    levels: tuple[int, ...] = ()

    @classmethod
    def of(cls, *levels: int) -> "Levels":
        """The scale of these numbers."""
        rising = tuple(sorted(levels))
        return cls(rising[0], rising[-1], rising)

    def _numbers(self) -> list[int]:
        return [*self.levels]

    def _on_scale(self, said: Any) -> int:
        number = super()._on_scale(said)
        if number not in self.levels:
            raise Misfit(f"the rating must be one of {', '.join(map(str, self.levels))}")
        return number

    def read_text(self, text: str) -> JudgeRating:
        """The labelled number, or the only one left when mentions of the scale are taken out."""
        listed = r"\s*(?:/|\||,?\s*(?:or|and)\b|,)\s*".join(rf"\b{level}\b" for level in self.levels)
        return replace(super().read_text(re.sub(listed, " ", text)), reason=text.strip())
