"""The thresholds of one metric: chosen on one part of the items, reported on the other."""

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Comparison, IntervalEstimate, Target, compare, estimate
from thresher.kernels.thresholds.best_threshold import Average, best_value, chosen_threshold
from thresher.kernels.thresholds.choice import LabelChoices, best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions, ranked_decisions
from thresher.kernels.thresholds.held_out import QUANTITIES, HeldOut, Quantity, held_out_statistics
from thresher.kernels.thresholds.missed_floors import nearest_of_labels, nearest_pooled
from thresher.kernels.thresholds.ranges import label_ranges, pooled_range
from thresher.kernels.thresholds.tables import NO_NEGATIVES, NOTHING_KEPT, note
from thresher.reports.runs.grouping import Grouping
from thresher.reports.thresholds.label_searches import LabelSearch
from thresher.results import Direction, Label, Measure, MetricResult, Signature, Statistics

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_RATES: tuple[Quantity, ...] = ("precision", "recall")
Parts = Callable[[], Iterator[tuple[Mask, Mask]]]


@dataclass(frozen=True)
class HonestThreshold:
    """One threshold, and what it gives on items that it was not chosen on.

    Attributes:
        average: `micro` and `macro` for one threshold of all labels, `per_label` for one or each label's own.
        label: the label; None for all.
        threshold: the threshold to use; infinity to keep nothing, NaN for none, or if each label has its own.
        low: lower end of the thresholds that other samples would choose.
        high: upper end.
        chosen: the value where it was chosen.
        reported: the value on the other items, with interval.
        precision: on the other items.
        recall: on the other items.
        truths: true labels or objects.
        note: why there is no threshold; None if there is one.
    """

    average: Average
    label: Label | None
    threshold: float
    low: float
    high: float
    chosen: float
    reported: IntervalEstimate
    precision: float
    recall: float
    truths: float
    note: str | None = None

    @property
    def optimism(self) -> float:
        """How much of the value was chance: the value where chosen minus that on the other items."""
        return self.chosen - self.reported.value


