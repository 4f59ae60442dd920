"""Rating on a scale with gaps: 0, 2 or 4."""

import re
from dataclasses import dataclass, replace
from typing import Any

from thresher.judges.rating import JudgeRating, Rating
from thresher.judges.schema import Misfit


@dataclass(frozen=True)
class Levels(Rating):
    """One of several whole numbers: `{"reason": "...", "rating": 2}`; any other number is unreadable.

    Attributes:
        levels: the numbers, ascending.
    """

    levels: tuple[int, ...] = ()

    @classmethod
    def of(cls, *levels: int) -> "Levels":
        """Make the scale of these numbers."""
        ascending = tuple(sorted(levels))
        return cls(ascending[0], ascending[-1], ascending)

    def _numbers(self) -> list[int]:
        return [*self.levels]

    def _on_scale(self, value: Any) -> int:
        number = super()._on_scale(value)
        if number not in self.levels:
            raise Misfit(f"the rating must be one of {', '.join(map(str, self.levels))}")
        return number

    def read_text(self, text: str) -> JudgeRating:
        """The labelled number, or the only number outside mentions of the scale."""
        listed = r"\s*(?:/|\||,?\s*(?:or|and)\b|,)\s*".join(rf"\b{level}\b" for level in self.levels)
        return replace(super().read_text(re.sub(listed, " ", text)), reason=text.strip())
