"""The value of a threshold on items that it was not chosen on: `held_out(detection_best_threshold)>=0.7`."""

from dataclasses import dataclass, replace

from thresher.kernels.inference import Target
from thresher.kernels.thresholds.best_threshold import BestThreshold
from thresher.kernels.thresholds.held_out import QUANTITIES, HeldOut, held_out_statistics
from thresher.kernels.thresholds.splits import SplitPlan
from thresher.reports.gates.quantities.base import Check, Measurement, Quantity, register
from thresher.reports.runs.grouping import Codes
from thresher.results import Measure, MetricResult, Signature


@register
@dataclass(frozen=True)
class HeldOutValue(Quantity):
    """The best F (or recall or precision at a floor) on items that the threshold was not chosen on.

    Attributes:
        groups: per item what it belongs to, which the random halves do not divide; None for single items.
    """

    groups: Codes | None = None
    keyword = "held_out"
    wording = "held-out {}"

    def not_applicable(self, measure: Measure) -> str:
        """Return that only metrics that search thresholds have such a value."""
        return "" if isinstance(measure.reduction, BestThreshold) else "chooses no threshold"

    def measure(self, check: Check, level: float) -> Measurement:
        """Estimate the value; items of one cluster stay in one half."""
        grouping = check.grouping
        groups = grouping.repeated if grouping.clusters is None else grouping.clusters
        return super(HeldOutValue, replace(self, groups=groups)).measure(check, level)

    def derived(self, target: Target) -> Target:
        """Return the measure of the decisions that thresholds chosen on the other half keep."""
        search = target.measure.reduction
        if not isinstance(search, BestThreshold):
            raise TypeError(f"{target.name} chooses no threshold")
        groups = None if self.groups is None else self.groups.tolist()
        parts = SplitPlan().parts(target.mask, groups)
        statistics, seen = held_out_statistics(target.result.statistics, search, parts)
        beta = search.number if search.goal == "f" else 1.0
        reduction = HeldOut(QUANTITIES[search.goal], beta, search.average == "micro")
        name = self.wording_for(target.name)
        measure = Measure(Signature.of(name, {}), reduction, None, "higher", (0.0, 1.0))
        result = MetricResult([measure], statistics, target.result.status)
        return Target(result, name, seen if target.counted is None else seen & target.counted)
