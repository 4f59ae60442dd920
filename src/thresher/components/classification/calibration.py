"""Calibration of confidences."""

from typing import Any

import numpy as np

from thresher.kernels.classification.calibration import CalibrationError, ReliabilityCurve
from thresher.metrics import LabelMetric, PositiveCount, PredictedScores, TrueLabels, metric, outputs
from thresher.results import Measure, Ragged, Signature, Status


@metric
class ClassificationCalibrationErrorEvaluator(LabelMetric):
    """Expected calibration error of the decisions: distance of confidence from accuracy. Lower is better.

    The confidence of a decision is the score of its label. Decisions are grouped into bins of equal width,
    (0, 1/bins], (1/bins, 2/bins], ...; the gap of a bin is the distance between its mean confidence and its
    accuracy. An item without a decision has no confidence and is left out.

    Formula: sum over bins of (decisions of the bin / decisions) * |accuracy - mean confidence|;
        `classification_calibration_error_max` is the largest gap of a bin with decisions.
    Source: Guo et al. 2017, "On Calibration of Modern Neural Networks".

    Args:
        bins: number of bins.
        name: stem of the measures' names; the largest gap has the suffix `_max`.

    ```python
    evaluator = ClassificationCalibrationErrorEvaluator()
    evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.8, "dog": 0.2}])["score"]  # 0.2
    ```
    """

    bins: PositiveCount = 15
    name: str = "classification_calibration_error"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Compare the confidence of the decisions with their accuracy.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the expected calibration error; `individual_scores`: NaN, since one item has none;
            `result` with the curve `reliability`.
        """
        classified = self._read(ground_truths, predictions).check_scores("calibration")
        truths = classified.truths
        decided = truths["predicted"] >= 0
        lengths = np.bincount(truths.owners[decided], minlength=truths.size)
        for item in classified.items.present:
            if not lengths[item]:
                classified.items.leave_out(item, Status.UNDEFINED, "no decision, so no confidence")
        right = truths["truth"] == truths["predicted"]
        decisions = Ragged(lengths, {"confidence": truths["confidence"][decided], "right": right[decided]})
        names = {self.name: "mean", f"{self.name}_max": "max"}
        measures = [
            Measure(Signature.of(name, self._settings()), CalibrationError(self.bins, norm), None, "lower")
            for name, norm in names.items()
        ]
        return outputs(classified.result(measures, [ReliabilityCurve(bins=self.bins)], decisions=decisions))
