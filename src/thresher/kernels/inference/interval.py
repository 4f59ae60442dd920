"""A value and how far it can be trusted."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from thresher.errors import InputError

LEVEL = 0.95
DRAWS = 1000
SEED = 20240403


def checked_level(level: object) -> float:
    """A nominal coverage that intervals and tests can have.

    Raises:
        InputError: if it does not lie between 0.5 and 1.

    >>> checked_level(0.9)
    0.9
    """
    if isinstance(level, Real) and 0.5 < float(level) < 1:  # noqa: PLR2004
        return float(level)
    raise InputError(f"level={level!r} must be a share between 0.5 and 1; give e.g. 0.95")


@dataclass(frozen=True)
class Interval:
    """An interval and how it was made.

    Attributes:
        low: lower limit.
        high: upper limit.
        level: nominal coverage, 0 to 1.
        method: name of the method.
        draws: number of bootstrap draws; None where nothing was drawn.
        seed: seed of the generator that made them.
    """

    low: float
    high: float
    level: float
    method: str
    draws: int | None = None
    seed: int | None = None

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies between two limits, both included."""
        return low <= self.low and self.high <= high

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as reports print it."""
        told = {"low": self.low, "high": self.high, "level": self.level, "method": self.method}
        return told if self.draws is None else {**told, "draws": self.draws, "seed": self.seed}


@dataclass(frozen=True)
class IntervalEstimate:
    """A value with its uncertainty and the items it is based on.

    Attributes:
        value: the value; NaN where it does not exist.
        interval: None with fewer than two items (or clusters), or where nothing can be said.
        standard_error: of the value; NaN where it is unknown.
        items: items that count, repeats of an item counted once.
        clusters: number of clusters; None if items are taken as independent.
        effective_items: how many independent items would say as much; None without clusters.
        effective_clusters: how many clusters of equal size would weigh as much; None without clusters.
    """

    value: float
    interval: Interval | None
    standard_error: float
    items: int
    clusters: int | None = None
    effective_items: float | None = None
    effective_clusters: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {
            "value": finite(self.value),
            "interval": self.interval.to_dict() if self.interval else None,
            "standard_error": finite(self.standard_error),
            "items": self.items,
            "clusters": self.clusters,
            "effective_items": None if self.effective_items is None else finite(self.effective_items),
            "effective_clusters": self.effective_clusters,
        }


def finite(value: float) -> float | None:
    """A number as strict JSON has it: NaN and the infinities are None."""
    return value if math.isfinite(value) else None
