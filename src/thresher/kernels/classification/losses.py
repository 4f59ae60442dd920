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
from thresher.results import Reduction, Statistics
from thresher.results.labels import key_codes, sums_by_code, sums_by_key
from thresher.results.reductions import divide

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
class SkillScore(Reduction):
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

    def baseline(self, statistics: Statistics, weights: Floats) -> float:
        """The mean loss of the frequencies: entropy, or 1 - sum of squares, with one key."""
        truths, labels = statistics.ragged["truths"], statistics.labels
        keys = key_codes(labels)
        counts = sums_by_code(truths["label"], truths.per_entry(weights), len(labels))
        rates = divide(counts, sums_by_key(keys, counts))
        losses = _BASELINES[self.loss](np.nan_to_num(rates), keys)
        shares = truths.per_entry(divide(weights, truths.lengths.astype(np.float64)))
        return float(divide(np.array((shares * losses[truths["label"]]).sum()), np.array(weights.sum())))
