"""A rating from 1 to 5, as the item's score."""

from typing import Any

from thresher.judges import Flow, Prompt, Rating, rate
from thresher.metrics import JudgedItem

SCALE = Rating(1, 5)
BOUNDS = (1.0, 5.0)


def rated(prompt: Prompt, **data: Any) -> Flow[JudgedItem]:
    """Return a judge's rating.

    Args:
        prompt: a prompt that asks for a rating from 1 to 5.
        data: variables of the prompt.
    """
    reply = yield from rate(prompt.ask(SCALE, **data))
    return JudgedItem(float(reply.rating), {}, {"rating": reply.rating, "reason": reply.reason})
