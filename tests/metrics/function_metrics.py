"""Metrics made of functions, in a module that can be imported."""

import asyncio

import numpy as np

from thresher.metrics import PositiveCount, Status, Unanswered, column_metric, item_metric


@item_metric
def brevity(predicted_answers: str, ground_truth_answers: str, *, tolerance: PositiveCount = 1) -> float:
    """Whether an answer is at most as long as its reference.

    Formula: 1 if words of the answer <= words of the reference + tolerance, else 0

    Args:
        predicted_answers: the answer.
        tolerance: number of words by which the answer may be longer.
    """
    return len(predicted_answers.split()) <= len(ground_truth_answers.split()) + tolerance


@item_metric(name="word_count", direction="lower", bounds=(0, 5))
def count_words(predicted_answers):
    if predicted_answers == "raise":
        raise ValueError("two\nlines")
    if predicted_answers == "status":
        raise Unanswered(Status.UNREADABLE, "not a sentence")
    special = {"none": None, "nan": np.nan, "text": "3", "high": 6}
    return special.get(predicted_answers, len(predicted_answers.split()))


@item_metric
def has_context(predicted_answers: str, contexts: list[str] | None = None) -> float:
    return contexts is not None


PEAK = {"now": 0, "most": 0}


@item_metric(max_concurrency=2)
async def slow(predicted_answers: str) -> float:
    PEAK["now"] += 1
    PEAK["most"] = max(PEAK.values())
    await asyncio.sleep(0.01)
    PEAK["now"] -= 1
    if predicted_answers == "raise":
        raise ValueError("no")
    return 0.5


@column_metric
def halves(predicted_answers: list[str]) -> list[float | None]:
    return [0.5 if answer else None for answer in predicted_answers]


@column_metric
def too_few(predicted_answers: list[str]) -> list[float]:
    return [1.0]
