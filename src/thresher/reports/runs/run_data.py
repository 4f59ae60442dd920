"""The data of one run: metrics and the inputs they were computed from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.rendering.registry import format_hint
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import display_names
from thresher.results import FrozenColumn, Mean, Measure, MetricResult
from thresher.results.column_roles import columns_for
from thresher.results.column_vocabulary import ID_NAMES
from thresher.results.ids import as_id
from thresher.results.parted_columns import PartedColumn
from thresher.results.short_names import known_name
from thresher.results.suggestions import suggest

RESERVED = ("id", "thresholds")
"""Columns of reports, whose names no metric may have."""


class RunData:
    """The inputs and results of one run. Immutable.

    Args:
        inputs: column name -> one entry per item.
        results: results of the metrics; measures need distinct names.
        name: name of the run; may be empty.
        ids: ids of the items, texts or numbers (1, 1.0 and "1" are one id); default: an id column (`id`,
            `query_id`, ...) of the inputs.
        ids_given: False if the ids are generated, so that they identify no item in another run.
        provenance: plain data about how the run came about.

    Raises:
        InputError: if lists have unequal lengths, an id is missing or repeats, or names collide; the message
            says which.
    """

    input_folder: Path | None = None
    """The folder to which relative paths in the inputs belong; None for that of the process."""

    def __init__(
        self,
        inputs: Mapping[str, Sequence[Any]],
        results: Iterable[MetricResult],
        *,
        name: str = "",
        ids: Sequence[Any] | None = None,
        ids_given: bool = True,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        _check_kinds(inputs, results, name, ids)
        self.name = name
        self.results = tuple(results)
        self.inputs: Mapping[str, FrozenColumn] = MappingProxyType(
            {key: _column(key, column) for key, column in inputs.items()}
        )
        self.provenance = MappingProxyType(dict(provenance or {}))
        self.metrics: Mapping[str, Metric] = MappingProxyType(_metrics(self.results))
        self._size = _common_length(self.inputs, self.metrics, ids)
        known = _ids(self.inputs, self._size) if ids is None else (_as_ids("ids", ids), ids_given)
        self.ids, self.ids_given = known
        _check_names(self.ids, self.inputs, self.metrics)

    def __len__(self) -> int:
        return self._size

    @property
    def complete(self) -> bool:
        """Whether all was computed, though single items may have failed.

        False where a judge stopped answering, a budget ended, or a run was killed.
        """
        return bool(self.provenance.get("complete", True))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r}, {counted(len(self), 'item')}, {', '.join(self.metrics)})"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        build = partial(
            type(self),
            name=self.name,
            ids=self.ids,
            ids_given=self.ids_given,
            provenance=dict(self.provenance),
        )
        return build, (dict(self.inputs), self.results)

    @property
    def primary(self) -> tuple[str, ...]:
        """Names of the primary measures: those that a comparison with another run tests."""
        return tuple(name for name, metric in self.metrics.items() if metric.is_primary)

    def holds_ids(self, name: str) -> bool:
        """Whether an input column is a column of ids, and its entries are the ids of the items."""
        return name in ID_NAMES and all(map(str.__eq__, map(str, self.inputs[name]), self.ids))

    def metric(self, name: str) -> Metric:
        """Return one metric, by its name (also without its family, if only one is meant) or its display name.

        Raises:
            InputError: for an unknown name; lists the known ones.
        """
        for names in ("name", "display_name"):
            for metric in self.metrics.values():
                if getattr(metric, names) == name:
                    return metric
        known = known_name(name, self.metrics)
        if isinstance(known, str) and known in self.metrics:
            return self.metrics[known]
        there = ", ".join(self.metrics) or "none"
        raise InputError(f"no metric {name!r} in this run{suggest(name, self.metrics)}; there are {there}")

    def find(self, queries: Sequence[str] | str = "all") -> list[int]:
        """Return the positions of items named by their ids or questions, in the order of the names.

        Args:
            queries: ids or questions; one that is both counts as id, and a question selects every item
                that asks it. `"all"` for every item.

        Raises:
            InputError: for a name that is neither an id nor a question of this run.
        """
        if isinstance(queries, str) and queries == "all":
            return list(range(len(self)))
        if not isinstance(queries, str | list | tuple | FrozenColumn):
            kind = type(queries).__name__
            raise InputError(f'queries is {kind}; give ids or questions in a list, or "all" for every item')
        positions: dict[str, list[int]] = {}
        for column in reversed(columns_for("questions", self.inputs)):
            for item, question in enumerate(self.inputs[column]):
                positions.setdefault(str(question), []).append(item)
        positions |= {key: [item] for item, key in enumerate(self.ids)}
        names = [queries] if isinstance(queries, str) else [_query(query) for query in queries]
        for query in names:
            if query not in positions:
                raise InputError(f"{query!r} is neither an id nor a question of this run{format_hint(query)}")
        return [item for query in names for item in positions[query]]

    def take(self, items: Sequence[int], name: str | None = None) -> Self:
        """Return the results for some items, by position."""
        return type(self)(
            {key: column.take(items) for key, column in self.inputs.items()},
            [result.take(list(items)) for result in self.results],
            name=self.name if name is None else name,
            ids=self.ids.take(items),
            ids_given=self.ids_given,
            provenance=self.provenance,
        )

    def with_bounds(self, bounds: Mapping[str, tuple[float, float]]) -> Self:
        """The same results with narrower bounds of some measures, which you know of their scores.

        Intervals and verdicts allow for items at the bounds that no item of a sample reached: narrower bounds show
        more, if they are true of all items to come.

        Args:
            bounds: measure -> its smallest and largest possible score.

        Raises:
            InputError: for an unknown measure, bounds in the wrong order, and a score or value outside.
        """
        known = {self.metric(name).name: (float(low), float(high)) for name, (low, high) in bounds.items()}
        for name, (low, high) in known.items():
            metric = self.metrics[name]
            if not low < high:
                raise InputError(
                    f"bounds of {name}: {low:g} is not below {high:g}; give the lowest score first"
                )
            reduction, scored = metric.measure.reduction, metric.result.scored
            is_mean = isinstance(reduction, Mean)
            values = np.array([metric.value])
            if isinstance(reduction, Mean):
                values = metric.result.statistics.column(reduction.column)
            outside = np.flatnonzero(((values < low) | (values > high)) & (scored if is_mean else True))
            if len(outside):
                where = f"item {self.ids[int(outside[0])]}" if is_mean else "the run"
                raise InputError(
                    f"bounds of {name}: {where} has {float(values[outside[0]]):g}, outside {low:g} to {high:g}; "
                    "state bounds that hold for every item"
                )
        return self._with_results([result.with_bounds(known) for result in self.results])

    def _with_results(self, results: Sequence[MetricResult]) -> Self:
        return type(self)(
            self.inputs,
            results,
            name=self.name,
            ids=self.ids,
            ids_given=self.ids_given,
            provenance=self.provenance,
        )


def _query(query: object) -> str:
    name = as_id(query)
    if name is None:
        raise InputError(f"{query!r} is neither an id nor a question; give texts")
    return name


def _check_kinds(inputs: object, results: object, name: object, ids: object) -> None:
    """Raise InputError for arguments of a wrong type."""
    if not isinstance(inputs, Mapping):
        raise InputError(f"inputs is {type(inputs).__name__}; give a dict of lists, one entry per item")
    if not isinstance(results, Iterable):
        raise InputError(f"results is {type(results).__name__}; give a list of MetricResults")
    if not isinstance(name, str):
        raise InputError(f"name={name!r} must be a string: the name of the run")
    if ids is not None and (isinstance(ids, str | bytes) or not isinstance(ids, Collection)):
        raise InputError(f"ids is {type(ids).__name__}; give a list with one entry per item")


def _column(name: object, column: object) -> FrozenColumn:
    if not isinstance(name, str):
        raise InputError(f"the input name {name!r} is not a string; name inputs by strings")
    if isinstance(column, FrozenColumn):
        return column
    if isinstance(column, str | bytes | Mapping) or not isinstance(column, Collection):
        raise InputError(f"input {name!r} is {type(column).__name__}; give a list with one entry per item")
    return FrozenColumn(column)


def _metrics(results: Sequence[MetricResult]) -> dict[str, Metric]:
    measures: dict[str, tuple[MetricResult, Measure]] = {}
    for result in results:
        if not isinstance(result, MetricResult):
            raise InputError(f"results holds {type(result).__name__}; give the `result` of evaluators")
        for measure in result.measures:
            if measure.name in measures:
                raise InputError(f"two metrics are called {measure.name!r}; give one of them another `name`")
            if measure.name in RESERVED:
                raise InputError(f"a metric is called {measure.name!r}, as a column of reports is; rename it")
            measures[measure.name] = result, measure
    headings = display_names(measures)
    metrics = [Metric(result, measure, headings[name]) for name, (result, measure) in measures.items()]
    return {metric.name: metric for metric in sorted(metrics, key=_place)}


def _place(metric: Metric) -> int:
    """Primary measures come first, then the others of their metrics, so that tables begin with the result."""
    if metric.is_primary:
        return 0
    return 1 if metric.result.primary else 2


def _common_length(
    inputs: Mapping[str, FrozenColumn], metrics: Mapping[str, Metric], ids: Sequence[Any] | None
) -> int:
    lengths = {f"input {name!r}": len(column) for name, column in inputs.items()}
    lengths |= {f"metric {name!r}": len(metric.result) for name, metric in metrics.items()}
    if ids is not None:
        lengths["ids"] = len(ids)
    if not lengths:
        return 0
    first, size = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != size:
            raise InputError(
                f"{first} has {counted(size, 'entry', 'entries')} and {name} has {length}; give one entry "
                "per item in each"
            )
    return size


def _ids(inputs: Mapping[str, FrozenColumn], size: int) -> tuple[FrozenColumn, bool]:
    for name in ID_NAMES:
        if name in inputs:
            return _as_ids(f"inputs {name!r}", inputs[name]), True
    return FrozenColumn(f"row-{position}" for position in range(1, size + 1)), False


def _as_ids(where: str, column: Sequence[Any]) -> FrozenColumn:
    """A column of ids as texts."""
    if isinstance(column, PartedColumn) and column.are_ids:
        return column
    if isinstance(column, FrozenColumn) and set(map(type, column)) == {str} and "" not in column:
        return column
    ids = []
    for row, entry in enumerate(column, start=1):
        name = as_id(entry)
        if name is None:
            raise InputError(f"{where}: the id of row {row} is {entry!r}; give every item a text or a number")
        ids.append(name)
    return FrozenColumn(ids)


def _check_names(ids: FrozenColumn, inputs: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    known = isinstance(ids, PartedColumn) and ids.are_ids
    if not known and len(set(ids)) < len(ids):
        seen: set[str] = set()
        repeated = next(key for key in ids if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        column = next((name for name in ID_NAMES if name in inputs), "ids")
        remedy = f"make the ids in {column!r} distinct, or rename the column if it holds none"
        raise InputError(f"the id {repeated!r} occurs twice; {remedy}")
    both = [name for name in inputs if name in metrics]
    if both:
        raise InputError(f"{both[0]!r} is both an input and a metric; rename one of them")
