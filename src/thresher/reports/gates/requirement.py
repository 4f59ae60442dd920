"""A requirement: what a run has to reach."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

Operator = Literal[">=", ">", "<=", "<"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
SLACK = 1e-9
"""What a sum may lose in the last digits; a mean of ten scores of 0.8 reaches 0.8."""


class Quantity(StrEnum):
    """What of a metric stands against the bar."""

    VALUE = "value"
    """The metric's value."""
    ITEMS = "items"
    """The share of its scored items that reach a bar of their own."""
    MIN = "min"
    """The lowest item score."""
    MAX = "max"
    """The highest item score."""
    COVERAGE = "coverage"
    """The share of all items that have a score."""
    NO_REGRESSION = "no-regression"
    """How much worse than the baseline, in the metric's own direction."""


@dataclass(frozen=True)
class Bar:
    """Where the good side begins.

    Attributes:
        operator: which side is good.
        number: the bar; what is added to the baseline where `baseline` is set.
        baseline: whether the number is counted from the baseline's value.
    """

    operator: Operator
    number: float
    baseline: bool = False

    @property
    def upwards(self) -> bool:
        """Whether more is good."""
        return self.operator in (">=", ">")

    @overload
    def reached(self, number: float) -> bool: ...
    @overload
    def reached(self, number: Floats) -> Mask: ...
    def reached(self, number: float | Floats) -> bool | Mask:
        """Whether a number, or each of several, is on the good side.

        >>> Bar(">=", 0.8).reached(0.8), Bar(">", 0.8).reached(0.8)
        (True, False)
        """
        ahead = number - self.number if self.upwards else self.number - number
        return ahead >= -SLACK if "=" in self.operator else ahead > SLACK

    @property
    def tolerance(self) -> float:
        """How much worse than the baseline is still good; 0 for none, and for bars beyond the baseline."""
        worse = -self.number if self.upwards else self.number
        return max(worse, 0.0) if self.baseline else 0.0

    def __str__(self) -> str:
        if not self.baseline:
            return f"{self.operator}{self.number:g}"
        return f"{self.operator}baseline{f'{self.number:+g}' if self.number else ''}"


@dataclass(frozen=True)
class Part:
    """A part of the items; exactly one of the three ways to say which.

    Attributes:
        by: a column, each of whose entries is a part in turn.
        entry: a column and the entry that the items of the part have in it.
        condition: a condition on the columns, e.g. `rating >= 4`.
    """

    by: str | None = None
    entry: tuple[str, str] | None = None
    condition: str | None = None


@dataclass(frozen=True)
class Requirement:
    """One requirement, as `thresher.reports.gates.parsing.parse` reads it.

    Attributes:
        text: the requirement as it was written.
        quantity: what stands against the bar.
        metrics: names of the metrics; empty for the primary ones (`no-regression`).
        bar: the bar; None for `no-regression` without `within`.
        part: the items that count; None for all.
        item_bar: the bar of a single item (`items`).
    """

    text: str
    quantity: Quantity
    metrics: tuple[str, ...]
    bar: Bar | None
    part: Part | None = None
    item_bar: Bar | None = None

    @property
    def needs_baseline(self) -> bool:
        """Whether it can only be decided beside a baseline."""
        return self.quantity is Quantity.NO_REGRESSION or (self.bar is not None and self.bar.baseline)
