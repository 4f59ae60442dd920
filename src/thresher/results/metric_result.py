"""The result of a metric on a data set."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.breakdown import Breakdown
from thresher.results.columns import FrozenColumn
from thresher.results.item_records import joined_evidence, joined_reasons, status_codes, taken_reasons
from thresher.results.measure import Measure
from thresher.results.parted_columns import PartedReasons
from thresher.results.plain_results import plain_result, read_parts
from thresher.results.pydantic_serializer import AsDict
from thresher.results.scored_items import ScoredItems
from thresher.results.settings_apart import settings_apart
from thresher.results.statistics import Statistics
from thresher.results.valor import valor_entries
from thresher.results.valor_tables import Naming, valor_tables

Floats = npt.NDArray[np.float64]


class MetricResult(ScoredItems):
    """Statistics, status and evidence per item, and the measures computed from them. Immutable.

    Args:
        measures: the reported quantities; the first is the headline, whose value is `score`.
        statistics: one row per item; rows of unscored items are ignored.
        status: one `Status` per item; None if every item is scored.
        reasons: item position -> one sentence: why the item has no score, or what is odd about its score.
        evidence: plain data per item that explain the score (verdicts, replies); None if there are none.
        breakdowns: tables, curves and the like, computed from the statistics as the measures are.
        primary: names of the measures that a comparison of runs tests; default: the headline.

    Raises:
        InputError: if the parts disagree about the number of items, two measures share a name, or a primary
            measure is not among them.
    """

    __slots__ = (
        "_by_name",
        "breakdowns",
        "evidence",
        "measures",
        "primary",
        "reasons",
        "statistics",
        "status",
    )
    __pydantic_serializer__ = AsDict()

    def __init__(
        self,
        measures: Sequence[Measure],
        statistics: Statistics,
        status: npt.ArrayLike | None = None,
        reasons: Mapping[int, str] | None = None,
        evidence: Iterable[Any] | None = None,
        *,
        breakdowns: Sequence[Breakdown] = (),
        primary: Collection[str] | None = None,
    ) -> None:
        self.measures = tuple(measures)
        self.breakdowns = tuple(breakdowns)
        self.statistics = statistics
        self.status: npt.NDArray[np.uint8] = status_codes(status, statistics.size)
        self.reasons: Mapping[int, str] = (
            reasons if isinstance(reasons, PartedReasons) else MappingProxyType(dict(reasons or {}))
        )
        self.evidence: FrozenColumn | None = (
            evidence if evidence is None or isinstance(evidence, FrozenColumn) else FrozenColumn(evidence)
        )
        self._by_name = {measure.name: measure for measure in self.measures}
        if len(self._by_name) != len(self.measures) or not self.measures:
            raise InputError(f"measures need distinct names: {[measure.name for measure in self.measures]}")
        self.primary = self._checked_primary(primary)
        if self.evidence is not None and len(self.evidence) != len(self):
            raise InputError(
                f"{self.name}: {counted(len(self.evidence), 'piece')} of evidence for "
                f"{counted(len(self), 'item')}"
            )

    def __repr__(self) -> str:
        return f"MetricResult({self.name}={self.score:.6g}, {self.n_scored}/{len(self)} scored)"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        build = partial(type(self), breakdowns=self.breakdowns, primary=self.primary)
        return build, (self.measures, self.statistics, self.status, dict(self.reasons), self.evidence)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as strict JSON data: NaN is None, and the letter in `status` says why."""
        return plain_result(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a result from the data that `to_dict` returned.

        A measure of a module that is not installed keeps its value, without slices and intervals.

        Raises:
            InputError: if the data do not fit each other.
        """
        parts, options = read_parts(data)
        return cls(*parts, **options)

    def to_valor(
        self,
        item: int | None = None,
        *,
        label_key: str = "",
        ids: Sequence[str] | None = None,
        dataset: str = "dataset",
        parts: bool = False,
    ) -> list[dict[str, Any]]:
        """Return the metrics that Valor has too as the dictionaries that its documentation shows.

        Args:
            item: position of one item; None for the values over all items.
            label_key: key of plain labels.
            ids: names of the items, for the examples of detailed curves; default: their positions.
            dataset: name of the data set, for examples.
            parts: one entry per ROUGE type, as valor-lite writes it, instead of one entry whose value is a
                dictionary of all types.

        Returns:
            Strict JSON data except for tuples of examples; empty for a metric that Valor does not define. An
            undefined value is None for text metrics, and 0 or -1, as Valor writes it, for labels, detections
            and pixels.

        Raises:
            InputError: if there is no such item, or `ids` are not one per item.
        """
        if item is not None and not -len(self) <= item < len(self):
            raise InputError(f"{self.name}: there is no item {item}; there are {len(self)}")
        if ids is not None and len(ids) != len(self):
            raise InputError(
                f"{self.name}: {counted(len(ids), 'id')} for {counted(len(self), 'item')}; give one per item"
            )
        weights = None if item is None else np.arange(len(self)) == range(len(self))[item]
        values = [
            (measure.valor, self._value_of(measure.name, item)) for measure in self.measures if measure.valor
        ]
        entries = [metric.entry(value) for metric, value in values] if parts else valor_entries(values)
        detail, naming = partial(self.detail, weights=weights), Naming(label_key, ids, dataset)
        return entries + valor_tables(self.measures[0], self.breakdowns, detail, naming)

    def _value_of(self, name: str, item: int | None) -> float:
        return self.value(name) if item is None else float(self.item_scores(name)[item])

    @property
    def numbers(self) -> Self:
        """The same result without reasons and evidence."""
        parts = (self.measures, self.statistics, self.status)
        return type(self)(*parts, breakdowns=self.breakdowns, primary=self.primary)

    def take(self, items: npt.ArrayLike) -> Self:
        """The result for some items: a boolean mask or indices, in that order."""
        index = np.asarray(items)
        positions = np.flatnonzero(index) if index.dtype == np.bool_ else index.astype(np.int64)
        reasons = taken_reasons(self.reasons, positions)
        evidence = None if self.evidence is None else self.evidence.take(positions.tolist())
        parts = (self.measures, self.statistics.take(positions), self.status[positions], reasons, evidence)
        return type(self)(*parts, breakdowns=self.breakdowns, primary=self.primary)

    def with_primary(self, names: Collection[str]) -> Self:
        """The same result with these primary measures; unknown names are ignored."""
        chosen = tuple(measure.name for measure in self.measures if measure.name in names)
        parts = (self.measures, self.statistics, self.status, self.reasons, self.evidence)
        return type(self)(*parts, breakdowns=self.breakdowns, primary=chosen)

    def with_bounds(self, bounds: Mapping[str, tuple[float, float]]) -> Self:
        """The same result with other bounds of some measures, which are not checked against the scores."""
        measures = [
            replace(measure, bounds=bounds.get(measure.name, measure.bounds)) for measure in self.measures
        ]
        parts = (measures, self.statistics, self.status, self.reasons, self.evidence)
        return type(self)(*parts, breakdowns=self.breakdowns, primary=self.primary)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the results of several shards, in the given order.

        Raises:
            InputError: without parts, or if the shards were made with different settings.
        """
        if not parts:
            raise InputError("there are no parts to concatenate")
        first = parts[0]
        if any((part.measures, part.breakdowns) != (first.measures, first.breakdowns) for part in parts):
            other = next(
                part
                for part in parts
                if (part.measures, part.breakdowns) != (first.measures, first.breakdowns)
            )
            raise InputError(
                f"{first.name}: shards were made with different settings{settings_apart(first, other)}"
            )
        return cls(
            first.measures,
            Statistics.concatenate([part.statistics for part in parts]),
            np.concatenate([part.status for part in parts]),
            joined_reasons(parts),
            joined_evidence(parts),
            breakdowns=first.breakdowns,
            primary=first.primary,
        )

    def _checked_primary(self, names: Collection[str] | None) -> tuple[str, ...]:
        """Names of the primary measures in the order of the measures."""
        if names is None:
            return (self.name,)
        for name in names:
            self.measure(name)
        return tuple(measure.name for measure in self.measures if measure.name in names)
