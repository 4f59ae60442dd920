"""Two ratings of an item, and their mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thresher.components.judged.nvidia._legacy import FirstDigit
from thresher.judges import Ask, Flow, JudgeRating, Unanswered, prompt, rate, together
from thresher.judges.levels import Levels
from thresher.metrics import JudgedItem
from thresher.results import Status

COUNTS = ("valid_ratings",)
Compat = Literal["none", "ragas-0.4-legacy"]
OneInvalid = Literal["other", "unreadable"]


@dataclass(frozen=True)
class TwoRatings:
    """Two ratings on one scale, by two prompts.

    Attributes:
        prompts: names of both prompts.
        scale: the scale; its levels rise from 0.
        one_invalid: if one rating cannot be read, the `other` counts, or the item is `unreadable`.
        compat: `ragas-0.4-legacy` reads replies in plain text as ragas did, and gives no score if the first
            rating cannot be read.
    """

    prompts: tuple[str, str]
    scale: Levels
    one_invalid: OneInvalid
    compat: Compat

    def mean(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> Flow[JudgedItem]:
        """Return the mean of both ratings, from 0 to 1.

        Args:
            first: variables of the first prompt.
            second: variables of the second prompt.
        """
        scale = self.scale if self.compat == "none" else FirstDigit.like(self.scale)
        asks = [
            prompt(name).ask(scale, **data) for name, data in zip(self.prompts, (first, second), strict=True)
        ]
        ratings = yield from together(*map(_attempt, asks))
        self._check(ratings)
        valid = [rating.rating / self.scale.high for rating in ratings if isinstance(rating, JudgeRating)]
        evidence = [_evidence(name, rating) for name, rating in zip(self.prompts, ratings, strict=True)]
        return JudgedItem(sum(valid) / len(valid), {"valid_ratings": len(valid)}, {"ratings": evidence})

    def _check(self, ratings: Sequence[JudgeRating | Unanswered]) -> None:
        """Raise the reason why there is no score.

        A failed call is not an invalid rating: another attempt may succeed.
        """
        ends = [rating for rating in ratings if isinstance(rating, Unanswered)]
        for end in ends:
            if end.status is not Status.UNREADABLE:
                raise end
        first_counts = self.compat != "none" and isinstance(ratings[0], Unanswered)
        if len(ends) == len(ratings) or (ends and (first_counts or self.one_invalid == "unreadable")):
            raise ends[0]


def _attempt(ask: Ask[JudgeRating]) -> Flow[JudgeRating | Unanswered]:
    """The rating, or the reason why it is missing, so that one failure does not stop the other rating."""
    try:
        return (yield from rate(ask))
    except Unanswered as end:
        return end


def _evidence(name: str, rating: JudgeRating | Unanswered) -> dict[str, Any]:
    if isinstance(rating, Unanswered):
        return {"prompt": name, "rating": None, "problem": rating.reason}
    return {"prompt": name, "rating": rating.rating, "reason": rating.reason}
