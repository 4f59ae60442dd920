"""Counts of text metrics by the native kernels; equal to those of the Python kernels, which replace them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.native.characters import CLASSES, character_classes
from thresher.native.kernel import Array, Kernel
from thresher.native.texts import DATA, OFFSETS, Texts, lowered
from thresher.native.threads import threads_for

Integers = npt.NDArray[np.int64]

_BYTES_PER_THREAD = 1 << 19
"""Bytes that make another thread worth its start (0.05 ms, what 50 kB of texts cost)."""
_PAIR = (DATA, OFFSETS, DATA, OFFSETS)
_COUNTS = Array("int64", written=True)

_squad_counts = Kernel("squad_counts", *_PAIR, CLASSES, int, _COUNTS)


def squad_counts(predictions: Sequence[str], references: Sequence[str]) -> Integers:
    """Tokens of pairs in SQuAD's normal form.

    Returns:
        Pairs x 4: shared tokens, tokens of the prediction, of the reference, 1 if the normal forms are equal.
    """
    ours, theirs = Texts(lowered(predictions)), Texts(lowered(references))
    counts = np.zeros((len(ours), 4), np.int64)
    classes = character_classes(ours, theirs)
    _squad_counts(*ours.columns, *theirs.columns, classes, _threads(ours, theirs), counts)
    return counts


def _threads(*columns: Texts) -> int:
    return threads_for(sum(len(texts.data) for texts in columns), _BYTES_PER_THREAD)
