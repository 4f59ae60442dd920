"""Quantiles and tails of the normal and the t distribution; scipy is imported at the first call."""

import math


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal distribution.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(probability))


def t_quantile(probability: float, degrees: float) -> float:
    """Quantile of the t distribution; normal for infinite degrees of freedom.

    >>> round(t_quantile(0.975, 10), 4)
    2.2281
    """
    if math.isinf(degrees):
        return normal_quantile(probability)
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def two_sided(statistic: float, degrees: float) -> float:
    """Probability that a t variable is at least that far from zero; NaN for NaN.

    >>> two_sided(0.0, 5), round(two_sided(-1.959964, math.inf), 4)
    (1.0, 0.05)
    """
    from scipy.special import ndtr, stdtr

    lower = ndtr(-abs(statistic)) if math.isinf(degrees) else stdtr(degrees, -abs(statistic))
    return 2 * float(lower)


def critical(level: float, degrees: float = math.inf) -> float:
    """Half the width of a two-sided interval, in standard errors."""
    return t_quantile((1 + level) / 2, degrees)
