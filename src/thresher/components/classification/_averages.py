"""The base of precision, recall and F1: a quantity per label, averaged over labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from thresher.errors import InputError
from thresher.kernels.classification.decisions import LabelAverage, LabelTable
from thresher.metrics import (
    UNDEFINED_SCORES,
    LabelMetric,
    Measure,
    PredictedLabels,
    Signature,
    TrueLabels,
    Undefined,
    outputs,
    pick_columns,
)

Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedMetric(LabelMetric):
    """A metric whose headline is an average over labels.

    Attributes:
        average: the average that is the headline.
        undefined: value of a label whose quantity is 0/0; `skip` leaves it out of the means.
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

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: the headline average; `individual_scores`: NaN, since one item has none; `result`
            with the measures and the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        signed = self._settings("average", "report")
        averages = sorted(self.report or AVERAGES, key=lambda average: average != self.average)
        measures = [
            Measure(
                Signature.of(f"{self.name}_{average}", signed),
                LabelAverage(self.quantity, average, UNDEFINED_SCORES[self.undefined]),
                item_score=None,
            )
            for average in averages
        ]
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result(measures, [LabelTable()], decisions=decisions))
