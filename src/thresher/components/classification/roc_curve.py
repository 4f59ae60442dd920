"""ROC and DET curves of labels, and their operating points."""

from typing import Annotated, Any

from thresher.kernels.classification.roc_operating_points import (
    CurveMean,
    EqualErrorRate,
    FprAtTpr,
    OperatingPointTable,
    PartialRocArea,
    RocPoints,
)
from thresher.kernels.classification.two_labels import label_text
from thresher.metrics import (
    LabelMetric,
    Measure,
    PredictedScores,
    Signature,
    TrueLabels,
    above,
    at_least,
    metric,
    outputs,
)


@metric
class ClassificationRocCurveEvaluator(LabelMetric):
    """Points of the ROC and DET curves of labels, equal error rate, and false alarms at a rate of hits.

    Each label is compared with the rest. Of two labels the measures are those of the positive one, if it is
    known: `positive`, or 1, true, yes; otherwise the mean over the labels with a curve. The area under
    the whole curve is `classification_roc_auc`.

    Formula: true positive rate TP / (TP + FN) against false positive rate FP / (FP + TN) at each distinct
        score; the DET curve has the false negative rate instead. `_eer` is the rate where false positive and
        false negative rate are equal, with straight lines between points; `_fpr_at_tpr_0.95` the lowest false
        positive rate of a threshold with a true positive rate of at least `min_tpr`; `_partial_auc` =
        (1 + (A - f^2 / 2) / (f - f^2 / 2)) / 2 for the area A up to the false positive rate f = `max_fpr`
    Source: Fawcett 2006, "An Introduction to ROC Analysis"; Martin et al. 1997, "The DET Curve in Assessment
        of Detection Task Performance"; McClish 1989 and scikit-learn's `roc_auc_score(max_fpr=)`.

    Args:
        min_tpr: true positive rate that `_fpr_at_tpr_0.95` needs, which is named after it.
        max_fpr: highest false positive rate of `_partial_auc`; None for no such measure.
        points: the most points of each curve; more distinct scores are thinned evenly along the curve.
        missing_score: score of a label that is missing in an item's prediction (top-k predictions).
        name: stem of the measures' names.

    ```python
    evaluator = ClassificationRocCurveEvaluator(positive="spam")
    result = evaluator.run(ground_truths=["ham", "spam", "spam"], predictions=[0.4, 0.3, 0.9])["result"]
    result.value("classification_roc_curve_fpr_at_tpr_0.95")  # 1.0
    result.detail("roc").columns["true_positive_rate"]  # those of both labels
    ```
    """

    min_tpr: Annotated[float, above(0, 1)] = 0.95
    max_fpr: Annotated[float | None, above(0, 1)] = None
    points: Annotated[int, at_least(2)] = 100
    missing_score: float = 0.0
    name: str = "classification_roc_curve"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: the equal error rate; `individual_scores`: NaN, since one item has none; `result` with
            the curves `roc` and `det` and the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("a ROC curve", bounded=False)
        missing = float(self.missing_score)
        tables = [
            OperatingPointTable("by_label", missing, self.min_tpr),
            RocPoints("roc", points=self.points, missing_score=missing),
            RocPoints("det", "false_negative_rate", self.points, missing),
        ]
        return outputs(classified.scored_result(self._measures(), tables))

    def _measures(self) -> list[Measure]:
        positive = None if self.positive is None else label_text(self.positive)
        reading = float(self.missing_score), positive
        shared = {"missing_score": reading[0], "positive": positive}

        def measure(suffix: str, reduction: CurveMean, lower: bool = True, **own: float) -> Measure:
            signature = Signature.of(f"{self.name}_{suffix}", shared | own)
            return Measure(signature, reduction, None, "lower" if lower else "higher")

        measures = [
            measure("eer", EqualErrorRate(*reading)),
            measure(f"fpr_at_tpr_{self.min_tpr:g}", FprAtTpr(*reading, self.min_tpr), min_tpr=self.min_tpr),
        ]
        if self.max_fpr is None:
            return measures
        area = PartialRocArea(*reading, self.max_fpr)
        return [*measures, measure("partial_auc", area, lower=False, max_fpr=self.max_fpr)]
