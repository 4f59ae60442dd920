"""The base of both precision-recall curves: their options, and the steps that scores reach."""

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
        unlabelled: what becomes of an item with an empty ground truth.
    """

    thresholds: Thresholds = THRESHOLDS
    unlabelled: Unlabelled = "ignore"

    def _curve_statistics(
        self, ground_truths: TrueLabels, predictions: PredictedScores
    ) -> tuple[ClassifiedItems, dict[str, Ragged]]:
        """The items, and ragged `scores` and `truths` for the kernels of curves."""
        classified = self._read(ground_truths, predictions, self.unlabelled)
        classified.check_scores("a precision-recall curve")
        every = classified.scores
        reached = np.flatnonzero(every["score"] >= np.asarray(self.thresholds[0], every["score"].dtype))
        owners = every.owners_of(reached)
        labels, steps = every["label"][reached], steps_of(every["score"][reached], self.thresholds)
        truth, own, other = _matched(classified, owners, labels, steps)
        # A score for a key without a true label counts as little as an unlabelled item.
        rows: Any = slice(None) if self.unlabelled == "negative" else np.flatnonzero(truth >= 0)
        lengths = np.bincount(owners[rows], minlength=every.size)
        scores = Ragged(lengths, {"label": labels[rows], "step": steps[rows], "truth": truth[rows]})
        truths = pick_columns(classified.truths, label="truth").with_columns({"own": own, "other": other})
        return classified, {"scores": scores, "truths": truths}


def _matched(
    found: ClassifiedItems, owners: npt.NDArray[Any], labels: npt.NDArray[Any], steps: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Each score's true label of the same key, and each truth's own and highest other step."""
    names = sorted({label.key for label in found.labels})
    keys = np.array([names.index(label.key) for label in found.labels], dtype=np.int64)
    place = np.full((max(len(names), 1), found.truths.size), -1, np.int64)
    place[keys[found.truths["truth"]], found.truths.owners] = np.arange(found.truths.entries)
    at = place[keys[labels], owners]
    truth = np.where(at >= 0, np.append(found.truths["truth"], -1)[at], -1).astype(labels.dtype)
    own, other = (np.zeros(found.truths.entries + 1, np.uint8) for _ in range(2))
    right, wrong = (at >= 0) & (truth == labels), (at >= 0) & (truth != labels)
    own[at[right]] = steps[right]
    order = np.flatnonzero(wrong)[np.argsort(steps[wrong], kind="stable")]
    other[at[order]] = steps[order]
    return truth, own[:-1], other[:-1]
