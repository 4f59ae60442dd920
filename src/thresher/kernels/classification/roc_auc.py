"""Area under the receiver operating characteristic, one label against the rest.

The area is the probability that a positive item scores higher than a negative one, a tie counting half
(Hanley and McNeil 1982), which equals the trapezoidal rule under the exact curve. The statistics are ragged
columns: `truths` with a `label` per item and label key, `scores` with `label` and `score`.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.entries import CACHED_ENTRIES, LabelEntries, entries_by_label
from thresher.kernels.classification.native_pairs import pairs_by_label
from thresher.kernels.classification.ranking import LabelRanking, compact, pairs_won, wins
from thresher.results import Breakdown, Detail, Label, Statistics
from thresher.results.labels import Codes, sums_by_code
from thresher.results.reductions import MeanOverLabels, mean_of_known

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RocAuc(MeanOverLabels):
    """The mean over labels of the area of one label against the rest of its key.

    Labels that no item has, or every item has, have no area and are left out of the mean.

    Attributes:
        missing_score: the score of a label that an item's prediction does not list.
    """

    kind: ClassVar[str] = "roc_auc"
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean of the defined areas; NaN if none is defined."""
        return float(mean_of_known(label_areas(statistics, weights, self.missing_score)))

    def item_reach(self, statistics: Statistics, weights: Floats, span: float) -> float:  # noqa: ARG002
        """Twice the span: an item is positive for one label and negative for others."""
        return 2 * span

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """The area and the number of items of each label; scores are sorted once for all rows of weights."""
        positives, negatives = _totals(statistics, weights)
        return _weighted_areas(statistics, weights, (positives, negatives), self.missing_score), positives

    def by_label_without(self, statistics: Statistics, group: Codes, groups: int) -> tuple[Floats, Floats]:
        """The areas from the pairs of all items, less the pairs with an item of the group."""
        positives, negatives = _totals_without(statistics, group, groups)
        areas = np.full(positives.shape, np.nan)
        for label in np.flatnonzero(((positives > 0) & (negatives > 0)).any(axis=0)).tolist():
            totals = positives[:, label], negatives[:, label]
            ranking = _ranking(statistics, label, self.missing_score)
            areas[:, label] = ranking.areas_without(group, groups, *totals)
        return areas, positives


