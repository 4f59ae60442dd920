"""Margins of equivalence: the differences that a user says do not matter."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Self

from thresher.errors import InputError
from thresher.results.renamed_measures import known_name
from thresher.results.suggestions import suggest


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


def _check_size(size: object, where: str) -> None:
    if isinstance(size, bool) or not isinstance(size, Real) or not 0 < float(size) < math.inf:
        raise InputError(f"{where}{size!r} is not a positive number")
