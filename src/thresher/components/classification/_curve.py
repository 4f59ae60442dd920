"""The base of both precision-recall curves: options, and the thresholds that scores reach."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.curves import THRESHOLDS, steps_of
from thresher.kernels.classification.native_reached import reached_scores
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
from thresher.results.labels import encode


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
        read = self._read(ground_truths, predictions, self.unlabelled)
        classified = read.check_scores("a precision-recall curve")
        return classified, self._reached_natively(classified) or self._reached(classified)

    def _reached_natively(self, items: ClassifiedItems) -> dict[str, Ragged] | None:
        """The statistics from a matrix of scores; None if the library cannot read it."""
        if items.matrix is None:
            return None
        codes, keys, truths = encode(items.matrix.labels, items.labels), items.keys, items.truths
        table = np.full((int(keys.max(initial=0)) + 1, truths.size), -1, codes.dtype)
        places = keys[truths["truth"]], truths.owners
        table[places] = truths["truth"]
        scores = items.scores["score"].reshape(items.matrix.matrix.shape)
        negative = self.unlabelled == "negative"
        reached = reached_scores(scores, tuple(self.thresholds), (codes, keys[codes]), table, every=negative)
        if reached is None:
            return None
        columns = {"label": reached.labels, "step": reached.steps, "truth": reached.truths}
        steps = {"own": reached.own[places], "other": reached.other[places]}
        return {
            "scores": Ragged(reached.lengths, columns),
            "truths": pick_columns(truths, label="truth").with_columns(steps),
        }

    def _reached(self, classified: ClassifiedItems) -> dict[str, Ragged]:
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
        return {"scores": selected, "truths": truths}


def _matched(
    items: ClassifiedItems, owners: npt.NDArray[Any], labels: npt.NDArray[Any], steps: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The true label of each score's key; per truth, its own step and the highest step of other labels."""
    keys = items.keys
    place = np.full((int(keys.max(initial=0)) + 1, items.truths.size), -1, np.int64)
    place[keys[items.truths["truth"]], items.truths.owners] = np.arange(items.truths.entries)
    at = place[keys[labels], owners]
    truth = np.where(at >= 0, np.append(items.truths["truth"], -1)[at], -1).astype(labels.dtype)
    own, other = (np.zeros(items.truths.entries + 1, np.uint8) for _ in range(2))
    right, wrong = (at >= 0) & (truth == labels), (at >= 0) & (truth != labels)
    own[at[right]] = steps[right]
    order = np.flatnonzero(wrong)[np.argsort(steps[wrong], kind="stable")]
    other[at[order]] = steps[order]
    return truth, own[:-1], other[:-1]
