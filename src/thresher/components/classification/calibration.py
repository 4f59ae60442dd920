"""Whether confidences mean what they say."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from haystack import component

from thresher.kernels.classification.calibration import CalibrationError, ReliabilityCurve
from thresher.metrics.classification.items import ClassifiedItems
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_count, checked_options
from thresher.results import Measure, MetricResult, Ragged, Signature, Status


@component
@checked_options
class CalibrationEvaluator:
    """Expected calibration error of the decisions: how far confidence is from accuracy. Lower is better.

    A decision's confidence is the score of the label decided for. Decisions are put into bins of equal
    width, (0, 1/bins], (1/bins, 2/bins], ...; a bin's gap is the distance between its mean confidence and
    its accuracy. An item without any decision has no confidence and is left out.

    Formula: sum over bins of (decisions of the bin / decisions) * |accuracy - mean confidence|;
        `calibration_error_max` is the largest gap of a bin that holds a decision.
    Source: Guo et al. 2017, "On Calibration of Modern Neural Networks".

    Args:
        bins: number of bins.
        name: stem of the measures' names: `calibration_error`, `calibration_error_max`.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: if `bins` is below 1, and from `run` for lists of unequal length, and scores
            outside 0 to 1.

    ```python
    CalibrationEvaluator().run(ground_truths=["cat"], predictions=[{"cat": 0.8, "dog": 0.2}])["score"]  # 0.2
    ```
    """

    def __init__(
        self,
        bins: int = 15,
        name: str = "calibration_error",
        *,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        check_count("bins", bins, 1)
        self.bins = bins
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Compare the confidence of the decisions with how often they are right.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the expected calibration error; `individual_scores`: NaN, since one item has none;
            `result` with the curve `reliability`.
        """
        found = ClassifiedItems.read(ground_truths, predictions, Scored.of(self))
        found.check_scores("calibration")
        truths = found.truths
        decided = truths["predicted"] >= 0
        lengths = np.bincount(truths.owners[decided], minlength=truths.size)
        for item in found.items.present:
            if not lengths[item]:
                found.items.leave_out(item, Status.UNDEFINED, "no decision, so no confidence")
        right = truths["truth"] == truths["predicted"]
        decisions = Ragged(lengths, {"confidence": truths["confidence"][decided], "right": right[decided]})
        names = {self.name: "mean", f"{self.name}_max": "max"}
        measures = [
            Measure(
                Signature.of(name, settings(self, *READING)), CalibrationError(self.bins, norm), None, "lower"
            )
            for name, norm in names.items()
        ]
        return outputs(found.result(measures, [ReliabilityCurve(bins=self.bins)], decisions=decisions))
