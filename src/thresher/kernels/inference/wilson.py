"""Wilson's score interval, for rates and, with an effective number of items, for other bounded values."""

import math

from thresher.kernels.inference.distributions import critical


def wilson_interval(rate: float, items: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a rate: the rates that a score test does not reject.

    Formula: centre (p + z^2 / 2n) / (1 + z^2 / n),
        half width z / (1 + z^2 / n) * sqrt(p (1 - p) / n + z^2 / 4n^2)
    Source: Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.

    Args:
        rate: the observed rate, 0 to 1.
        items: number of items; may be a fraction.
        quantile: half the interval's width in standard errors, 1.96 for 95 %.

    >>> low, high = wilson_interval(1.0, 10, 1.96)
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    inflation = 1 + quantile**2 / items
    centre = (rate + quantile**2 / (2 * items)) / inflation
    spread = rate * (1 - rate) / items + quantile**2 / (4 * items * items)  # ** raises where this is inf
    half = quantile / inflation * math.sqrt(spread)
    low = 0.0 if rate <= 0 else max(0.0, centre - half)
    high = 1.0 if rate >= 1 else min(1.0, centre + half)
    return low, high


def effective_items(rate: float, standard_error: float, otherwise: float) -> float:
    """Number of 0/1 items for which a rate has that standard error (Korn and Graubard 1998).

    Args:
        rate: the observed rate, 0 to 1.
        standard_error: of the rate.
        otherwise: the result if the standard error is 0.

    >>> round(effective_items(0.5, 0.05, 7))
    100
    >>> effective_items(1.0, 0.0, 7)
    7
    """
    variance, squared = rate * (1 - rate), standard_error**2
    if squared <= 0 or variance <= 0:
        return otherwise
    return variance / squared


def bounded_interval(
    value: float,
    standard_error: float,
    bounds: tuple[float, float],
    *,
    level: float,
    degrees: float,
    otherwise: float,
    at_least: float = 0.0,
) -> tuple[float, float]:
    """Wilson's interval for a value between finite bounds, from its standard error.

    Plain t intervals of bounded values exceed the bounds and miss the true value too often near them. This
    interval is close to the t interval in the middle of the range and asymmetric near the bounds.

    Args:
        value: the observed value, within its bounds.
        standard_error: of the value.
        bounds: smallest and largest possible value.
        level: nominal coverage.
        degrees: degrees of freedom of the standard error.
        otherwise: effective number of items if the standard error is 0.
        at_least: number of independent scores that the value is the mean of. Scores between the bounds vary
            at most as 0/1 scores with the same mean, so the interval is never wider than Wilson's for those.
    """
    low, high = bounds
    rate = min(1.0, max(0.0, (value - low) / (high - low)))
    items = effective_items(rate, standard_error / (high - low), otherwise)
    limits = wilson_interval(rate, items, critical(level, degrees))
    if at_least:
        widest = wilson_interval(rate, at_least, critical(level))
        limits = max(limits[0], widest[0]), min(limits[1], widest[1])
    return low + limits[0] * (high - low), low + limits[1] * (high - low)
