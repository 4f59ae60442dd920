"""The items ranked by the score of one label: counts above each distinct score, under any weights.

The statistics are ragged columns: `truths` with a `label` per item and label key, `scores` with `label` and
`score`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.classification.entries import (
    CACHED_ENTRIES,
    entries_by_label,
    scores_by_label,
    truths_by_key,
)
from thresher.kernels.classification.two_labels import TwoLabels
from thresher.results import Label, Statistics
from thresher.results.labels import key_codes
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RankedLabel:
    """The items with a true label of the key, by falling score.

    Attributes:
        items: positions of items.
        positive: whether each has the label.
        ends: place of the last item of each group of equal scores.
        thresholds: the score of each group.
    """

    items: npt.NDArray[Any]
    positive: npt.NDArray[np.bool_]
    ends: npt.NDArray[Any]
    thresholds: Floats

    @classmethod
    def of(cls, statistics: Statistics, label: int, missing_score: float) -> "RankedLabel":
        """Rank the items by the score of a label; once for all weights, unless there are very many scores."""

        def build() -> RankedLabel:
            return cls._ranked(statistics, label, missing_score)

        if statistics.ragged["scores"].entries > CACHED_ENTRIES:
            return build()
        ranked: RankedLabel = statistics.memo(("ranked_label", label, missing_score), build)
        return ranked

    @classmethod
    def _ranked(cls, statistics: Statistics, label: int, missing_score: float) -> Self:
        table, keys = truths_by_key(statistics)
        truths = table[keys[label]]
        entries = entries_by_label(statistics)(label)
        ranks, shown = (np.full(len(truths), missing_score) for _ in range(2))
        # Ranks keep the order of probabilities that round to 1; thresholds are the scores as they are.
        ranks[entries.items], shown[entries.items] = entries.scores, scores_by_label(statistics)(label)[1]
        return cls.by_score(np.flatnonzero(truths >= 0), ranks, truths == label, shown)

    @classmethod
    def by_score(
        cls,
        items: npt.NDArray[Any],
        ranks: Floats,
        positive: npt.NDArray[np.bool_],
        thresholds: Floats | None = None,
    ) -> Self:
        """Rank some items by falling `ranks`, which are also the thresholds unless these are given."""
        items = items[np.argsort(-ranks[items], kind="stable")]
        ends = np.flatnonzero(np.diff(ranks[items], append=np.nan) != 0)
        shown = ranks if thresholds is None else thresholds
        return cls(items, positive[items], ends, shown[items[ends]])

    def counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weight of the items with and without the label that reach each distinct score.

        >>> two = np.arange(2)
        >>> ranked = RankedLabel(two, np.array([True, False]), two, np.array([0.9, 0.2]))
        >>> [counts.tolist() for counts in ranked.counts(np.ones(2))]
        [[1.0, 1.0], [0.0, 1.0]]
        """
        own = weights[self.items]
        return np.cumsum(own * self.positive)[self.ends], np.cumsum(own * ~self.positive)[self.ends]

    def average_precision(self, weights: npt.NDArray[Any]) -> tuple[float, float]:
        """The step sum under the exact precision-recall curve, and the weight of the items with the label.

        Formula: sum over distinct scores of precision times the gain of recall; NaN without such items

        >>> three = np.arange(3)
        >>> ranked = RankedLabel(three, np.array([True, False, True]), three, np.array([0.9, 0.5, 0.2]))
        >>> value, positives = ranked.average_precision(np.ones(3))
        >>> value.__round__(4), positives
        (0.8333, 2.0)
        """
        positives, last, reached = self._gains
        if not len(positives):
            return float("nan"), 0.0
        tp = np.cumsum(weights[positives])[last].astype(np.float64)
        both = np.cumsum(weights[self.items])[reached].astype(np.float64)
        gain = np.diff(tp, prepend=0.0) * np.nan_to_num(divide(tp, both))
        return float(divide(gain.sum(), tp[-1])), float(tp[-1])

    @cached_property
    def _gains(self) -> tuple[npt.NDArray[Any], ...]:
        """The items with the label, and where recall rises: the last of those and of all items per score."""
        places = np.flatnonzero(self.positive)
        group = np.searchsorted(self.ends, places)
        last = np.flatnonzero(np.diff(group, append=-1))
        return self.items[places], last, self.ends[group[last]]


def headline_labels(labels: Sequence[Label], positive: str | None) -> list[int]:
    """The labels that a mean is over: the positive one of each key with two labels, otherwise all.

    Args:
        labels: all labels.
        positive: the positive label; None for the one of a usual pair (1, true, yes). Other pairs have none.

    >>> headline_labels([Label("", "ham"), Label("", "spam")], "spam")
    [1]
    >>> headline_labels([Label("", "ham"), Label("", "spam")], None)
    [0, 1]
    """
    keys, chosen = key_codes(labels), []
    for key in range(int(keys.max(initial=-1)) + 1):
        codes = np.flatnonzero(keys == key).tolist()
        try:
            both = TwoLabels.of({labels[code].value for code in codes}, positive)
        except InputError:
            chosen += codes
        else:
            chosen += [code for code in codes if labels[code].value == both.positive]
    return chosen
