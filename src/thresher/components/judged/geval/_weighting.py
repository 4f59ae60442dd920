"""Ratings weighted by the log-probabilities of the rating's token, or by samples."""

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
"""Numbers up to 9 are one token for every model. The first token of 10 may be 1, which is also a rating."""


@dataclass(frozen=True)
class BareRating(Rating):
    """Only a rating: `{"rating": 4}`. A reason before it would change its probability."""

    def json_schema(self) -> Json:
        """The rating, one of the numbers of the scale."""
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
    """A weighted rating, and how it was computed.

    Attributes:
        score: the mean under the probabilities.
        way: `log-probabilities`, `samples` or `one rating`.
        probabilities: rating -> probability, summing to 1.
        mass: share of all probability that the ratings of the scale have.
        asked: number of calls.
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
    """Return the weighted rating of an ask.

    Args:
        ask: asks for a `BareRating`.
        weighting: `auto` uses the log-probabilities of the first reply if there are any; otherwise that reply
            is the first sample.
        samples: number of samples.
        temperature: temperature of the samples.

    Raises:
        Unanswered: if a reply is missing or cannot be read, or if `logprobs` are required and missing.
    """
    if weighting == "none":
        rated = yield from answered(ask)
        return Weighted(rated.rating, "one rating", {rated.rating: 1.0}, 1.0, 1)
    first = _sample(ask, 0, temperature)
    if weighting != "samples":
        first = replace(first, options=(*first.options, *WANTED))
    rated, answer = yield from _with_answer(first)
    probabilities = {} if weighting == "samples" else _probabilities(ask, rated, answer)
    if probabilities:
        score, mass = expected_rating(probabilities)
        shares = {rating: share / mass for rating, share in sorted(probabilities.items())}
        return Weighted(score, "log-probabilities", shares, mass, 1)
    if weighting == "logprobs":
        raise Unanswered(Status.FAILED, f"{ask.prompt}: the judge gives no log-probabilities of the rating")
    others = (answered(_sample(ask, number, temperature)) for number in range(1, samples))
    ratings = [rated.rating, *(other.rating for other in (yield from together(*others)))]
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
            step = flow.send(reply)
        except StopIteration as stop:
            return stop.value, reply.answer
        reply = yield step


def _probabilities(ask: Ask[JudgeRating], rated: JudgeRating, answer: Answer) -> dict[int, float]:
    """Rating -> probability of its token at the place of the rating; empty if that place is ambiguous."""
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
    """Position of the rating in a reply, outside of thoughts: after its name, or the only such number."""
    start = len(text) - len(after_thoughts(text) or text)
    number = rf"(?<!\d){rating}(?!\d)"
    named = re.compile(rf"(?i)\b(?:rating|score)\b\W*({number})").search(text, start)
    places = (
        [named.start(1)] if named else [match.start() for match in re.compile(number).finditer(text, start)]
    )
    return places[0] if len(places) == 1 else None
