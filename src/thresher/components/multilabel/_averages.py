"""The base of precision, recall and F1 of label sets: averages over labels, and over items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from thresher.components._headline_average import HeadlineAverage
from thresher.kernels.classification.decisions import LabelTable
from thresher.kernels.multilabel.set_measures import ItemAverage, LabelSetAverage, set_counts
from thresher.metrics import UNDEFINED_SCORES, Reduction, Undefined, outputs
from thresher.metrics.multilabel.multilabel_metric import (
    LabelSetMetric,
    PredictedLabelSets,
    TrueLabelSets,
)

Average = Literal["macro", "micro", "weighted", "samples"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted", "samples")


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedSetMetric(HeadlineAverage, LabelSetMetric):
    """A metric whose headline is an average over labels or over items.

    Attributes:
        quantity: `precision`, `recall` or `f1`.

    Args:
        average: average that is the headline: `macro`, `micro`, `weighted` or `samples`.
        undefined: value of a label, or of an item, whose quantity is 0/0: `zero`, `one`, or none (`skip`,
            left out of the means). The table by label always shows 0/0 as undefined.
        report: averages that are measures, the headline among them; default: all four.
    """

    average: Average = "macro"
    undefined: Undefined = "zero"
    report: Sequence[Average] | None = None
    quantity: ClassVar[str]

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Compare the predicted with the true labels.

        Returns:
            `score`: the headline average; `individual_scores`: NaN, since one item has none; `result`
            with the measures and the table `by_label`.
        """
        sets = self._read(ground_truths, predictions)
        decisions = sets.decisions(self.threshold)
        measures = self._averages(AVERAGES, self._settings("average", "report"))
        counts = set_counts(decisions)
        return outputs(sets.result(measures, [LabelTable()], columns=counts, decisions=decisions))

    def _reduction(self, average: Average) -> Reduction:
        undefined = UNDEFINED_SCORES[self.undefined]
        if average == "samples":
            return ItemAverage(self.quantity, undefined)
        return LabelSetAverage(self.quantity, average, undefined)
