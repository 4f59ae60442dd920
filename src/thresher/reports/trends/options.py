"""Options of a trend, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from thresher.errors import InputError
from thresher.kernels.inference import LEVEL
from thresher.kernels.inference.interval import checked_level


@dataclass(frozen=True, kw_only=True)
class TrendOptions:
    """Options of a trend.

    Attributes:
        primary: the measure; None for the first primary measure of the latest run.
        step: also compare the last `step` runs with those before; choose it before the scores are known.
        bars: measure -> lowest score with which an item passes (the highest if lower is better). Scores of 0
            and 1 need none.
        level: nominal coverage of intervals. An unchanged system alarms with probability (1 - level) / 2.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats; see `thresher.reports.Analysis`.

    Raises:
        InputError: for an option out of range.
    """

    primary: str | None = None
    step: int | None = None
    bars: Mapping[str, float] = field(default_factory=dict)
    level: float = LEVEL
    cluster: str | None = None
    repeats: str | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        if not isinstance(self.primary, str | None):
            raise InputError(f"primary={self.primary!r} must be one name")
        if self.step is not None and (type(self.step) is not int or self.step < 1):
            raise InputError(f"step={self.step!r} must be a whole number of runs, at least 1")
        if not isinstance(self.bars, Mapping):
            raise InputError(f"bars={self.bars!r}: give a dict measure -> score")

    @property
    def false_alarms(self) -> float:
        """Probability that one look at an unchanged system alarms."""
        return (1 - self.level) / 2


class TrendKeywords(TypedDict, total=False):
    """Options of `thresher.trend`; `TrendOptions` describes them."""

    primary: str | None
    step: int | None
    bars: Mapping[str, float]
    level: float
    cluster: str | None
    repeats: str | None
