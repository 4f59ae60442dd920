"""A value with its interval."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from thresher.errors import InputError
from thresher.surface import given

LEVEL = 0.95  # the convention of the field
DRAWS = 1000
"""The least for percentiles of 95 % (Efron and Tibshirani 1993, An Introduction to the Bootstrap, ch. 13)."""
SEED = 20240403  # any fixed number: the same data give the same interval


def checked_level(level: object) -> float:
    """Return a nominal coverage as a float.

    Raises:
        InputError: if it is not a number between 0.5 and 1.

    >>> checked_level(0.9)
    0.9
    """
    if isinstance(level, Real) and 0.5 < float(level) < 1:  # noqa: PLR2004
        return float(level)
    raise InputError(f"{given('level', level)} must be a share between 0.5 and 1; give e.g. 0.95")


@dataclass(frozen=True)
class Interval:
    """An interval and how it was computed.

    Attributes:
        low: lower limit.
        high: upper limit.
        level: nominal coverage, 0 to 1.
        method: name of the method.
    """

    low: float
    high: float
    level: float
    method: str

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval is between two limits, both included."""
        return low <= self.low and self.high <= high

    def to_dict(self) -> dict[str, Any]:
        """Plain data for reports; None for an end that no number of units excludes."""
        limits = {"low": finite(self.low), "high": finite(self.high)}
        return {**limits, "level": self.level, "method": self.method}


@dataclass(frozen=True)
class IntervalEstimate:
    """A value with its uncertainty and the items it is based on.

    Attributes:
        value: the value; NaN if undefined.
        interval: None if unknown, for example with fewer than two items (or clusters).
        standard_error: of the value; NaN if unknown.
        items: items that count, repeats of an item counted once.
        clusters: number of clusters; None if items are taken as independent.
        decides: whether there are enough units for a verdict; see `FEWEST_FOR_VERDICTS`.
    """

    value: float
    interval: Interval | None
    standard_error: float
    items: int
    clusters: int | None = None
    decides: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {
            "value": finite(self.value),
            "interval": self.interval.to_dict() if self.interval else None,
            "standard_error": finite(self.standard_error),
            "items": self.items,
            "clusters": self.clusters,
        }


def finite(value: float) -> float | None:
    """A number for strict JSON: NaN and infinities become None."""
    return value if math.isfinite(value) else None
