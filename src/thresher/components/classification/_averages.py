"""What the evaluators of precision, recall and F1 share."""

from collections.abc import Collection, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.kernels.classification.decisions import LabelAverage, LabelTable
from thresher.metrics.classification.items import ClassifiedItems, pick
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_choice
from thresher.results import Measure, Signature

AVERAGES = ("macro", "micro", "weighted")


def check_options(average: str, zero_division: float | None, report: Sequence[str] | None) -> None:
    """Raise for an unknown average, a bad 0/0 value, or a report that lacks the headline."""
    check_choice("average", average, AVERAGES)
    check_choice("zero_division", zero_division, (0.0, 1.0, None))
    for reported in report or ():
        check_choice("report", reported, AVERAGES)
    if report is not None and average not in report:
        raise InputError(
            f"report={list(report)} lacks the headline {average!r}; add it, or choose another average"
        )


def evaluate(
    evaluator: Any, quantity: str, ground_truths: Collection[Any], predictions: Collection[Any]
) -> dict[str, Any]:
    """The reported averages of one quantity, the headline first, and the table by label."""
    found = ClassifiedItems.read(ground_truths, predictions, Scored.of(evaluator))
    told = settings(evaluator, *READING, "average", "report")
    averages = sorted(evaluator.report or AVERAGES, key=lambda average: average != evaluator.average)
    measures = [
        Measure(
            Signature.of(f"{evaluator.name}_{average}", told),
            LabelAverage(quantity, average, evaluator.zero_division),
            item_score=None,
        )
        for average in averages
    ]
    decisions = pick(found.truths, "truth", "predicted")
    return outputs(found.result(measures, [LabelTable()], decisions=decisions))
