"""The weights of factuality and similarity."""

from collections.abc import Sequence
from numbers import Real

from thresher.errors import InputError


def check_weights(weights: Sequence[float]) -> None:
    """Refuse what is not two numbers of at least 0, one of them above."""
    fine = len(weights) == 2 and all(  # noqa: PLR2004
        isinstance(weight, Real) and not isinstance(weight, bool) and 0 <= float(weight) < float("inf")
        for weight in weights
    )
    if not fine or not sum(weights):
        raise InputError(
            f"weights={list(weights)} must be two numbers, of factuality and of similarity, of which none is "
            "below 0 and one above"
        )


def weighted(weights: Sequence[float], factuality: float, similarity: float) -> float:
    """The weighted mean.

    >>> weighted([3, 1], 1.0, 0.5)
    0.875
    """
    return (weights[0] * factuality + weights[1] * similarity) / (weights[0] + weights[1])
