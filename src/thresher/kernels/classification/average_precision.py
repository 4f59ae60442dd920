"""Average precision of labels: the step sum under the exact precision-recall curve."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.ranked_label import RankedLabel, headline_labels
from thresher.kernels.classification.ranking import compact
from thresher.results import Breakdown, Detail, Label, Statistics
from thresher.results.reductions import MeanOverLabels, divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelAveragePrecision(MeanOverLabels):
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

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """The labels that the mean is over."""
        return [statistics.labels[code] for code in headline_labels(statistics.labels, self.positive)]

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """Average precision and number of items of each label."""
        chosen = headline_labels(statistics.labels, self.positive)
        rankings = (RankedLabel.of(statistics, label, self.missing_score) for label in chosen)
        return label_values(rankings, weights)


@dataclass(frozen=True)
class AveragePrecisionTable(Breakdown):
    """The average precision of each label, and the share of the items that have it: that of random scores."""

    kind: ClassVar[str] = "average_precision_table"
    name: str = "by_label"
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label."""
        labels = statistics.labels
        rankings = [RankedLabel.of(statistics, label, self.missing_score) for label in range(len(labels))]
        (values,), (positives,) = label_values(rankings, weights[None])
        totals = [weights[ranking.items].sum() for ranking in rankings]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
            "average_precision": values.tolist(),
            "base_rate": divide(positives, np.array(totals, dtype=np.float64)).tolist(),
            "positives": positives.tolist(),
        }
        return Detail(self.name, "table", ("key", "label"), columns)


def label_values(rankings: Iterable[RankedLabel], weights: Floats) -> tuple[Floats, Floats]:
    """Average precision and weight of the items of each label (rows of weights x labels)."""
    rows = [compact(row) for row in weights]
    pairs = [[ranking.average_precision(row) for row in rows] for ranking in rankings]
    by_label = np.array(pairs, dtype=np.float64).reshape(-1, len(rows), 2)
    return by_label[..., 0].T, by_label[..., 1].T
