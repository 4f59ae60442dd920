"""Values and breakdowns of stored metrics whose code is not installed."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.results.breakdown import Breakdown, Detail
from thresher.results.reductions import Reduction
from thresher.results.statistics import Statistics

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StoredValue(Reduction):
    """The value that a file states for a metric, in place of a reduction that this process does not know.

    The value holds for the stored items as a whole. For some of the items, or other weights, it is NaN, so
    that there are no slices and no intervals.

    Attributes:
        value: the stored value.
        items: digest of the scored items' statistics, for which the value holds.
        origin: the unknown reduction as JSON, which is stored unchanged.
    """

    value: float
    items: str
    origin: str

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The stored value if the weights count each stored item once; else NaN."""
        whole = bool((weights == 1).all()) and digest(statistics) == self.items
        return self.value if whole else math.nan

    def many(self, statistics: Statistics, weights: Floats) -> Floats:  # noqa: ARG002
        """NaN for each row of weights: they are draws, which need the reduction itself."""
        return np.full(len(weights), np.nan)

    @property
    def lacks(self) -> str:
        """Which module is missing."""
        return f"the code of {self.module} is missing, without which only the whole run has a value,"

    @property
    def module(self) -> str:
        """The module of the reduction."""
        return str(json.loads(self.origin).get("module", "unknown module"))

    def to_dict(self) -> dict[str, Any]:
        """The unknown reduction as it was stored."""
        stored: dict[str, Any] = json.loads(self.origin)
        return stored

    @classmethod
    def of(cls, data: Mapping[str, Any], value: float, scored: Statistics) -> Self:
        """Return the stored value of a reduction.

        Args:
            data: the reduction as stored.
            value: its value; NaN if it had none.
            scored: statistics of the scored items.
        """
        return cls(value, digest(scored), json.dumps(data))


@dataclass(frozen=True)
class StoredBreakdown(Breakdown):
    """An empty table in place of a breakdown that this process does not know.

    Attributes:
        name: name of the breakdown.
        origin: the unknown breakdown as JSON, which is stored unchanged.
    """

    name: str
    origin: str

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:  # noqa: ARG002
        """Return no rows."""
        return Detail(self.name, "table", (), {})

    def to_dict(self) -> dict[str, Any]:
        """The unknown breakdown as it was stored."""
        stored: dict[str, Any] = json.loads(self.origin)
        return stored

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Return the place of a breakdown, from its stored form."""
        return cls(str(data.get("name", data["kind"])), json.dumps(data))


def digest(statistics: Statistics) -> str:
    """SHA-256 of all statistics and their order, computed once for each object."""
    return str(statistics.memo("digest", lambda: _digest(statistics)))


def _digest(statistics: Statistics) -> str:
    whole = hashlib.sha256(repr((statistics.labels, statistics.size)).encode())
    for name, array in sorted(statistics.items()):
        whole.update(name.encode() + np.ascontiguousarray(array).tobytes())
    for name, entries in sorted(statistics.ragged.items()):
        whole.update(name.encode() + entries.lengths.tobytes())
        for column, array in sorted(entries.items()):
            whole.update(column.encode() + np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()
