"""Brier score of probabilities of labels, and its decomposition."""

from typing import Any, Literal

from thresher.kernels.classification.brier_decomposition import BrierDecomposition
from thresher.kernels.classification.losses import SkillScore, brier_losses
from thresher.metrics import (
    PositiveCount,
    PredictedScores,
    TrueLabels,
    metric,
    outputs,
    pick_columns,
)
from thresher.metrics.classification.probabilities import ProbabilityMetric, item_means, probabilities


@metric
class ClassificationBrierScoreEvaluator(ProbabilityMetric):
    """Mean squared distance of the probabilities from the truth, summed over labels. Lower is better.

    The scores of an item are the probabilities of all its labels: each from 0 to 1, with a sum of 1 (within
    0.02, for rounded ones). An item with several label keys gets its mean over them.

    Formula: sum over labels of (p - y)^2, where y is 1 for the true label, else 0; 0 to 2. `half` divides by
        2: with two labels that is (p - y)^2 of either label. The skill is 1 - Brier score / that of always
        predicting the frequencies of the true labels. Table `decomposition`, per label: (p - y)^2 =
        reliability - resolution + uncertainty + within-bin variance - 2 within-bin covariance
    Source: Brier 1950; Murphy 1973, "A New Vector Partition of the Probability Score"; Stephenson, Coelho
        and Jolliffe 2008, "Two Extra Components in the Brier Score Decomposition"; scikit-learn's
        `brier_score_loss`, with `scale_by_half=True` for `half`, which is its default with two labels.

    Args:
        convention: `sum` over the labels, or `half` of it.
        bins: number of bins of equal width of the decomposition; a probability on an edge belongs to the bin
            below it.

    Raises:
        InputError: for a score outside 0 to 1, and for scores that do not sum to 1.

    ```python
    evaluator = ClassificationBrierScoreEvaluator()
    evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.8, "dog": 0.2}])["score"]  # 0.08
    ```
    """

    convention: Literal["sum", "half"] = "sum"
    bins: PositiveCount = 10
    name: str = "classification_brier_score"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Compare the probabilities with the true labels.

        Args:
            predictions: per item a dict label -> probability, or key -> dict of value -> probability, with
                all labels; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the Brier score; `individual_scores`: that of each item; `result` with the table
            `decomposition`.
        """
        read = self._read(ground_truths, predictions)
        classified, scores = probabilities(read, "the Brier score", self.unnormalised)
        scale = 1.0 if self.convention == "sum" else 0.5
        measures = self._losses(2 * scale, SkillScore("brier", scale), "bins")
        means = {"score": item_means(classified, scale * brier_losses(scores))}
        ragged = {"truths": pick_columns(classified.truths, label="truth"), "scores": classified.scores}
        shown = [BrierDecomposition(bins=self.bins)]
        return outputs(classified.result(measures, shown, columns=means, **ragged))
