"""The base of both precision-recall curves: options, and the thresholds that scores reach."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.curves import THRESHOLDS, steps_of
from thresher.metrics import (
    ClassifiedItems,
    LabelMetric,
    PredictedScores,
    Thresholds,
    TrueLabels,
    pick_columns,
)
from thresher.metrics.classification.items import Unlabelled
from thresher.results import Ragged


@dataclass(eq=False, repr=False, kw_only=True)
class CurveMetric(LabelMetric):
    """A metric over score thresholds.

    Attributes:
        thresholds: rising score thresholds.
        unlabelled: treatment of items with an empty ground truth.
    """

    thresholds: Thresholds = THRESHOLDS
    unlabelled: Unlabelled = "ignore"

    def _curve_statistics(
        self, ground_truths: TrueLabels, predictions: PredictedScores
    ) -> tuple[ClassifiedItems, dict[str, Ragged]]:
        """The items, and ragged `scores` and `truths` for the kernels of curves."""
        classified = self._read(ground_truths, predictions, self.unlabelled)
        classified.check_scores("a precision-recall curve")
        scores = classified.scores
        reached = np.flatnonzero(scores["score"] >= np.asarray(self.thresholds[0], scores["score"].dtype))
        owners = scores.owners_of(reached)
        labels, steps = scores["label"][reached], steps_of(scores["score"][reached], self.thresholds)
        truth, own, other = _matched(classified, owners, labels, steps)
        # A score for a key without a true label is treated as an unlabelled item.
        rows: Any = slice(None) if self.unlabelled == "negative" else np.flatnonzero(truth >= 0)
        lengths = np.bincount(owners[rows], minlength=scores.size)
        selected = Ragged(lengths, {"label": labels[rows], "step": steps[rows], "truth": truth[rows]})
        truths = pick_columns(classified.truths, label="truth").with_columns({"own": own, "other": other})
        return classified, {"scores": selected, "truths": truths}


def _matched(
    items: ClassifiedItems, owners: npt.NDArray[Any], labels: npt.NDArray[Any], steps: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The true label of each score's key; per truth, its own step and the highest step of other labels."""
    names = sorted({label.key for label in items.labels})
    keys = np.array([names.index(label.key) for label in items.labels], dtype=np.int64)
    place = np.full((max(len(names), 1), items.truths.size), -1, np.int64)
    place[keys[items.truths["truth"]], items.truths.owners] = np.arange(items.truths.entries)
    at = place[keys[labels], owners]
    truth = np.where(at >= 0, np.append(items.truths["truth"], -1)[at], -1).astype(labels.dtype)
    own, other = (np.zeros(items.truths.entries + 1, np.uint8) for _ in range(2))
    right, wrong = (at >= 0) & (truth == labels), (at >= 0) & (truth != labels)
    own[at[right]] = steps[right]
    order = np.flatnonzero(wrong)[np.argsort(steps[wrong], kind="stable")]
    other[at[order]] = steps[order]
    return truth, own[:-1], other[:-1]
