"""Losses of probabilities, and their skill against the frequencies of the labels.

The statistics are a loss `score` per item, the mean over its label keys, and a ragged column `truths` with
the `label` of each key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.true_scores import TrueScores
from thresher.results import Statistics
from thresher.results.labels import Codes, key_codes, sums_by_code, sums_by_key
from thresher.results.reductions import GroupedReduction, divide

Floats = npt.NDArray[np.float64]


def log_losses(probabilities: Floats, clip: float) -> Floats:
    """The negative logarithm of the probability of each true label, at least `clip`.

    >>> log_losses(np.array([1.0, 0.5, 0.0]), 0.25).round(4).tolist()
    [-0.0, 0.6931, 1.3863]
    """
    return -np.log(np.maximum(probabilities, clip))


def brier_losses(scores: TrueScores) -> Floats:
    """The squared distance of each distribution from the truth: sum over labels of (p - y)^2, from 0 to 2."""
    return np.asarray((1 - scores.score) ** 2 + scores.squares, dtype=np.float64)


def _entropy_losses(rates: Floats, keys: npt.NDArray[np.int64]) -> Floats:  # noqa: ARG001
    return -np.log(np.where(rates > 0, rates, 1.0))


def _brier_losses(rates: Floats, keys: npt.NDArray[np.int64]) -> Floats:
    return 1 - 2 * rates + sums_by_key(keys, rates**2)


_BASELINES: dict[str, Callable[[Floats, npt.NDArray[np.int64]], Floats]] = {
    "log": _entropy_losses,
    "brier": _brier_losses,
}


@dataclass(frozen=True)
class SkillScore(GroupedReduction):
    """1 - mean loss / mean loss of a forecast that always gives the labels' frequencies.

    Attributes:
        loss: `log` or `brier`.
        scale: factor of the items' losses, e.g. 0.5 for a halved Brier score.
    """

    kind: ClassVar[str] = "skill_score"
    loss: str
    scale: float = 1.0

    @property
    def lacks(self) -> str:
        """With one label, its frequency predicts it without a loss."""
        return "no two different true labels"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The skill against the frequencies under `weights`; NaN if these have no loss."""
        mean = divide(np.array((statistics["score"] * weights).sum()), np.array(weights.sum()))
        return 1 - float(divide(mean, np.array(self.scale * self.baseline(statistics, weights))))

    def item_reach(self, statistics: Statistics, weights: Floats, span: float) -> float:
        """The largest loss of an item, of a logarithmic one the largest that occurs, over the baseline."""
        baseline = self.scale * self.baseline(statistics, weights)
        scores = statistics["score"][weights > 0]
        largest = 2 * self.scale if self.loss == "brier" else float(scores.max(initial=0.0))
        return largest / baseline if baseline > 0 else span

    def baseline(self, statistics: Statistics, weights: Floats) -> float:
        """The mean loss of the frequencies: entropy, or 1 - sum of squares, with one key."""
        truths = statistics.ragged["truths"]
        counts = sums_by_code(truths["label"], truths.per_entry(weights), len(statistics.labels))
        losses = self._losses(statistics, counts)
        shares = truths.per_entry(divide(weights, truths.lengths.astype(np.float64)))
        return float(divide(np.array((shares * losses[truths["label"]]).sum()), np.array(weights.sum())))

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The losses, the items, and per label its items and their shares of an item with several keys."""
        truths, labels = statistics.ragged["truths"], len(statistics.labels)
        cells = truths.per_entry(group) * labels + truths["label"]
        shares = truths.per_entry(1 / np.maximum(truths.lengths, 1))
        columns = [np.bincount(group, statistics["score"], groups), np.bincount(group, minlength=groups)]
        tables = [np.bincount(cells, of, groups * labels) for of in (None, shares)]
        return np.column_stack([*columns, *(table.reshape(groups, -1) for table in tables)])

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:
        """The skill from the sums."""
        counts, shares = sums[2:].reshape(2, -1)
        baseline = self.scale * (shares * self._losses(statistics, counts)).sum()
        return 1 - float(divide(sums[0], np.array(baseline)))

    def _losses(self, statistics: Statistics, counts: Floats) -> Floats:
        """The loss of the frequencies for each label."""
        keys = key_codes(statistics.labels)
        rates = divide(counts, sums_by_key(keys, counts))
        return _BASELINES[self.loss](np.nan_to_num(rates), keys)
