"""The items of a run: which can be scored, why the others cannot, and the outputs of a metric."""

import inspect
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results import Breakdown, FrozenColumn, Measure, MetricResult, Statistics, Status
from thresher.results.columns import missing
from thresher.results.ragged import Ragged


class Items:
    """The items of one run, with a status and a reason for each that cannot be scored.

    An item whose entry is None in any column is left out as missing.

    Args:
        columns: input of `run` -> its entries, one per item.

    Attributes:
        size: number of items.
        status: Status of each item.
        reasons: position of an item -> why it has no score.

    Raises:
        InputError: if the columns have unequal lengths, or one is not a list.
        TypeError: without any column.
    """

    def __init__(self, **columns: Iterable[Any]) -> None:
        if not columns:
            raise TypeError("Items needs at least one column, e.g. Items(questions=questions)")
        lengths = {name: len(ordered_column(name, column)) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise InputError(f"inputs have unequal lengths: {listed}; give one entry per item in each")
        self.size = next(iter(lengths.values()))
        self.status = np.zeros(self.size, np.uint8)
        self.reasons: dict[int, str] = {}
        for name, column in columns.items():
            for item in column.missing() if isinstance(column, FrozenColumn) else missing(column):
                self.leave_out(item, Status.MISSING, f"no entry in {name}")

    def leave_out(self, item: int, status: Status, reason: str) -> None:
        """Mark an item as not scored; of several reasons the first counts."""
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
        statistics: Mapping[str, Any],
        evidence: Sequence[Any] | None = None,
        *,
        breakdowns: Sequence[Breakdown] = (),
    ) -> MetricResult:
        """Return the result of a metric.

        Args:
            measures: the headline first.
            statistics: column -> one row per present item, in order, or `Ragged` for several entries each;
                measures are reductions of columns.
            evidence: plain data per present item.
            breakdowns: tables of the result.

        Raises:
            InputError: for a statistic with another number of rows.
        """
        present = np.array(self.present, dtype=np.int64)
        ragged = {name: values for name, values in statistics.items() if isinstance(values, Ragged)}
        arrays = {name: np.asarray(statistics[name]) for name in statistics if name not in ragged}
        sizes = {name: values.shape[:1] for name, values in arrays.items()}
        for name, shape in (sizes | {name: (values.size,) for name, values in ragged.items()}).items():
            if shape != present.shape:
                rows = counted(shape[0], "row") if shape else "no rows"
                raise InputError(
                    f"the statistic {name} has {rows} for {counted(len(present), 'item')} that are present"
                )
        columns = {name: self._spread(values, present) for name, values in arrays.items()}
        evidence_by_item = None
        if evidence is not None:
            by_item = dict(zip(present.tolist(), evidence, strict=True))
            evidence_by_item = [by_item.get(item) for item in range(self.size)]
        entries = {
            name: Ragged(self._spread(values.lengths, present), values) for name, values in ragged.items()
        }
        parts = (measures, Statistics(columns, entries), self.status, self.reasons, evidence_by_item)
        return MetricResult(*parts, breakdowns=breakdowns)

    def _spread(self, values: npt.NDArray[Any], present: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        if len(present) == self.size:
            return values
        whole = np.zeros((self.size, *values.shape[1:]), values.dtype)
        whole[present] = values
        return whole


class CompleteColumn(FrozenColumn):
    """A column whose entries cannot be missing, e.g. an array; only its length counts."""

    __slots__ = ("_size",)

    def __init__(self, column: Any) -> None:
        super().__init__()
        self._size = len(column)

    def __len__(self) -> int:
        return self._size

    def missing(self) -> list[int]:
        """Positions of missing entries: none."""
        return []


def outputs(result: MetricResult) -> dict[str, Any]:
    """The outputs of a metric: `score`, `individual_scores` and `result`."""
    return {"score": result.score, "individual_scores": _as_list(result.item_scores()), "result": result}


def _as_list(values: npt.NDArray[np.float64]) -> list[float]:
    """The values; without a score of any item one NaN for all, which costs next to nothing."""
    floats: list[float] = [math.nan] * len(values) if np.isnan(values).all() else values.tolist()
    return floats


def settings(component: Any, *leave_out: str) -> dict[str, Any]:
    """The options of a component for its signature: all but the name.

    Args:
        component: the metric.
        leave_out: further options that change no number.
    """
    parameters = inspect.signature(type(component).__init__).parameters
    names = [name for name in parameters if name not in {"self", "name", *leave_out}]
    return {name: getattr(component, name) for name in names}


def ordered_column(name: str, column: Any) -> Collection[Any]:
    """Return a column that has an order.

    Raises:
        InputError: for anything else; the keys of a dict would be scored instead of its values.
    """
    if isinstance(column, Collection) and not isinstance(column, str | bytes | Mapping | AbstractSet):
        return column
    raise InputError(f"{name} is {type(column).__name__}; give a list with one entry per item")
