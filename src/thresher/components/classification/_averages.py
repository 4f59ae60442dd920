"""What the evaluators of precision, recall and F1 share."""

from collections.abc import Collection
from typing import Any

from thresher.components._contract import check_choice, outputs, settings
from thresher.components.classification._items import ClassifiedItems, pick
from thresher.kernels.classification.decisions import LabelAverage, LabelTable
from thresher.results import Measure, Signature

AVERAGES = ("macro", "micro", "weighted")


def check_options(average: str, zero_division: float | None) -> None:
    """Refuse an unknown average, or a value for 0/0 other than 0, 1 and None."""
    check_choice("average", average, AVERAGES)
    check_choice("zero_division", zero_division, (0.0, 1.0, None))


def evaluate(
    evaluator: Any, quantity: str, ground_truths: Collection[Any], predictions: Collection[Any]
) -> dict[str, Any]:
    """The three averages of one quantity, the wanted one first, and the table by label."""
    found = ClassifiedItems.read(ground_truths, predictions)
    told = settings(evaluator, "average")
    averages = sorted(AVERAGES, key=lambda average: average != evaluator.average)
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
