"""Share of wrong decisions about labels."""

from typing import Any

from thresher.kernels.multilabel.set_measures import HammingLoss, set_counts
from thresher.metrics import Measure, Signature, metric, outputs, settings
from thresher.metrics.multilabel.multilabel_metric import (
    LabelSetMetric,
    PredictedLabelSets,
    TrueLabelSets,
)


@metric
class MultilabelHammingLossEvaluator(LabelSetMetric):
    """Share of all pairs of item and label that are decided wrong. Lower is better.

    It depends on the number of labels: with many rare ones, predicting none is close to 0. Labels count if
    they are true, predicted, scored or marked as absent somewhere, or listed in `labels`.

    Formula: (labels that are only true or only predicted, over all items) / (items * labels)
    Source: scikit-learn's `hamming_loss` of label indicators.

    ```python
    evaluator = MultilabelHammingLossEvaluator(labels=["cat", "dog", "ape"])
    evaluator.run(ground_truths=[["cat", "dog"]], predictions=[["cat"]])["score"]  # 0.333
    ```
    """

    name: str = "multilabel_hamming_loss"

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Compare the predicted with the true labels.

        Returns:
            `score`: the loss; `individual_scores`: NaN, since that of one item depends on the labels of all;
            `result`.
        """
        sets = self._read(ground_truths, predictions)
        counts = set_counts(sets.decisions(self.threshold))
        measure = Measure(Signature.of(self.name, settings(self)), HammingLoss(), None, "lower")
        return outputs(sets.result([measure], [], columns=counts, truths=sets.truths()))
