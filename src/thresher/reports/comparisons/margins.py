"""Margins of equivalence: the differences that a user says do not matter."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Self

from thresher.errors import InputError
from thresher.results.short_names import known_name
from thresher.results.suggestions import suggest

_PERCENT = 100


@dataclass(frozen=True)
class Margins:
    """Differences up to which runs count as equivalent.

    Attributes:
        of_all: margin of every metric without one of its own; None for none.
        of_metric: metric -> margin.
    """

    of_all: float | None = None
    of_metric: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def checked(
        cls, margins: Mapping[str, float] | None, margin: float | None, metrics: Iterable[str]
    ) -> Self:
        """Margins for these metrics.

        Args:
            margins: metric -> margin, in the units of that metric.
            margin: margin of all other metrics.
            metrics: names of the metrics that there are.

        Raises:
            InputError: for an unknown metric, or a margin that is not a positive number.
        """
        if margins is not None and not isinstance(margins, Mapping):
            raise InputError(f"margins={margins!r}: give a dict metric -> margin, or margin= for all metrics")
        known = set(metrics)
        margins = {known_name(metric, known): size for metric, size in (margins or {}).items()}
        for metric, size in margins.items():
            if metric not in known:
                near, names = suggest(metric, known), ", ".join(sorted(known))
                raise InputError(f"margin for {metric!r}: no run has that metric{near}; there are {names}")
            _check_size(size, f"margin for {metric}: ")
        if margin is not None:
            _check_size(margin, "margin: ")
        return cls(margin, margins)

    def of(self, metric: str) -> float | None:
        """The margin of a metric; None if none was given."""
        return self.of_metric.get(metric, self.of_all)


def check_margin(metric: str, size: float, bounds: tuple[float, float]) -> str:
    """Check that a margin is less than the range of a measure.

    Returns:
        A note for a margin above a quarter of the range; else an empty text.

    Raises:
        InputError: if no difference could exceed it.
    """
    low, high = bounds
    if not size < high - low:
        remedy = "; " + in_units(size, bounds) if in_units(size, bounds) else ""
        raise InputError(
            f"margin for {metric}: {size:g} is as large as the range of {metric}, {low:g} to {high:g}, "
            f"so that no difference could exceed it{remedy}"
        )
    if not math.isfinite(high - low) or size <= (high - low) / 4:
        return ""
    return f"The margin {size:g} is more than a quarter of the range of {metric}, {low:g} to {high:g}."


def in_units(number: float, bounds: tuple[float, float]) -> str:
    """How to write a percentage for a measure from 0 to 1; empty if the number is none.

    >>> in_units(2, (0, 1))
    'for 2 % write 0.02'
    """
    return f"for {number:g} % write {number / 100:g}" if bounds == (0, 1) and 1 <= number <= _PERCENT else ""


def _check_size(size: object, where: str) -> None:
    if isinstance(size, bool) or not isinstance(size, Real) or not 0 < float(size) < math.inf:
        raise InputError(f"{where}{size!r} is not a positive number")