@dataclass(frozen=True)
class RocAucTable(Breakdown):
    """The area of each label, with the weights of its positive and negative items."""

    kind: ClassVar[str] = "roc_auc_table"
    name: str = "by_label"
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label; `undefined` says why an area is undefined (NaN)."""
        positives, negatives = (rows[0] for rows in _totals(statistics, weights[None]))
        areas = label_areas(statistics, weights, self.missing_score)
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in statistics.labels],
            "label": [label.value for label in statistics.labels],
            "roc_auc": areas.tolist(),
            "positives": positives.tolist(),
            "negatives": negatives.tolist(),
            "undefined": [_why(*pair) for pair in zip(positives, negatives, strict=True)],
        }
        return Detail(self.name, "table", ("key", "label"), columns)


def label_areas(statistics: Statistics, weights: Floats, missing_score: float = 0.0) -> Floats:
    """The area of each label; NaN if undefined."""
    if not np.isin(weights, (0.0, 1.0)).all():
        totals = _totals(statistics, weights[None])
        return np.asarray(_weighted_areas(statistics, weights[None], totals, missing_score)[0])
    positives, negatives = (rows[0] for rows in _totals(statistics, weights[None]))
    counted = None if weights.all() else weights > 0
    areas = np.full(len(statistics.labels), np.nan)
    defined = np.flatnonzero((positives > 0) & (negatives > 0)).tolist()
    # In a matrix every item has a score for each label.
    counts = pairs_by_label(statistics, defined, counted)
    for label, won in counts.items():
        areas[label] = won / (positives[label] * negatives[label])
    others = [label for label in defined if label not in counts]
    if others:
        find = entries_by_label(statistics)

        def area(label: int) -> float:
            totals = positives[label], negatives[label]
            return _area(find(label), label, counted, totals, missing_score)

        with ThreadPoolExecutor(
            min(4, os.cpu_count() or 1)
        ) as threads:  # numpy sorts without the global lock
            areas[others] = list(threads.map(area, others))
    return areas


def _area(
    entries: LabelEntries,
    label: int,
    counted: npt.NDArray[np.bool_] | None,
    totals: tuple[float, float],
    missing_score: float,
) -> float:
    """The area of one label; `totals` are the items with and without it, scored or not."""
    positives, negatives = totals
    known = entries.truths >= 0
    if counted is not None:
        known &= counted[entries.items]
    scores = np.ascontiguousarray(entries.scores) if known.all() else entries.scores[known]
    won = scores[(entries.truths if known.all() else entries.truths[known]) == label]
    unscored = positives - len(won), negatives - (len(scores) - len(won))
    pairs = pairs_won(won, scores) - len(won) ** 2 / 2 + unscored[0] * unscored[1] / 2
    if any(unscored):
        lost = wins(scores, missing_score).sum() - wins(won, missing_score).sum()
        pairs += unscored[1] * wins(won, missing_score).sum()
        pairs += unscored[0] * (len(scores) - len(won) - lost)
    return float(pairs / (positives * negatives))


def _weighted_areas(
    statistics: Statistics, weights: Floats, totals: tuple[Floats, Floats], missing_score: float
) -> Floats:
    """The areas per row of weights (rows x labels); NaN if undefined. `totals` are those of `_totals`."""
    positives, negatives = totals
    defined = (positives > 0) & (negatives > 0)
    areas = np.full(defined.shape, np.nan)
    small = [compact(row) for row in weights]
    for label in np.flatnonzero(defined.any(axis=0)).tolist():
        ranking = _ranking(statistics, label, missing_score)
        for row in np.flatnonzero(defined[:, label]).tolist():
            areas[row, label] = ranking.area(small[row], positives[row, label], negatives[row, label])
    return areas


def _ranking(statistics: Statistics, label: int, missing_score: float) -> LabelRanking:
    def build() -> LabelRanking:
        return LabelRanking.of(entries_by_label(statistics)(label), label, missing_score)

    if statistics.ragged["scores"].entries > CACHED_ENTRIES:
        return build()
    ranking: LabelRanking = statistics.memo(("ranking", label, missing_score), build)
    return ranking


def _totals(statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
    """Weight of the items with each label, and with another label of its key (rows x labels)."""
    truths, labels = statistics.ragged["truths"], statistics.labels
    positives = np.zeros((len(weights), len(labels)))
    for row, item_weights in enumerate(weights):
        positives[row] = sums_by_code(truths["label"], truths.per_entry(item_weights), len(labels))
    return positives, _of_key(labels, positives) - positives


def _totals_without(statistics: Statistics, group: Codes, groups: int) -> tuple[Floats, Floats]:
    """The numbers of `_totals` without the items of each group (groups x labels)."""
    truths, labels = statistics.ragged["truths"], statistics.labels
    cells = truths.per_entry(group) * len(labels) + truths["label"]
    counts = np.bincount(cells, minlength=groups * len(labels)).reshape(groups, -1)
    positives = (counts.sum(axis=0) - counts).astype(np.float64)
    return positives, _of_key(labels, positives) - positives


def _of_key(labels: Sequence[Label], positives: Floats) -> Floats:
    """Sums over the labels of each label's key (rows x labels)."""
    names = sorted({label.key for label in labels})
    keys = np.array([names.index(label.key) for label in labels], dtype=np.int64)
    return np.array([sums_by_code(keys, row, len(names))[keys] for row in positives]).reshape(positives.shape)


def _why(positives: float, negatives: float) -> str | None:
    if positives and negatives:
        return None
    return "no item has the label" if not positives else "every item has the label"
