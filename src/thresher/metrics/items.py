"""What every metric component shares: checking its inputs, leaving items out, and building its outputs."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.results import Breakdown, FrozenColumn, Measure, MetricResult, Statistics, Status
from thresher.results.columns import missing


class Items:
    """The items of one run: which can be scored, and why the others cannot.

    Args:
        columns: socket name -> parallel list, as the component received them.

    Raises:
        InputError: if the lists have unequal lengths, or one is not a list.
    """

    def __init__(self, **columns: Collection[Any]) -> None:
        lengths = {name: _length(name, column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise InputError(f"inputs have unequal lengths: {told}; give one entry per item in each")
        self.size = next(iter(lengths.values()))
        self.status = np.zeros(self.size, np.uint8)
        self.reasons: dict[int, str] = {}
        for name, column in columns.items():
            for item in column.missing() if isinstance(column, FrozenColumn) else missing(column):
                self.leave_out(item, Status.MISSING, f"no entry in {name}")

    def leave_out(self, item: int, status: Status, reason: str) -> None:
        """Mark one item as not scored; the first reason stands."""
        if not self.status[item]:
            self.status[item] = status
            self.reasons[item] = reason

    @property
    def present(self) -> list[int]:
        """Positions of the items that are not left out."""
        return np.flatnonzero(self.status == Status.SCORED).tolist()

    def result(
        self,
        measures: Sequence[Measure],
        statistics: Mapping[str, npt.ArrayLike],
        evidence: Sequence[Any] | None = None,
        *,
        breakdowns: Sequence[Breakdown] = (),
    ) -> MetricResult:
        """The result, from statistics of the items still present (one row each, in order)."""
        present = np.array(self.present, dtype=np.int64)
        columns = {name: self._spread(np.asarray(values), present) for name, values in statistics.items()}
        told = None
        if evidence is not None:
            by_item = dict(zip(present.tolist(), evidence, strict=True))
            told = [by_item.get(item) for item in range(self.size)]
        parts = (measures, Statistics(columns), self.status, self.reasons, told)
        return MetricResult(*parts, breakdowns=breakdowns)

    def _spread(self, values: npt.NDArray[Any], present: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        if len(present) == self.size:
            return values
        whole = np.zeros((self.size, *values.shape[1:]), values.dtype)
        whole[present] = values
        return whole


class CompleteColumn(FrozenColumn):
    """Stands for a column of arrays where only its length is asked for, and its gaps: it has none."""

    __slots__ = ("_size",)

    def __init__(self, column: Any) -> None:
        super().__init__()
        self._size = len(column)

    def __len__(self) -> int:
        return self._size

    def missing(self) -> list[int]:
        """No entry is None."""
        return []


def outputs(result: MetricResult) -> dict[str, Any]:
    """The three outputs that every metric component has."""
    return {"score": result.score, "individual_scores": result.item_scores().tolist(), "result": result}


def settings(component: Any, *leave_out: str) -> dict[str, Any]:
    """The options that a signature tells: all of `__init__` but the name and the ones given here."""
    parameters = inspect.signature(type(component).__init__).parameters
    names = [name for name in parameters if name not in {"self", "name", *leave_out}]
    return {name: getattr(component, name) for name in names}


def _length(name: str, column: object) -> int:
    if isinstance(column, Collection) and not isinstance(column, str | bytes):
        return len(column)
    raise InputError(f"{name} is {type(column).__name__}; give a list with one entry per item")
