"""Average precision of labels: the step sum under the exact precision-recall curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.ranked_label import RankedLabel, headline_labels
from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


def step_sum(tp: Floats, fp: Floats) -> float:
    """Sum over thresholds of precision times the gain of recall; NaN without positives.

    Args:
        tp: weight of the positives that reach each threshold, by falling threshold.
        fp: the same of the negatives.

    >>> step_sum(np.array([1.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0])).__round__(4)
    0.8333
    """
    if not tp.size:
        return float("nan")
    precision = np.nan_to_num(divide(tp, tp + fp))
    return float(divide(np.array((np.diff(tp, prepend=0.0) * precision).sum()), tp[-1]))


@dataclass(frozen=True)
class LabelAveragePrecision(Reduction):
    """The mean over labels of the average precision; of two labels, that of the positive one if it is known.

    Attributes:
        missing_score: the score of a label that an item's prediction does not list.
        positive: of two labels, the positive one.
    """

    kind: ClassVar[str] = "label_average_precision"
    missing_score: float = 0.0
    positive: str | None = None

    @property
    def lacks(self) -> str:
        """Labels without an item have no average precision."""
        return "no item with the label"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean over the labels that an item has."""
        chosen = headline_labels(statistics.labels, self.positive)
        values, _ = label_values(statistics, weights, self.missing_score, chosen)
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """The labels that the mean is over."""
        return [statistics.labels[code] for code in headline_labels(statistics.labels, self.positive)]

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """Average precision and number of items of each label."""
        chosen = headline_labels(statistics.labels, self.positive)
        rows = [label_values(statistics, row, self.missing_score, chosen) for row in weights]
        return np.stack([values for values, _ in rows]), np.stack([items for _, items in rows])


@dataclass(frozen=True)
class AveragePrecisionTable(Breakdown):
    """The average precision of each label, and the share of the items that have it: that of random scores."""

    kind: ClassVar[str] = "average_precision_table"
    name: str = "by_label"
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label."""
        labels, codes = statistics.labels, list(range(len(statistics.labels)))
        values, positives = label_values(statistics, weights, self.missing_score, codes)
        totals = [weights[RankedLabel.of(statistics, code, self.missing_score).items].sum() for code in codes]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
            "average_precision": values.tolist(),
            "base_rate": divide(positives, np.array(totals, dtype=np.float64)).tolist(),
            "positives": positives.tolist(),
        }
        return Detail(self.name, "table", ("key", "label"), columns)


def label_values(
    statistics: Statistics, weights: Floats, missing_score: float, codes: list[int]
) -> tuple[Floats, Floats]:
    """Average precision and weight of the items of some labels."""
    counts = [RankedLabel.of(statistics, code, missing_score).counts(weights) for code in codes]
    positives = [float(tp[-1]) if tp.size else 0.0 for tp, _ in counts]
    return np.array([step_sum(*pair) for pair in counts]), np.array(positives)
