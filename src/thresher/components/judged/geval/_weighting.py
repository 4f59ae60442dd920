"""One rating out of many: by the probabilities of the rating's token, else by samples."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from thresher.judges import Answer, Ask, Flow, JudgeRating, Rating, Unanswered, answered, together
from thresher.judges.logprobs import WANTED, alternatives_at
from thresher.judges.schema import Json
from thresher.judges.thoughts import after_thoughts
from thresher.kernels.ratings import expected_rating, sampled_probabilities
from thresher.results import Status

Weighting = Literal["auto", "logprobs", "samples", "none"]
ONE_TOKEN = 9
"""Numbers up to here are one token for every model; of a 10 the first token may be the 1 of the scale."""


@dataclass(frozen=True)
class BareRating(Rating):
    """A rating and nothing else: `{"rating": 4}`. What stands before a rating would change its odds."""

    def json_schema(self) -> Json:
        """The rating as one of the scale's numbers."""
        schema = super().json_schema()
        del schema["properties"]["reason"]
        schema["required"] = ["rating"]
        return schema

    def imagine(self, subject: str) -> str:
        """The highest rating."""
        del subject
        return json.dumps({"rating": self.high})


@dataclass(frozen=True)
class Weighted:
    """A rating, and how it came about.

    Attributes:
        score: the mean under the probabilities.
        way: `log-probabilities`, `samples` or `one rating`.
        probabilities: rating -> probability, summing to 1.
        mass: what the ratings of the scale had of all probability.
        asked: calls that were made for it.
    """

    score: float
    way: str
    probabilities: Mapping[int, float]
    mass: float
    asked: int

    def evidence(self) -> dict[str, Any]:
        """Plain data."""
        shares = {str(rating): share for rating, share in self.probabilities.items()}
        return {"weighting": self.way, "probabilities": shares, "mass": self.mass, "asked": self.asked}


def weighted(ask: Ask[JudgeRating], weighting: Weighting, samples: int, temperature: float) -> Flow[Weighted]:
    """The rating that an ask gets.

    Args:
        ask: asks for a `BareRating`.
        weighting: `auto` takes the log-probabilities of the first reply if there are
            any; if not, that reply is the first of the samples.
        samples: how many.
        temperature: of the samples.

    Raises:
        Unanswered: if a reply cannot be read, none came, or there are no log-probabilities where only they
            are wanted.
    """
    if weighting == "none":
        rated = yield from answered(ask)
        return Weighted(rated.rating, "one rating", {rated.rating: 1.0}, 1.0, 1)
    first = _sample(ask, 0, temperature)
    if weighting != "samples":
        first = replace(first, options=(*first.options, *WANTED))
    rated, answer = yield from _with_answer(first)
    found = {} if weighting == "samples" else _probabilities(ask, rated, answer)
    if found:
        score, mass = expected_rating(found)
        shares = {rating: share / mass for rating, share in sorted(found.items())}
        return Weighted(score, "log-probabilities", shares, mass, 1)
    if weighting == "logprobs":
        raise Unanswered(Status.FAILED, f"{ask.prompt}: the judge gives no log-probabilities of the rating")
    others = (answered(_sample(ask, number, temperature)) for number in range(1, samples))
    ratings = [rated.rating, *(each.rating for each in (yield from together(*others)))]
    shares = sampled_probabilities(ratings)
    return Weighted(expected_rating(shares)[0], "samples", shares, 1.0, samples)


def _sample(ask: Ask[JudgeRating], number: int, temperature: float) -> Ask[JudgeRating]:
    return replace(ask, sample=number, options=(("temperature", float(temperature)), ("seed", number)))


def _with_answer(ask: Ask[JudgeRating]) -> Flow[tuple[JudgeRating, Answer]]:
    """As `answered`, and the answer itself."""
    flow = answered(ask)
    reply: Any = None
    while True:
        try:
            wanted = flow.send(reply)
        except StopIteration as stop:
            return stop.value, reply.answer
        reply = yield wanted


def _probabilities(ask: Ask[JudgeRating], rated: JudgeRating, answer: Answer) -> dict[int, float]:
    """Rating -> probability of the tokens that might have stood for it; empty if it cannot be told."""
    scale = ask.schema
    if not isinstance(scale, Rating) or scale.low < 0 or scale.high > ONE_TOKEN or not answer.text:
        return {}
    place = _place(answer.text, rated.rating)
    if place is None:
        return {}
    tokens = alternatives_at(answer.logprobs, answer.text, place, len(str(rated.rating)))
    ratings = {int(token): share for token, share in tokens.items() if re.fullmatch(r"[0-9]", token)}
    return {rating: share for rating, share in ratings.items() if scale.low <= rating <= scale.high}


def _place(text: str, rating: int) -> int | None:
    """Where a rating is in a reply: after its name, else where the number occurs once. Not in thoughts."""
    start = len(text) - len(after_thoughts(text) or text)
    number = rf"(?<!\d){rating}(?!\d)"
    named = re.compile(rf"(?i)\b(?:rating|score)\b\W*({number})").search(text, start)
    places = (
        [named.start(1)] if named else [match.start() for match in re.compile(number).finditer(text, start)]
    )
    return places[0] if len(places) == 1 else None
