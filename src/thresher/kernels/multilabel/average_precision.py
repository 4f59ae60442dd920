"""Average precision of labels that an item may have several of.

The statistics are ragged columns: `truths` with the `label` of each true label, `scores` with `label` and
`score`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.average_precision import label_values
from thresher.kernels.classification.entries import CACHED_ENTRIES, scores_by_label
from thresher.kernels.classification.ranked_label import RankedLabel
from thresher.results import Breakdown, Detail, Label, Statistics
from thresher.results.reductions import MeanOverLabels, divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MultilabelAveragePrecision(MeanOverLabels):
    """The mean over labels of the average precision of the items ranked by the label's score.

    Attributes:
        missing_score: the score of a label that an item's prediction does not list.
    """

    kind: ClassVar[str] = "multilabel_average_precision"
    missing_score: float = 0.0

    @property
    def lacks(self) -> str:
        """Labels without an item have no average precision."""
        return "no item with a label"

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """Average precision and number of items of each label."""
        return label_values(_rankings(statistics, self.missing_score), weights)

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels


@dataclass(frozen=True)
class MultilabelPrecisionTable(Breakdown):
    """The average precision of each label, and the share of the items that have it: that of random scores."""

    kind: ClassVar[str] = "multilabel_average_precision_table"
    name: str = "by_label"
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label."""
        (values,), (positives,) = label_values(_rankings(statistics, self.missing_score), weights[None])
        columns: dict[str, list[Any]] = {
            "label": [str(label) for label in statistics.labels],
            "average_precision": values.tolist(),
            "base_rate": divide(positives, np.full(len(positives), weights.sum())).tolist(),
            "positives": positives.tolist(),
        }
        return Detail(self.name, "table", ("label",), columns)


def _rankings(statistics: Statistics, missing_score: float) -> Iterator[RankedLabel]:
    """The ranking of each label."""
    return (_ranked(statistics, label, missing_score) for label in range(len(statistics.labels)))


def _ranked(statistics: Statistics, label: int, missing_score: float) -> RankedLabel:
    def build() -> RankedLabel:
        items, listed = scores_by_label(statistics)(label)
        scores = np.full(statistics.size, missing_score)
        scores[items] = listed
        truths = statistics.ragged["truths"]
        positive = np.zeros(statistics.size, np.bool_)
        positive[truths.owners[truths["label"] == label]] = True
        return RankedLabel.by_score(np.arange(statistics.size), scores, positive)

    if statistics.ragged["scores"].entries > CACHED_ENTRIES:
        return build()
    ranked: RankedLabel = statistics.memo(("multilabel_ranked", label, missing_score), build)
    return ranked
