"""Token F1 as in SQuAD's script, for many pairs at a time."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.interning import Vocabulary, text_blocks
from thresher.kernels.text.native_counts import bleu_counts_of_texts, squad_counts
from thresher.kernels.text.ngrams import shared_ngrams
from thresher.kernels.text.normalize import normal_pair
from thresher.native.library import library

Integers = npt.NDArray[np.int64]


class TokenCounts(NamedTuple):
    """Counts with one entry per pair."""

    overlap: Integers
    """Size of the multiset intersection of both texts' tokens."""
    predicted: Integers
    """Tokens of the prediction."""
    reference: Integers
    """Tokens of the reference."""

    def f1(self, both_empty: float = 0.0) -> npt.NDArray[np.float64]:
        """Harmonic mean of overlap / predicted and overlap / reference, one per pair.

        Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016). It is 0 without a common token,
        also if one text has no tokens.

        Args:
            both_empty: the value if neither text has a token.
        """
        precision = self.overlap / np.maximum(self.predicted, 1)
        recall = self.overlap / np.maximum(self.reference, 1)
        total = precision + recall
        f1 = np.divide(2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0)
        f1[(self.predicted == 0) & (self.reference == 0)] = both_empty
        return f1


def token_counts(
    predictions: Sequence[str], references: Sequence[str], normalization: str = "squad"
) -> TokenCounts:
    """Count the tokens that each prediction shares with its reference.

    Args:
        predictions: one text per pair.
        references: the reference text of each pair.
        normalization: name of the form of `normal_pair`, which is split at white space.

    >>> counts = token_counts(["the cat sat"], ["A cat sat down."])
    >>> counts.overlap.tolist(), counts.predicted.tolist(), counts.reference.tolist()
    ([2], [2], [3])
    >>> counts.f1().tolist()
    [0.8]
    """
    if library() is not None:
        return _native_counts(predictions, references, normalization)
    blocks = [
        _counts(predictions[block], references[block], normalization)
        for block in text_blocks(predictions, references)
    ]
    if not blocks:
        return TokenCounts(*(np.zeros(0, np.int64) for _ in range(3)))
    return TokenCounts(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))


def _native_counts(predictions: Sequence[str], references: Sequence[str], normalization: str) -> TokenCounts:
    if normalization == "squad":
        return TokenCounts(*squad_counts(predictions, references)[:, :3].T)
    pairs = [normal_pair(*texts, normalization) for texts in zip(predictions, references, strict=True)]
    ours, theirs = [text for text, _ in pairs], [[text] for _, text in pairs]
    return TokenCounts(*bleu_counts_of_texts(ours, theirs, "whitespace", 1).T)


def _counts(predictions: Sequence[str], references: Sequence[str], normalization: str) -> TokenCounts:
    vocabulary = Vocabulary()
    ours, theirs = [], []
    for texts in zip(predictions, references, strict=True):
        prediction, reference = normal_pair(*texts, normalization)
        ours.append(vocabulary.encode(prediction.split()))
        theirs.append(vocabulary.encode(reference.split()))
    sizes = (np.fromiter(map(len, texts), np.int64, len(texts)) for texts in (ours, theirs))
    return TokenCounts(shared_ngrams(ours, theirs, 1)[0], *sizes)
