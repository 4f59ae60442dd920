"""Domains of axes, round numbers along them, and the places of values between their ends."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Domain = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """A linear scale; values outside the domain are drawn at its edge.

    >>> Scale((0, 2), (10, 30))(1)
    20.0
    """

    domain: Domain
    places: tuple[float, float]

    def __call__(self, value: float) -> float:
        """The place of a value, to a hundredth."""
        (low, high), (start, end) = self.domain, self.places
        share = min(1.0, max(0.0, (value - low) / (high - low)))
        return round(start + share * (end - start), 2)


def domain(bounds: Sequence[float | None], values: Iterable[float | None]) -> Domain:
    """Return finite bounds, else 0 to 1 if that holds all values, else the range of the values.

    >>> domain((0, 1), [0.5]), domain((None, None), [0.2, 0.9]), domain((None, None), [3, 5])
    ((0.0, 1.0), (0.0, 1.0), (3.0, 5.0))
    """
    low, high = bounds
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        return float(low), float(high)
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    least, most = min(known, default=0.0), max(known, default=1.0)
    if least >= 0 and most <= 1:
        return 0.0, 1.0
    return (least, most) if least < most else (least - 0.5, most + 0.5)


def ticks(limits: Domain, about: int = 5) -> list[float]:
    """Return round numbers within the limits, with about as many steps as requested.

    >>> ticks((0, 1)), ticks((1, 5), 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    """
    low, high = limits
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * min((1, 2, 5, 10), key=lambda factor: abs(factor * power - raw))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]
