"""Exact match."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.native_counts import squad_counts
from thresher.kernels.text.normalize import squad
from thresher.native.library import library


def exact_match(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """1 if a prediction equals one of its references, else 0.

    >>> exact_match(["Paris", "Rome"], [["paris", "Paris"], ["Madrid"]]).tolist()
    [1.0, 0.0]
    """
    hits = (text in texts for text, texts in zip(predictions, references, strict=True))
    return np.fromiter(hits, np.float64, len(predictions))


def squad_match(predictions: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float64]:
    """1 if both texts of a pair have the same normal form of SQuAD, else 0.

    >>> squad_match(["The Paris.", "Rome"], ["paris", "Madrid"]).tolist()
    [1.0, 0.0]
    """
    if library() is not None:
        return squad_counts(predictions, references)[:, 3].astype(np.float64)
    return exact_match([squad(text) for text in predictions], [[squad(text)] for text in references])
