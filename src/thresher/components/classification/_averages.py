"""The base of precision, recall and F1: a quantity per label, averaged over labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from thresher.components._headline_average import HeadlineAverage
from thresher.kernels.classification.decisions import LabelAverage, LabelTable
from thresher.metrics import (
    UNDEFINED_SCORES,
    LabelMetric,
    PredictedLabels,
    Reduction,
    TrueLabels,
    Undefined,
    outputs,
    pick_columns,
)

Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedMetric(HeadlineAverage, LabelMetric):
    """A metric whose headline is an average over labels.

    Attributes:
        quantity: `precision`, `recall` or `f1`.

    Args:
        undefined: value of a label whose quantity is 0/0: `zero`, `one`, or none (`skip`, left out of the
            means). The table by label always shows 0/0 as undefined.
    """

    average: Average = "macro"
    undefined: Undefined = "zero"
    report: Sequence[Average] | None = None
    quantity: ClassVar[str]

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: the headline average; `individual_scores`: NaN, since one item has none; `result`
            with the measures and the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        measures = self._averages(AVERAGES, self._settings("average", "report"))
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result(measures, [LabelTable()], decisions=decisions))

    def _reduction(self, average: Average) -> Reduction:
        return LabelAverage(self.quantity, average, UNDEFINED_SCORES[self.undefined])
