"""A rating from 1 to 5, as the item's score."""

from typing import Any

from thresher.judges import Flow, Prompt, Rating, rate
from thresher.metrics import JudgedItem

SCALE = Rating(1, 5)
BOUNDS = (1.0, 5.0)


def rated(prompt: Prompt, **data: Any) -> Flow[JudgedItem]:
    """The rating that a judge gives.

    Args:
        prompt: a prompt that asks for a rating from 1 to 5.
        data: its variables.
    """
    found = yield from rate(prompt.ask(SCALE, **data))
    return JudgedItem(float(found.rating), {}, {"rating": found.rating, "reason": found.reason})
