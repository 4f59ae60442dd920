"""What a metric says about a data set."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.results.breakdown import Breakdown, Detail
from thresher.results.columns import FrozenColumn
from thresher.results.measure import Measure
from thresher.results.statistics import Statistics
from thresher.results.status import Status
from thresher.results.suggestions import suggest
from thresher.results.valor import to_valor
from thresher.results.valor_tables import Naming

Floats = npt.NDArray[np.float64]


class MetricResult:
    """Statistics, status and evidence per item, and the measures that follow from them. Immutable.

    Args:
        measures: what is reported; the first is the headline, whose value is `score`.
        statistics: one row per item; rows of unscored items are ignored.
        status: one `Status` per item; None when every item is scored.
        reasons: item position -> one sentence: why an item is not scored, or what is odd about its score.
        evidence: per item, what the number rests on (verdicts, replies), as plain data; None without.
        breakdowns: tables, curves and the like that follow from the statistics as the measures do.
        primary: names of the measures that a comparison of runs tests; the headline without, none if empty.

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
        self.status: npt.NDArray[np.uint8] = _codes(status, statistics.size)
        self.reasons = MappingProxyType(dict(reasons or {}))
        self.evidence = None if evidence is None else FrozenColumn(evidence)
        self._by_name = {measure.name: measure for measure in self.measures}
        if len(self._by_name) != len(self.measures) or not self.measures:
            raise InputError(f"measures need distinct names: {[measure.name for measure in self.measures]}")
        self.primary = self._checked_primary(primary)
        if self.evidence is not None and len(self.evidence) != len(self):
            raise InputError(f"{self.name}: {len(self.evidence)} pieces of evidence for {len(self)} items")

    def __len__(self) -> int:
        return self.statistics.size

    def __repr__(self) -> str:
        return f"MetricResult({self.name}={self.score:.6g}, {self.n_scored}/{len(self)} scored)"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        build = partial(type(self), breakdowns=self.breakdowns, primary=self.primary)
        return build, (self.measures, self.statistics, self.status, dict(self.reasons), self.evidence)

    @property
    def name(self) -> str:
        """Name of the headline measure."""
        return self.measures[0].name

    @property
    def score(self) -> float:
        """Value of the headline measure over the scored items; NaN if none is scored."""
        return self.value()

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Mask of the items that have a score."""
        return np.asarray(self.status == Status.SCORED)

    @property
    def n_scored(self) -> int:
        """How many items the value stands on."""
        return int(np.count_nonzero(self.scored))

    def measure(self, name: str | None = None) -> Measure:
        """The measure of that name; the headline without one.

        Raises:
            InputError: for an unknown name.
        """
        if name is None:
            return self.measures[0]
        if name not in self._by_name:
            told = f"{name!r} here{suggest(name, self._by_name)}; there are {', '.join(self._by_name)}"
            raise InputError(f"no measure {told}")
        return self._by_name[name]

    def value(self, name: str | None = None, weights: npt.ArrayLike | None = None) -> float:
        """`reduce(statistics, weights)` over the scored items.

        Args:
            name: the measure; the headline by default.
            weights: one non-negative number per item (all items, scored or not); ones by default.

        Raises:
            InputError: for an unknown name; for weights that are negative, not finite, or too few or many.
        """
        measure = self.measure(name)
        if not self.n_scored:
            return float("nan")
        return measure.reduction(*self._counted(measure.name, weights))

    def detail(self, name: str | None = None, weights: npt.ArrayLike | None = None) -> Detail:
        """A breakdown over the scored items.

        Args:
            name: the breakdown; the first by default.
            weights: one non-negative number per item (all items, scored or not); ones by default.

        Raises:
            InputError: for an unknown name, a metric without breakdowns, or unusable weights.
        """
        by_name = {breakdown.name: breakdown for breakdown in self.breakdowns}
        wanted = next(iter(by_name), "") if name is None else name
        if wanted not in by_name:
            raise InputError(
                f"{self.name} has no breakdown {wanted!r}; there are: {', '.join(by_name) or 'none'}"
            )
        detail = by_name[wanted](*self._counted(wanted, weights))
        if "item" not in detail.columns:
            return detail
        places = np.flatnonzero(self.scored)[np.array(detail.columns["item"], dtype=np.int64)]
        return replace(detail, columns={**detail.columns, "item": places.tolist()})

    def _counted(self, name: str, weights: npt.ArrayLike | None) -> tuple[Statistics, Floats]:
        """Statistics and weights of the scored items."""
        every = np.ones(len(self)) if weights is None else np.asarray(weights, dtype=np.float64)
        if every.shape != (len(self),):
            raise InputError(f"{name}: weights of shape {every.shape} for {len(self)} items")
        if weights is not None and not (np.isfinite(every) & (every >= 0)).all():
            raise InputError(f"{name}: weights must be finite numbers of at least 0, one for each item")
        scored = self.scored
        if scored.all():
            return self.statistics, every
        kept = self.statistics.memo(scored.tobytes(), lambda: self.statistics.take(scored))
        return kept, every[scored]

    def item_scores(self, name: str | None = None) -> Floats:
        """Each item's own score; NaN unless it is scored, or where the measure has no item scores."""
        column = self.measure(name).item_score
        if column is None:
            return np.full(len(self), np.nan)
        return np.where(self.scored, self.statistics[column].astype(np.float64), np.nan)

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
            item: position of an item, for its metrics alone; None for the values over all items.
            label_key: key of plain labels, which have none of their own.
            ids: names of the items, for the examples of detailed curves; positions without.
            dataset: name of the data set, for examples.
            parts: whether ROUGE is one entry per type, as valor-lite writes it, instead of one entry whose
                value is a dictionary of all types.

        Returns:
            Strict JSON data but for tuples of examples; empty for a metric that Valor does not define. A
            value of a text metric that does not exist is None; of labels, detections and pixels it is 0 or
            -1, as Valor writes it.

        Raises:
            InputError: if there is no such item, or `ids` are not one per item.
        """
        if item is not None and not -len(self) <= item < len(self):
            raise InputError(f"{self.name}: there is no item {item}; there are {len(self)}")
        if ids is not None and len(ids) != len(self):
            raise InputError(f"{self.name}: {len(ids)} ids for {len(self)} items; give one per item")
        return to_valor(self, item, Naming(label_key, ids, dataset), parts=parts)

    def take(self, items: npt.ArrayLike) -> Self:
        """The result for some items: a boolean mask or indices, in that order."""
        index = np.asarray(items)
        positions = np.flatnonzero(index) if index.dtype == np.bool_ else index.astype(np.int64)
        reasons = {
            new: self.reasons[old] for new, old in enumerate(positions.tolist()) if old in self.reasons
        }
        evidence = None if self.evidence is None else self.evidence.take(positions.tolist())
        statistics = self.statistics.take(positions)
        status = self.status[positions]
        kept = (self.measures, statistics, status, reasons, evidence)
        return type(self)(*kept, breakdowns=self.breakdowns, primary=self.primary)

    def with_primary(self, names: Collection[str]) -> Self:
        """The same result; its primary measures are those of these names, perhaps none."""
        chosen = tuple(measure.name for measure in self.measures if measure.name in names)
        parts = (self.measures, self.statistics, self.status, self.reasons, self.evidence)
        return type(self)(*parts, breakdowns=self.breakdowns, primary=chosen)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """The result of several shards as that of one whole, in the order given.

        Raises:
            InputError: without parts, or if the shards were made with different settings.
        """
        if not parts:
            raise InputError("there are no parts to put together")
        first = parts[0]
        for part in parts:
            if (part.measures, part.breakdowns) != (first.measures, first.breakdowns):
                raise InputError(f"{first.name}: shards were made with different settings")
        offsets = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        reasons = {
            o + i: text for o, part in zip(offsets, parts, strict=False) for i, text in part.reasons.items()
        }
        evidence = None
        if any(part.evidence is not None for part in parts):
            evidence = [entry for part in parts for entry in part.evidence or [None] * len(part)]
        return cls(
            first.measures,
            Statistics.concatenate([part.statistics for part in parts]),
            np.concatenate([part.status for part in parts]),
            reasons,
            evidence,
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


def _codes(status: npt.ArrayLike | None, size: int) -> npt.NDArray[np.uint8]:
    codes = np.zeros(size, np.uint8) if status is None else np.array(status, dtype=np.uint8)
    if codes.shape != (size,):
        raise InputError(f"{codes.size} statuses for {size} items")
    codes.flags.writeable = False
    return codes
