"""Precision of label sets."""

from typing import ClassVar

from thresher.components.multilabel._averages import AveragedSetMetric
from thresher.metrics import metric


@metric
class MultilabelPrecisionEvaluator(AveragedSetMetric):
    """Share of the items with a predicted label that have it, averaged over labels or items.

    An item has any number of true labels, none included. Its predicted labels are given, or those whose score
    is at least `threshold`.

    Formula: TP / (TP + FP) per label.
        `macro` is the mean over the labels that occur in the truth or the predictions, `weighted` the mean
        weighted by the number of items with each label, `micro` pools the counts of all labels, and
        `samples` is the mean over items of the same quantity of an item's labels.
    Source: as in scikit-learn, whose macro mean also has the labels that never occur.

    Args:
        name: stem of the measures' names: `multilabel_precision_macro`, `_micro`, `_weighted` and `_samples`.

    ```python
    evaluator = MultilabelPrecisionEvaluator(average="micro")
    evaluator.run(ground_truths=[["cat"], []], predictions=[["cat", "dog"], []])["score"]  # 0.5
    ```
    """

    quantity: ClassVar[str] = "precision"
    name: str = "multilabel_precision"
