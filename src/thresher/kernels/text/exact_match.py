"""Exact match."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def exact_match(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """1 if a prediction equals one of its references, else 0.

    >>> exact_match(["Paris", "Rome"], [["paris", "Paris"], ["Madrid"]]).tolist()
    [1.0, 0.0]
    """
    hits = (text in texts for text, texts in zip(predictions, references, strict=True))
    return np.fromiter(hits, np.float64, len(predictions))
