"""Comparisons of positive with negative scores, whose share is the area under the ROC curve."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.entries import LabelEntries
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
_BYTE = 255
_MANY = 1 << 16
_BIN_BITS = 20


def pairs_won(positive: npt.ArrayLike, negative: npt.ArrayLike) -> float:
    """Number of (positive, negative) pairs whose positive score is higher; a tie counts half.

    >>> pairs_won([0.9, 0.4], [0.4, 0.1])
    3.5
    """
    ours, against = np.sort(np.asarray(positive)), np.asarray(negative)
    if len(against) < _MANY or against.dtype not in (np.float32, np.float64):
        return _halves(ours, np.sort(against))
    # Scores are binned by their leading bits; only negatives in a bin with a positive are sorted.
    first, second = _bins(ours, against)
    counts = np.bincount(second, minlength=int(first.max(initial=0)) + 1)
    shared = np.zeros(len(counts), bool)
    shared[first] = True
    apart = np.cumsum(np.where(shared, 0, counts))
    return float(apart[first].sum()) + _halves(ours, np.sort(against[shared.take(second)]))


def _halves(positive: npt.NDArray[Any], negative: npt.NDArray[Any]) -> float:
    low, high = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
    return float(int(low.sum()) + int(high.sum())) / 2


def _bins(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Small integers that rise with the scores; close scores may share one."""
    whole: Any = np.int32 if second.dtype == np.float32 else np.int64
    top = np.iinfo(whole).max
    keys: list[npt.NDArray[Any]] = []
    for scores in (first.astype(second.dtype), second):
        bits: npt.NDArray[Any] = np.ascontiguousarray(scores + 0.0).view(whole)  # -0.0 is 0.0
        keys.append(np.where(bits < 0, bits ^ top, bits) if scores.min(initial=0) < 0 else bits)
    low = min(int(bits.min()) for bits in keys if len(bits))
    high = max(int(bits.max()) for bits in keys if len(bits))
    shift = max((high - low).bit_length() - _BIN_BITS, 0)
    mine, theirs = ((bits >> shift) - (low >> shift) for bits in keys)
    return mine, theirs


def wins(scores: npt.NDArray[Any], against: float) -> Floats:
    """1 for a score above `against`, 0.5 for a tie, else 0."""
    return np.asarray((scores > against) + 0.5 * (scores == against), dtype=np.float64)


@dataclass(frozen=True)
class LabelRanking:
    """The entries of one label sorted by score, for any weights of the items.

    Attributes:
        positive: items with the label, by rising score.
        negative: items with another label, by rising score.
        below: per positive the number of negatives with a lower score.
        not_above: per positive the number of negatives without a higher score; None without ties.
        over_missing: per positive 1, 0.5 or 0 for a win, tie or loss against an item without a score.
        under_missing: per negative 1, 0.5 or 0 for a loss, tie or win against an item without a score.
    """

    positive: npt.NDArray[Any]
    negative: npt.NDArray[Any]
    below: npt.NDArray[Any]
    not_above: npt.NDArray[Any] | None
    over_missing: Floats
    under_missing: Floats

    @classmethod
    def of(cls, entries: LabelEntries, label: int, missing_score: float) -> Self:
        """Sort the entries of a label; items without a truth for its key are left out."""
        order = np.argsort(entries.scores, kind="stable")
        truths, scores, items = entries.truths[order], entries.scores[order], entries.items[order]
        own, rest = truths == label, (truths >= 0) & (truths != label)
        positive, negative = scores[own], scores[rest]
        below, upto = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
        return cls(
            items[own],
            items[rest],
            below,
            None if (below == upto).all() else upto,
            wins(positive, missing_score),
            1 - wins(negative, missing_score),
        )

    def area(self, weights: npt.NDArray[Any], positives: float, negatives: float) -> float:
        """The area under weights per item.

        Args:
            weights: per item.
            positives: weight of all items with the label, scored or not.
            negatives: weight of all items with another label of the key.
        """
        won, lost = weights[self.positive], weights[self.negative]
        sums = np.zeros(len(lost) + 1, np.int64 if weights.dtype == np.uint8 else np.float64)
        np.cumsum(lost, out=sums[1:])
        # Sums of products instead of dot products, whose threads cost more than they save.
        pairs = float((won * sums[self.below]).sum())
        if self.not_above is not None:
            pairs = (pairs + float((won * sums[self.not_above]).sum())) / 2
        unscored = positives - float(won.sum()), negatives - float(sums[-1])
        if any(unscored):
            pairs += unscored[1] * float((won * self.over_missing).sum())
            pairs += unscored[0] * float((lost * self.under_missing).sum()) + unscored[0] * unscored[1] / 2
        return pairs / (positives * negatives)

    def areas_without(
        self, group: npt.NDArray[Any], groups: int, positives: Floats, negatives: Floats
    ) -> Floats:
        """The area without the items of each group.

        Args:
            group: the group of each item.
            groups: number of groups.
            positives: number of all items with the label, scored or not, without those of each group.
            negatives: the same for items with another label of the key.
        """
        own, rest = group[self.positive], group[self.negative]
        pairs = _pairs_without(self.below, own, rest, groups)
        if self.not_above is not None:
            pairs = (pairs + _pairs_without(self.not_above, own, rest, groups)) / 2
        unscored = positives - _sums_without(own, None, groups), negatives - _sums_without(rest, None, groups)
        pairs += unscored[1] * _sums_without(own, self.over_missing, groups)
        pairs += unscored[0] * _sums_without(rest, self.under_missing, groups) + unscored[0] * unscored[1] / 2
        return divide(pairs, positives * negatives)


def _pairs_without(
    below: npt.NDArray[Any], own: npt.NDArray[Any], rest: npt.NDArray[Any], groups: int
) -> Floats:
    """Number of pairs of a positive and one of its `below` lowest negatives, without those of each group.

    All pairs, less those whose positive or negative is of the group; pairs of two such are subtracted twice.

    Args:
        below: per positive, rising.
        own: group of each positive.
        rest: group of each negative.
        groups: number of groups.

    >>> _pairs_without(np.array([1, 2]), np.array([0, 1]), np.array([0, 1]), 2).tolist()
    [1.0, 1.0]
    """
    size = len(rest) + 1
    # Small integers are sorted in linear time.
    order = np.argsort(rest.astype(np.min_scalar_type(groups)), kind="stable")
    places = rest[order] * size + order
    within = np.searchsorted(places, own * size + below) - np.searchsorted(places, own * size)
    above = len(own) - np.searchsorted(below, np.arange(len(rest)), "right")
    lost = np.bincount(own, below - within, groups) + np.bincount(rest, above, groups)
    return np.asarray(below.sum() - lost, dtype=np.float64)


def _sums_without(group: npt.NDArray[Any], values: npt.NDArray[Any] | None, groups: int) -> Floats:
    """Sums of whole and half numbers without those of each group; None counts them."""
    sums = np.bincount(group, values, groups)
    return np.asarray(sums.sum() - sums, dtype=np.float64)


def compact(weights: Floats) -> npt.NDArray[Any]:
    """Counts as bytes, which numpy gathers several times as fast; other weights unchanged."""
    counts = (
        weights.astype(np.uint8) if weights.size and 0 <= weights.min() <= weights.max() <= _BYTE else weights
    )
    return counts if (counts == weights).all() else weights
