"""Which scores beat which: the comparisons under the area of a receiver operating characteristic."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.entries import LabelEntries

Floats = npt.NDArray[np.float64]
_BYTE = 255
_MANY = 1 << 16
_BIN_BITS = 20


def pairs_won(positive: npt.ArrayLike, negative: npt.ArrayLike) -> float:
    """Number of (positive, negative) pairs that the positive score wins; a tie counts half.

    >>> pairs_won([0.9, 0.4], [0.4, 0.1])
    3.5
    """
    wanted, against = np.sort(np.asarray(positive)), np.asarray(negative)
    if len(against) < _MANY or against.dtype not in (np.float32, np.float64):
        return _halves(wanted, np.sort(against))
    # Scores fall into bins by their leading bits; only those that share one with a positive are sorted.
    first, second = _bins(wanted, against)
    counts = np.bincount(second, minlength=int(first.max(initial=0)) + 1)
    shared = np.zeros(len(counts), bool)
    shared[first] = True
    apart = np.cumsum(np.where(shared, 0, counts))
    return float(apart[first].sum()) + _halves(wanted, np.sort(against[shared.take(second)]))


def _halves(positive: npt.NDArray[Any], negative: npt.NDArray[Any]) -> float:
    low, high = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
    return float(int(low.sum()) + int(high.sum())) / 2


def _bins(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Small whole numbers in the order of the scores: equal for close ones, never the wrong way round."""
    whole: Any = np.int32 if second.dtype == np.float32 else np.int64
    top = np.iinfo(whole).max
    found: list[npt.NDArray[Any]] = []
    for scores in (first.astype(second.dtype), second):
        bits: npt.NDArray[Any] = np.ascontiguousarray(scores + 0.0).view(whole)  # -0.0 is 0.0
        found.append(np.where(bits < 0, bits ^ top, bits) if scores.min(initial=0) < 0 else bits)
    low = min(int(bits.min()) for bits in found if len(bits))
    high = max(int(bits.max()) for bits in found if len(bits))
    shift = max((high - low).bit_length() - _BIN_BITS, 0)
    mine, theirs = ((bits >> shift) - (low >> shift) for bits in found)
    return mine, theirs


def wins(scores: npt.NDArray[Any], against: float) -> Floats:
    """1 where a score is above `against`, 0.5 where it ties, else 0."""
    return np.asarray((scores > against) + 0.5 * (scores == against), dtype=np.float64)


@dataclass(frozen=True)
class LabelRanking:
    """The entries of one label in the order of their scores, ready for any weights of the items.

    Attributes:
        positive: items that bear the label, by rising score.
        negative: items that do not, by rising score.
        below: per positive, how many negatives score lower.
        not_above: per positive, how many negatives do not score higher; None if no two scores tie.
        over_missing: per positive 1, 0.5 or 0: does it win against an item without a score?
        under_missing: per negative the same for losing against an item without a score.
    """

    positive: npt.NDArray[Any]
    negative: npt.NDArray[Any]
    below: npt.NDArray[Any]
    not_above: npt.NDArray[Any] | None
    over_missing: Floats
    under_missing: Floats

    @classmethod
    def of(cls, entries: LabelEntries, label: int, missing_score: float) -> Self:
        """Sort the entries of a label; those of items without a truth for its key are left out."""
        order = np.argsort(entries.scores, kind="stable")
        truths, scores, items = entries.truths[order], entries.scores[order], entries.items[order]
        wanted, rest = truths == label, (truths >= 0) & (truths != label)
        positive, negative = scores[wanted], scores[rest]
        below, upto = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
        return cls(
            items[wanted],
            items[rest],
            below,
            None if (below == upto).all() else upto,
            wins(positive, missing_score),
            1 - wins(negative, missing_score),
        )

    def area(self, weights: npt.NDArray[Any], positives: float, negatives: float) -> float:
        """The area under weights per item, given the weight of all items with and without the label."""
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


def compact(weights: Floats) -> npt.NDArray[Any]:
    """Counts in a byte each, which are gathered several times as fast; other weights as they are."""
    counts = (
        weights.astype(np.uint8) if weights.size and 0 <= weights.min() <= weights.max() <= _BYTE else weights
    )
    return counts if (counts == weights).all() else weights