@dataclass(frozen=True, eq=False)
class ReportedSearch:
    """The thresholds of one metric.

    Attributes:
        search: what they are chosen for.
        counted: the items that count.
        chosen_on: the items that the thresholds to use are chosen on.
        parts: yields masks of the items to choose on, and of those to report on.
        grouping: which items belong together.
        same_items: whether the items to report on are those to choose on.
    """

    search: LabelSearch
    counted: Mask
    chosen_on: Mask
    parts: Parts
    grouping: Grouping
    same_items: bool = False

    @property
    def quantity(self) -> Quantity:
        """What is reported: F, recall, precision, Youden's index or cost."""
        return QUANTITIES[type(self.search.objective)]

    @property
    def headline(self) -> HonestThreshold:
        """The threshold of all labels, or of the positive one of two."""
        return [*self.overall, *self.labels][0]

    @cached_property
    def overall(self) -> list[HonestThreshold]:
        """One threshold for all labels, and a threshold for each."""
        return [self._overall(average) for average in self.search.averages]

    @cached_property
    def labels(self) -> list[HonestThreshold]:
        """The threshold of each label; of two, that of the positive one if it is known."""
        low, high = label_ranges(self._ranked, self.search.objective, self._weights)
        positive = self.search.positive
        return [
            self._label(code, (low[code], high[code]))
            for code, label in enumerate(self.search.statistics.labels)
            if positive in (None, str(label))
        ]

    @cached_property
    def gain_of_labels(self) -> Comparison | None:
        """The mean F of labels with a threshold each, compared with one threshold; None for floors."""
        if "macro" not in self.search.averages:
            return None
        one, each = (self._target(average, "f", None, pooled=False) for average in ("macro", "per_label"))
        return compare(one, each, **self.grouping.units)

    def _overall(self, average: Average) -> HonestThreshold:
        objective, ranked, weights = self.search.objective, self._ranked, self._weights
        threshold, low, high = np.nan, np.nan, np.nan
        truths, why = float(ranked.truths(weights).sum()), None
        if average != "per_label":
            threshold = chosen_threshold(ranked, objective, average, weights)
            low, high = pooled_range(ranked, objective, average, weights)
            nearest = nearest_pooled(ranked, objective, weights)
            hits = ranked.pooled(weights).tp
            why = self._note(truths, threshold, len(hits) > 0, float(hits.max(initial=0.0)), nearest)
        chosen = best_value(ranked, objective, average, weights)
        reported = self._reported(average, None, pooled=average == "micro")
        return HonestThreshold(average, None, threshold, low, high, chosen, *reported, truths, why)

    def _note(
        self, truths: float, threshold: float, predicted: bool, hits: float, nearest: str
    ) -> str | None:
        """Why there is no threshold to use; None if there is one."""
        if self.quantity in ("youden", "cost"):
            if not truths or np.isfinite(threshold):
                return note(truths, predicted=True, hits=1.0)
            return NOTHING_KEPT if np.isinf(threshold) else NO_NEGATIVES
        if self.quantity != "f" and np.isnan(threshold):
            hits = np.nan
        return note(truths, predicted, hits, nearest)

    def _label(self, code: int, ends: tuple[float, float]) -> HonestThreshold:
        choices, label = self._choices, self.search.statistics.labels[code]
        threshold, truths = float(choices.thresholds[code]), float(choices.truths[code])
        low, high = (np.nan, np.nan) if np.isnan(threshold) else map(float, ends)
        return HonestThreshold(
            *("per_label", label, threshold, low, high, float(choices.values[code])),
            *self._reported("per_label", code, pooled=True),
            truths,
            self._note(truths, threshold, bool(self._decided[code]), choices.tp[code], self._nearest[code]),
        )

    def _reported(
        self, average: Average, label: int | None, pooled: bool
    ) -> tuple[IntervalEstimate, float, float]:
        """The value on the other items with its interval, and precision and recall."""
        target = self._target(average, self.quantity, label, pooled)
        rates = [
            rate.result.value(rate.name, rate.mask)
            for rate in (self._target(average, name, label, pooled) for name in _RATES)
        ]
        return estimate(target, **self.grouping.units), rates[0], rates[1]

    def _target(self, average: Average, quantity: Quantity, label: int | None, pooled: bool) -> Target:
        statistics, seen = self._held_out(average)
        name = f"held_out_{quantity}"
        costs: tuple[float, ...] = ()
        bounds = (-1.0 if quantity == "youden" else 0.0, 1.0)
        if quantity == "cost":
            costs = astuple(self.search.objective)
            bounds = (0.0 if min(costs) >= 0 else -np.inf, np.inf)
        reduction = HeldOut(quantity, self.search.beta, pooled, label, costs)
        direction: Direction = "lower" if costs else "higher"
        measure = Measure(Signature.of(name, {}), reduction, None, direction, bounds)
        return Target(MetricResult([measure], statistics), name, seen & self.counted)

    def _held_out(self, average: Average) -> tuple[Statistics, Mask]:
        if average not in self._known:
            self._known[average] = held_out_statistics(
                self.search.statistics, self.search.objective, average, self.parts()
            )
        return self._known[average]

    @cached_property
    def _known(self) -> dict[Average, tuple[Statistics, Mask]]:
        return {}

    @cached_property
    def _choices(self) -> LabelChoices:
        return best_of_labels(self._ranked, self.search.objective, self._weights)

    @cached_property
    def _nearest(self) -> list[str]:
        return nearest_of_labels(self._ranked, self.search.objective, self._weights)

    @cached_property
    def _decided(self) -> Mask:
        return self._ranked.decided(self._weights) > 0

    @property
    def _ranked(self) -> RankedDecisions:
        return ranked_decisions(self.search.statistics)

    @property
    def _weights(self) -> Floats:
        return self.chosen_on.astype(np.float64)
