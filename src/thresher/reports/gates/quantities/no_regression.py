"""No loss against the baseline: `no-regression(faithfulness, recall) within 0.02`."""

import re
from dataclasses import dataclass, field, replace
from typing import Self

from thresher.reports.gates.context import GateContext
from thresher.reports.gates.grammar import RequirementReader, Threshold
from thresher.reports.gates.quantities.base import Quantity, register


@register
@dataclass(frozen=True)
class NoRegression(Quantity):
    """The change of metrics against the baseline, whichever direction is better.

    Attributes:
        metrics: names of the metrics; empty for the primary measures.
        margin: how much worse the run may be; None to use the margins of the gate.
        percent: whether the margin was written as a percentage.
    """

    margin: float | None = None
    percent: bool = field(default=False, repr=False, compare=False)
    keyword = "no-regression"
    advice = "give the loss that you accept (`no-regression within M`, --margin M)"

    @classmethod
    def begins(cls, text: str) -> bool:
        """Return whether the text begins with the keyword; parentheses may follow."""
        return re.match(rf"{cls.keyword}\b", text) is not None

    @classmethod
    def parse(cls, reader: RequirementReader) -> Self:
        """Read `no-regression [(name, ...)] [slice] [within number]`."""
        reader.expect(cls.keyword)
        names = []
        if reader.skip("("):
            names.append(reader.name())
            while reader.skip(","):
                names.append(reader.name())
            reader.expect(")")
        quantity = cls(tuple(names), reader.slice())
        if not reader.skip("within"):
            return quantity
        margin = reader.number()
        if margin < 0:
            raise reader.error("the margin is negative; give how much worse the run may be")
        return replace(quantity, margin=margin, percent=reader.percent)

    def parse_threshold(self, reader: RequirementReader) -> Threshold:
        """Return the threshold of a metric for which higher is better; nothing is left to read."""
        del reader
        return Threshold(">=", -(self.margin or 0.0), baseline=True, percent=self.percent)

    def metric_names(self, context: GateContext) -> list[str]:
        """Return the named metrics, or the primary measures that both runs have."""
        return super().metric_names(context) if self.metrics else context.primary

    def threshold_for(self, metric: str, stated: Threshold, context: GateContext) -> Threshold:
        """Return the margin as a threshold: below the baseline if higher is better, else above it."""
        margin = (context.margins.of(metric) or 0.0) if self.margin is None else self.margin
        if context.run.metrics[metric].measure.direction == "higher":
            return replace(stated, number=-margin)
        return replace(stated, operator="<=", number=margin)
