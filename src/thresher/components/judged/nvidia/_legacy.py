"""Ratings read as by ragas' first implementation, to reproduce its numbers."""

from dataclasses import dataclass
from typing import Self

from thresher.judges.levels import Levels
from thresher.judges.rating import JudgeRating
from thresher.judges.schema import Misfit

_ACCURACY = 4


@dataclass(frozen=True)
class FirstDigit(Levels):
    """A scale that reads plain text by searching for one digit after the other anywhere in it.

    On the scale up to 4 the search begins with 0, so that "Rating: 4 (scale 0-4)" is 0, and includes 1 and 3;
    on the scale up to 2 it begins with 2, so that "1 out of 2" is 2. JSON replies are read correctly.
    """

    @classmethod
    def like(cls, scale: Levels) -> Self:
        """Return the same scale with this reading."""
        return cls(scale.low, scale.high, scale.levels)

    def read_text(self, text: str) -> JudgeRating:
        """Return the first digit, in the order of the search, that occurs in the text."""
        rising = range(self.low, self.high + 1)
        order = rising if self.high == _ACCURACY else reversed(rising)
        for digit in order:
            if str(digit) in text:
                return JudgeRating(digit)
        raise Misfit("it holds no rating")
