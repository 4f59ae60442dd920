"""The base of precision, recall and F1 of label sets: averages over labels, and over items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from thresher.errors import InputError
from thresher.kernels.classification.decisions import LabelTable
from thresher.kernels.multilabel.set_measures import ItemAverage, LabelSetAverage, set_counts
from thresher.metrics import UNDEFINED_SCORES, Measure, Reduction, Signature, Undefined, outputs
from thresher.metrics.multilabel.multilabel_metric import (
    LabelSetMetric,
    PredictedLabelSets,
    TrueLabelSets,
)

Average = Literal["macro", "micro", "weighted", "samples"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted", "samples")


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedSetMetric(LabelSetMetric):
    """A metric whose headline is an average over labels or over items.

    Attributes:
        average: the average that is the headline.
        undefined: value of a label, or of an item, whose quantity is 0/0; `skip` leaves it out of the means.
        report: averages that are measures.
        quantity: `precision`, `recall` or `f1`.
    """

    average: Average = "macro"
    undefined: Undefined = "zero"
    report: Sequence[Average] | None = None
    quantity: ClassVar[str]

    def __post_init__(self) -> None:
        if self.report is not None and self.average not in self.report:
            raise InputError(
                f"report={self.report} lacks the headline {self.average!r}; add it, or choose another average"
            )

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Compare the predicted with the true labels.

        Returns:
            `score`: the headline average; `individual_scores`: NaN, since one item has none; `result`
            with the measures and the table `by_label`.
        """
        sets = self._read(ground_truths, predictions)
        decisions = sets.decisions(self.threshold)
        signed = self._settings("average", "report")
        averages = sorted(self.report or AVERAGES, key=lambda average: average != self.average)
        measures = [
            Measure(Signature.of(f"{self.name}_{average}", signed), self._reduction(average), item_score=None)
            for average in averages
        ]
        counts = set_counts(decisions)
        return outputs(sets.result(measures, [LabelTable()], columns=counts, decisions=decisions))

    def _reduction(self, average: Average) -> Reduction:
        undefined = UNDEFINED_SCORES[self.undefined]
        if average == "samples":
            return ItemAverage(self.quantity, undefined)
        return LabelSetAverage(self.quantity, average, undefined)
