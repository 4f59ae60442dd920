"""Arithmetic of ratings that a judge gives as probabilities or samples."""

from collections import Counter
from collections.abc import Mapping, Sequence


def expected_rating(probabilities: Mapping[int, float]) -> tuple[float, float]:
    """The mean rating, and the probability mass that it is based on.

    Formula: sum p(s) s / sum p(s), over the ratings s of the scale
    Source: Liu et al. 2023, "G-Eval", where the probabilities sum to 1; here they are normalised.

    Args:
        probabilities: rating -> probability, without the mass of tokens that are not ratings.

    Raises:
        ValueError: if the mass is 0.

    >>> expected_rating({4: 0.6, 5: 0.2})
    (4.25, 0.8)
    """
    mass = sum(probabilities.values())
    if not mass > 0:
        raise ValueError("no rating has a probability above 0")
    return sum(rating * share for rating, share in probabilities.items()) / mass, mass


def sampled_probabilities(ratings: Sequence[int]) -> dict[int, float]:
    """Rating -> its share of the samples, by rising rating.

    >>> sampled_probabilities([4, 5, 4, 3])
    {3: 0.25, 4: 0.5, 5: 0.25}
    """
    return {rating: count / len(ratings) for rating, count in sorted(Counter(ratings).items())}
