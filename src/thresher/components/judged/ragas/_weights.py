"""The weights of factuality and similarity."""

from collections.abc import Sequence
from numbers import Real

from thresher.errors import InputError


def check_weights(weights: Sequence[float]) -> None:
    """Raise unless weights are two numbers of at least 0, not both 0."""
    valid = len(weights) == 2 and all(  # noqa: PLR2004
        isinstance(weight, Real) and not isinstance(weight, bool) and 0 <= float(weight) < float("inf")
        for weight in weights
    )
    if not valid or not sum(weights):
        raise InputError(
            f"weights={list(weights)} must be two numbers, for factuality and for similarity: at least 0, "
            "and not both 0"
        )


def weighted(weights: Sequence[float], factuality: float, similarity: float) -> float:
    """The weighted mean.

    >>> weighted([3, 1], 1.0, 0.5)
    0.875
    """
    return (weights[0] * factuality + weights[1] * similarity) / (weights[0] + weights[1])
