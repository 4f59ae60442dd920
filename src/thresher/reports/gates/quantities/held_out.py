"""The value of a threshold on items that it was not chosen on: `held_out(detection_best_threshold)>=0.7`."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.kernels.thresholds.best_threshold import Average, BestThreshold
from thresher.kernels.thresholds.held_out import QUANTITIES, HeldOut, held_out_statistics
from thresher.kernels.thresholds.splits import SplitPlan
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.grammar import Mask
from thresher.reports.gates.quantities.base import Check, Measurement, Quantity, register
from thresher.reports.runs.grouping import Codes
from thresher.reports.runs.metric import Metric
from thresher.reports.thresholds.label_searches import decisions_of, label_searches
from thresher.results import Measure, MetricResult, Signature

_METRICS = ("detection_best_threshold", "classification_best_threshold")
_CARRIERS = {"detection": "detection_coco_map_50", "classification": "classification_roc_auc"}
_AVERAGES: dict[str, Average] = {"": "micro", "_macro": "macro", "_per_label": "per_label"}
_STANDARD = {f"{name}{end}": average for name in _METRICS for end, average in _AVERAGES.items()}
"""Measures of F1 that runs without them have too, if they have the scores: their average."""


@register
@dataclass(frozen=True)
class HeldOutValue(Quantity):
    """The best F (or recall or precision at a floor) on items that the threshold was not chosen on.

    A run without the metric needs average precision at IoU 0.5 or ROC AUC, which hold the same scores.

    Attributes:
        groups: per item what it belongs to, which the random halves do not divide; None for single items.
        named: mask of the items that thresholds are chosen on; None for random halves.
    """

    groups: Codes | None = None
    named: Mask | None = None
    keyword = "held_out"
    wording = "held-out {}"

    def metric_names(self, context: GateContext) -> list[str]:
        """Return the name of the metric, or of one with the same scores.

        Raises:
            InputError: if the run has neither.
        """
        (name,) = self.metrics
        if name in _STANDARD and name not in context.run.metrics:
            carriers = [search.name for search in label_searches(context.run)]
            fitting = [carrier for carrier in carriers if carrier.split("_")[0] == name.split("_")[0]]
            if fitting:
                return fitting[:1]
            carrier = _CARRIERS[name.split("_")[0]]
            raise InputError(
                f"no metric {name!r} in this run, and no {carrier}, which has the same scores; "
                f"run it with one of them"
            )
        return super().metric_names(context)

    def not_applicable(self, measure: Measure) -> str:
        """Return that only metrics that search thresholds have such a value."""
        searches = isinstance(measure.reduction, BestThreshold) or self.metrics[0] in _STANDARD
        return "" if searches else f"chooses no threshold; use {' or '.join(_METRICS)}"

    def chosen_on(self, context: GateContext) -> Mask | None:
        """Return the items that `choose_on` names."""
        return context.chosen_on

    def wording_for(self, metric: str) -> str:
        """Return e.g. `held-out detection_best_threshold`, also if another metric holds the scores."""
        return super().wording_for(self.metrics[0] if self.metrics[0] in _STANDARD else metric)

    def measure(self, check: Check, level: float) -> Measurement:
        """Estimate the value; items of one cluster stay in one half."""
        grouping = check.grouping
        groups = grouping.repeated if grouping.clusters is None else grouping.clusters
        divided = replace(self, groups=groups, named=check.chosen_on)
        return super(HeldOutValue, divided).measure(check, level)

    def derived(self, target: Target) -> Target:
        """Return the measure of the decisions that thresholds chosen on other items keep."""
        search = target.measure.reduction
        if not isinstance(search, BestThreshold):
            search = BestThreshold("f", 1.0, _STANDARD[self.metrics[0]])
        statistics = decisions_of(Metric(target.result, target.measure))
        if statistics is None:
            raise TypeError(f"{target.name} has no scored labels")
        parts = self._parts(target.mask)
        kept, seen = held_out_statistics(statistics, search.objective, search.average, parts)
        beta = search.number if search.goal == "f" else 1.0
        reduction = HeldOut(QUANTITIES[type(search.objective)], beta, search.average == "micro")
        name = self.wording_for(target.name)
        measure = Measure(Signature.of(name, {}), reduction, None, "higher", (0.0, 1.0))
        result = MetricResult([measure], kept, target.result.status)
        return Target(result, name, seen if target.counted is None else seen & target.counted)

    def _parts(self, counted: Mask) -> Iterable[tuple[Mask, Mask]]:
        """Masks of the items to choose on, and of those to report on."""
        if self.named is not None:
            return [(self.named, counted)]
        return SplitPlan().parts(counted, None if self.groups is None else self.groups.tolist())
