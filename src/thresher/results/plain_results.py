"""Metric results as strict JSON data: everything that a run directory stores, in one dictionary."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.breakdown import Breakdown
from thresher.results.columns import FrozenColumn
from thresher.results.measure import Measure
from thresher.results.plain_arrays import plain_number, plain_statistics, read_number, read_statistics
from thresher.results.reductions import Mean
from thresher.results.registry import UnknownKindError
from thresher.results.statistics import Statistics
from thresher.results.status import Status
from thresher.results.stored_values import StoredBreakdown, StoredValue

_LETTERS = "surfm"
"""The statuses in files, one letter per item: scored, undefined, unreadable, failed, missing."""


class Parts(Protocol):
    """What is stored of a metric result; the attributes are those of `MetricResult`."""

    measures: tuple[Measure, ...]
    breakdowns: tuple[Breakdown, ...]
    statistics: Statistics
    status: npt.NDArray[np.uint8]
    reasons: Mapping[int, str]
    evidence: FrozenColumn | None
    primary: tuple[str, ...]

    @property
    def n_scored(self) -> int:
        """Number of scored items."""

    def value(self, name: str | None = None) -> float:
        """Value of a measure."""


def plain_result(result: Parts) -> dict[str, Any]:
    """A result as strict JSON data: NaN is None, and the status says why."""
    return {
        **described(result),
        "measures": [_plain_measure(measure, result) for measure in result.measures],
        "status": "".join(_LETTERS[code] for code in result.status.tolist()),
        "reasons": {str(item): reason for item, reason in result.reasons.items()},
        "evidence": None if result.evidence is None else list(result.evidence),
        **plain_statistics(result.statistics),
    }


def described(result: Parts) -> dict[str, Any]:
    """Everything of a result that is not stored per item."""
    return {
        "measures": [measure.to_dict() for measure in result.measures],
        "primary": list(result.primary),
        "breakdowns": [breakdown.to_dict() for breakdown in result.breakdowns],
        "labels": [list(label) for label in result.statistics.labels],
        "coded": sorted(result.statistics.coded),
    }


def read_parts(data: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Return the arguments of a MetricResult from what `plain_result` wrote.

    Reductions and breakdowns of modules that are not installed keep their stored value.

    Raises:
        InputError: if parts do not fit each other.
    """
    statistics = read_statistics(data)
    status = _read_status(data["status"], statistics.size)
    scored = status == Status.SCORED
    of_scored = statistics if scored.all() else statistics.take(scored)
    measures = [_read_measure(measure, of_scored) for measure in data["measures"]]
    breakdowns = [_read_breakdown(breakdown) for breakdown in data["breakdowns"]]
    reasons = {int(item): _text(reason) for item, reason in data["reasons"].items()}
    if any(not 0 <= item < statistics.size for item in reasons):
        raise InputError(f"reasons name an item that is not one of the {counted(statistics.size, 'item')}")
    parts = (measures, statistics, status, reasons, data["evidence"])
    return parts, {"breakdowns": breakdowns, "primary": data.get("primary")}


def _plain_measure(measure: Measure, result: Parts) -> dict[str, Any]:
    """A measure with its name, value and number of scored items, which readers need not compute."""
    facts = {
        "name": measure.name,
        "value": plain_number(result.value(measure.name)),
        "scored": result.n_scored,
    }
    return {**facts, **measure.to_dict()}


def _read_measure(data: Mapping[str, Any], scored: Statistics) -> Measure:
    try:
        return Measure.from_dict(data)
    except UnknownKindError:
        stored = StoredValue.of(data["reduction"], read_number(data["value"]), scored)
        return replace(Measure.from_dict({**data, "reduction": Mean().to_dict()}), reduction=stored)


def _read_breakdown(data: Mapping[str, Any]) -> Breakdown:
    try:
        return Breakdown.from_dict(data)
    except UnknownKindError:
        return StoredBreakdown.of(data)


def _read_status(letters: object, size: int) -> npt.NDArray[np.uint8]:
    known = dict(zip(_LETTERS, Status, strict=True))
    if not isinstance(letters, str) or len(letters) != size or not set(letters) <= known.keys():
        raise InputError(f"the status must be a text of {counted(size, 'letter')}, each one of {_LETTERS}")
    return np.array([known[letter] for letter in letters], np.uint8)


def _text(reason: object) -> str:
    if not isinstance(reason, str):
        raise InputError(f"a reason is {type(reason).__name__} instead of a text")
    return reason
