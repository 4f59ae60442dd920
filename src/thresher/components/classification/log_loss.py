"""Logarithmic loss of probabilities of labels."""

import warnings
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import DataWarning
from thresher.kernels.classification.log_loss_table import LogLossTable
from thresher.kernels.classification.losses import SkillScore, log_losses
from thresher.metrics import (
    ClassifiedItems,
    PredictedScores,
    Status,
    TrueLabels,
    above,
    metric,
    outputs,
    pick_columns,
)
from thresher.metrics.classification.probabilities import ProbabilityMetric, item_means, probabilities


@metric
class ClassificationLogLossEvaluator(ProbabilityMetric):
    """Mean negative logarithm of the probability of the true label. Lower is better.

    The scores of an item are the probabilities of all its labels, as `predict_proba` gives them: each from 0
    to 1, with a sum of 1 (within 0.02, for rounded ones). A probability of 0 for a true label has an infinite
    loss. It is replaced by `clip`, so the value depends on `clip` as soon as there is one: a warning says so,
    and the table `by_label` counts them in `clipped`. An item with several label keys gets its
    mean over them.

    Formula: -ln max(p, clip) of the true label; the skill is 1 - log loss / entropy of the frequencies of the
        true labels, so 0 for always predicting these frequencies
    Source: Good 1952, "Rational Decisions"; scikit-learn's `log_loss`.

    Args:
        clip: lowest probability that counts; default: scikit-learn's for 64-bit numbers.

    Raises:
        InputError: for a score outside 0 to 1, and for scores that do not sum to 1.

    ```python
    evaluator = ClassificationLogLossEvaluator()
    evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.8, "dog": 0.2}])["score"]  # 0.223
    ```
    """

    clip: Annotated[float, above(0, 0.5)] = 2.220446049250313e-16
    name: str = "classification_log_loss"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Compare the probabilities with the true labels.

        Args:
            predictions: per item a dict label -> probability, or key -> dict of value -> probability, with
                all labels; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the log loss; `individual_scores`: the loss of each item; `result` with the table
            `by_label` of the mean losses of the items with each label.
        """
        read = self._read(ground_truths, predictions)
        classified, scores = probabilities(read, "log loss", self.unnormalised)
        self._warn_of_zeros(int(np.count_nonzero(scores.score[_counted(classified)] == 0)))
        losses = log_losses(scores.score, self.clip)
        measures = self._losses(float("inf"), SkillScore("log"))
        truths = pick_columns(classified.truths, label="truth").with_columns(
            {"loss": losses, "clipped": (scores.score < self.clip).astype(np.uint8)}
        )
        means = {"score": item_means(classified, losses)}
        return outputs(classified.result(measures, [LogLossTable()], columns=means, truths=truths))

    def _warn_of_zeros(self, zeros: int) -> None:
        if zeros:
            warnings.warn(
                f"{self.name}: {counted(zeros, 'true label has', 'true labels have')} the probability 0, "
                f"whose log loss is infinite; each counts {-np.log(self.clip):.4g}, so the value depends on "
                f"clip={self.clip:.2g}",
                DataWarning,
                stacklevel=3,
            )


def _counted(classified: ClassifiedItems) -> npt.NDArray[np.bool_]:
    """The true labels of the items that are not left out."""
    return np.asarray(classified.items.status[classified.truths.owners] == Status.SCORED)
