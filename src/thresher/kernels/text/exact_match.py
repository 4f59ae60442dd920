"""Exact match of many pairs at a time."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.native_counts import squad_counts
from thresher.kernels.text.normalize import normal_pair
from thresher.native.library import library


def exact_match(
    predictions: Sequence[str], references: Sequence[str], normalization: str = "squad"
) -> npt.NDArray[np.float64]:
    """1 if both texts of a pair are equal in the form of `normal_pair`, else 0.

    >>> exact_match(["The Paris.", "Rome", "A"], ["paris", "Madrid", "the"]).tolist()
    [1.0, 0.0, 0.0]
    """
    if normalization == "squad" and library() is not None:
        return squad_counts(predictions, references)[:, 3].astype(np.float64)
    pairs = (normal_pair(*texts, normalization) for texts in zip(predictions, references, strict=True))
    return np.fromiter((ours == theirs for ours, theirs in pairs), np.float64, len(predictions))
