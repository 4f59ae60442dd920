"""Balanced accuracy: the mean recall of the labels that occur in the truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.label_counts import label_counts
from thresher.results import Label, Reduction, Statistics
from thresher.results.labels import key_codes, sums_by_key
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BalancedAccuracy(Reduction):
    """The mean over true labels of the share of their items that are decided right.

    Attributes:
        adjusted: whether chance is 0: each recall r of K labels becomes (r - 1/K) / (1 - 1/K).
    """

    kind: ClassVar[str] = "balanced_accuracy"
    adjusted: bool = False

    @property
    def lacks(self) -> str:
        """Adjusting divides by 1 - 1/K."""
        return "no two true labels" if self.adjusted else "no true label"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean over the labels that are true under `weights`."""
        recalls, _ = self._recalls(statistics, weights)
        known = recalls[~np.isnan(recalls)]
        return float(known.mean()) if known.size else float("nan")

    def label_names(self, statistics: Statistics) -> Sequence[Label] | None:
        """All labels, unless recalls are adjusted."""
        return None if self.adjusted else statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """Recall and number of items of each label, unless they are adjusted."""
        if self.adjusted:
            return None
        rows = [self._recalls(statistics, row) for row in weights]
        return np.stack([recalls for recalls, _ in rows]), np.stack([true for _, true in rows])

    def _recalls(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        counts = label_counts(statistics, weights)
        recalls = counts.quantity("recall")
        if not self.adjusted:
            return recalls, counts.true
        present = (counts.true > 0).astype(np.float64)
        labels = sums_by_key(key_codes(statistics.labels), present)
        chance = divide(np.ones(len(labels)), labels)
        return divide(recalls - chance, 1 - chance), counts.true
