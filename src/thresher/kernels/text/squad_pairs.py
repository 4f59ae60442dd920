"""Pairs of texts in the normal form of SQuAD, counted once for all metrics that need it."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.native_counts import squad_counts
from thresher.kernels.text.token_f1 import TokenCounts, token_counts
from thresher.native.library import library


class SquadPairs:
    """Exact match and token counts of pairs; the native kernel counts both at once.

    Args:
        predictions: one text per pair.
        references: the other text of each pair.
    """

    def __init__(self, predictions: Sequence[str], references: Sequence[str]) -> None:
        self._texts = predictions, references

    def matches(self) -> npt.NDArray[np.float64]:
        """1 for pairs with equal normal forms, else 0; as `exact_match`."""
        if library() is None:
            return exact_match(*self._texts)
        return self._counts[:, 3].astype(np.float64)

    def tokens(self) -> TokenCounts:
        """Shared tokens of the normal forms; as `token_counts`."""
        if library() is None:
            return token_counts(*self._texts)
        return TokenCounts(*self._counts[:, :3].T)

    @cached_property
    def _counts(self) -> npt.NDArray[np.int64]:
        return squad_counts(*self._texts)
