"""Share of items whose true label is among those with the highest scores."""

from typing import Any, Literal

import numpy as np

from thresher.metrics import (
    LabelMetric,
    Measure,
    PositiveCount,
    PredictedScores,
    Signature,
    TrueLabels,
    metric,
    outputs,
)
from thresher.metrics.classification.probabilities import item_means, true_scores


@metric
class ClassificationTopkAccuracyEvaluator(LabelMetric):
    """Whether the true label is among the k labels with the highest scores.

    A true label that a prediction does not list is not among them. With k labels or fewer every listed label
    is. The measure is called `<name>@<top_k>`. An item with several label keys gets its mean over them.

    Formula: 1 if fewer than k labels come before the true label, else 0
    Source: Russakovsky et al. 2015, "ImageNet Large Scale Visual Recognition Challenge".
    Differs: scikit-learn's `top_k_accuracy_score` puts the later of labels with equal scores first.

    Args:
        top_k: number of labels.
        ties: order of labels with equal scores: as the prediction lists them (`listed`, so that 1 label gives
            the accuracy), or the probability of a success if they are in random order (`random`).

    ```python
    evaluator = ClassificationTopkAccuracyEvaluator(top_k=2)
    evaluator.run(ground_truths=["ape"], predictions=[{"cat": 0.5, "ape": 0.3, "dog": 0.2}])["score"]  # 1.0
    ```
    """

    top_k: PositiveCount = 5
    ties: Literal["listed", "random"] = "listed"
    name: str = "classification_topk_accuracy"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the labels of each item by score.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: the share; `individual_scores`: 1 or 0; `result`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("top-k accuracy", bounded=False)
        scores = true_scores(classified)
        if self.ties == "listed":
            success = (scores.above + scores.before < self.top_k).astype(np.float64)
        else:
            success = np.clip((self.top_k - scores.above) / (scores.ties + 1), 0.0, 1.0)
        means = item_means(classified, np.where(scores.listed, success, 0.0))
        measure = Measure(Signature.of(f"{self.name}@{self.top_k}", self._settings()))
        return outputs(classified.result([measure], [], columns={"score": means}))
