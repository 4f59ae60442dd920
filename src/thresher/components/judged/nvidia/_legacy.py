"""Reading ratings as ragas' first implementation did, for those who must match old numbers."""

from dataclasses import dataclass
from typing import Self

from thresher.judges.levels import Levels
from thresher.judges.rating import JudgeRating
from thresher.judges.schema import Misfit

_ACCURACY = 4


@dataclass(frozen=True)
class FirstDigit(Levels):
    """A scale whose replies in plain text are searched for digits one after the other, wherever they stand.

    Up to 4 the search begins with 0, so that "Rating: 4 (scale 0-4)" is 0, and knows no gaps; up to 2 it
    begins with 2, so that "1 out of 2" is 2. Replies with the JSON object that was asked for are read well.
    """

    @classmethod
    def like(cls, scale: Levels) -> Self:
        """The same scale, read so."""
        return cls(scale.low, scale.high, scale.levels)

    def read_text(self, text: str) -> JudgeRating:
        """The first digit in the order of searching that stands anywhere in the text."""
        rising = range(self.low, self.high + 1)
        order = rising if self.high == _ACCURACY else reversed(rising)
        for digit in order:
            if str(digit) in text:
                return JudgeRating(digit)
        raise Misfit("it holds no rating")
