"""Metrics with one mistake per metric, in a module that can be imported."""

import random

from thresher.metrics import column_metric, item_metric


@item_metric
def without_score(predicted_answers: str) -> float | None:
    return None


@item_metric
def failing(predicted_answers: str) -> float:
    return 1.0 / abs(len(predicted_answers) - 3)


@item_metric
def drawn(predicted_answers: str) -> float:
    return random.random()  # noqa: S311  # the mistake


@column_metric
def greedy(contexts: list[list[str]]) -> list[float]:
    contexts[0].append("x")
    return [0.5] * len(contexts)


@item_metric
def with_a_set(predicted_answers: str, *, words: object = frozenset("a")) -> float:
    return predicted_answers in words
