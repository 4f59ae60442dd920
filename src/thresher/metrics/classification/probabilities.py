"""Scores of the true labels of classified items, and the check that scores are probabilities."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher.errors import InputError
from thresher.kernels.classification.losses import SkillScore
from thresher.kernels.classification.true_scores import Floats, TrueScores
from thresher.metrics.classification.items import ClassifiedItems
from thresher.metrics.classification.label_metric import LabelMetric
from thresher.results import Measure, Signature, Status
from thresher.results.labels import encode, sums_by_code
from thresher.results.reductions import divide

Unnormalised = Literal["error", "ignore"]
"""Treatment of items whose scores do not sum to 1: an error, or left out as undefined."""
SUM_TOLERANCE = 0.02
"""Probabilities of a few labels that were rounded to two decimals sum to 0.98 to 1.02; logits and independent
probabilities of several labels are far from 1."""


@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilityMetric(LabelMetric):
    """Base of losses of the probabilities of all labels, and of their skill.

    Args:
        unnormalised: items whose scores do not sum to 1 raise an `error`, or are left out as undefined
            (`ignore`).
        name: stem of the measures' names; the skill has the suffix `_skill`.
    """

    unnormalised: Unnormalised = "error"

    def _losses(self, highest: float, skill: SkillScore, *leave_out: str) -> list[Measure]:
        """The mean loss, from 0 to `highest`, and its skill."""
        settings, lowest = self._settings(*leave_out), -float("inf")
        return [
            Measure(Signature.of(self.name, settings), direction="lower", bounds=(0.0, highest)),
            Measure(Signature.of(f"{self.name}_skill", settings), skill, None, bounds=(lowest, 1.0)),
        ]


def true_scores(classified: ClassifiedItems) -> TrueScores:
    """The score of each true label next to those of the other labels of its key."""
    truths, matrix = classified.truths, classified.matrix
    if matrix is None or classified.keys.max(initial=0) > 0 or (truths.lengths != 1).any():
        return TrueScores.of(truths, classified.scores, classified.keys)
    column = np.full(len(classified.labels) + 1, -1, np.int64)
    column[encode(matrix.labels, classified.labels)] = np.arange(len(matrix.labels))
    return TrueScores.of_matrix(matrix.matrix, column[truths["truth"]])


def probabilities(
    classified: ClassifiedItems, metric: str, unnormalised: Unnormalised
) -> tuple[ClassifiedItems, TrueScores]:
    """The items and the scores of their true labels, which are checked to be probabilities.

    Raises:
        InputError: for a score outside 0 to 1, and for scores of an item that do not sum to 1 within
            `SUM_TOLERANCE`, unless `unnormalised` leaves the item out.
    """
    classified = classified.check_scores(metric)
    scores, items = true_scores(classified), classified.items
    owners = classified.truths.owners
    wrong = ~(np.abs(scores.total - 1) <= SUM_TOLERANCE)
    for entry in np.flatnonzero(wrong).tolist():
        item, total = int(owners[entry]), f"{scores.total[entry]:.4g}"
        if items.status[item]:
            continue
        if unnormalised == "error":
            raise InputError(
                f"predictions[{item}]: the scores of {_key(classified, entry)} sum to {total}, and {metric} "
                "needs the probabilities of all labels, which sum to 1: list every label (of logits, their "
                "softmax), or leave such items out with unnormalised='ignore'"
            )
        items.leave_out(
            item, Status.UNDEFINED, f"scores sum to {total} instead of 1, so are not probabilities"
        )
    return classified, scores


def item_means(classified: ClassifiedItems, values: Floats) -> Floats:
    """The mean of an item's values, one per label key."""
    truths = classified.truths
    sums = sums_by_code(truths.owners, values, truths.size)
    return divide(sums, truths.lengths.astype(np.float64))


def _key(classified: ClassifiedItems, entry: int) -> str:
    key = classified.labels[classified.truths["truth"][entry]].key
    return f"the labels of {key!r}" if key else "its labels"
