"""Precision of labels, averaged over labels."""

from typing import ClassVar

from thresher.components.classification._averages import AveragedMetric
from thresher.metrics import metric


@metric
class ClassificationPrecisionEvaluator(AveragedMetric):
    """Share of the decisions for a label that are correct, averaged over labels.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). An item without a true label is left out; a prediction that is empty, or has no label
    of a key, counts as a miss for the true label of that key.

    Formula: TP / (TP + FP) per label.
        `macro` is the mean over the labels that occur in the truth or the predictions, `weighted` the mean
        weighted by the number of items with each label, `micro` pools the counts of all labels.
    Source: as in scikit-learn, and per label as in the documentation of Valor.

    Args:
        name: stem of the measures' names: `classification_precision_macro`, `_micro` and `_weighted`.

    ```python
    evaluator = ClassificationPrecisionEvaluator()
    evaluator.run(ground_truths=["cat", "dog"], predictions=["cat", "cat"])["score"]  # 0.25
    ```
    """

    quantity: ClassVar[str] = "precision"
    name: str = "classification_precision"
