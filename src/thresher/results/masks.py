"""Masks of items, and what identifies them."""

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.results.reductions import SumReduction


def value_key(reduction: SumReduction, counted: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
    """Key of a value among the totals of the statistics."""
    return "value", reduction.key, mask_digest(counted)


def both(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The items of two masks; one of the masks itself if the other one has all items."""
    for mask, other in ((first, second), (second, first)):
        if mask.strides == (0,) and mask[:1].all():
            return other
    return first & second


def mask_digest(mask: npt.NDArray[np.bool_]) -> bytes:
    """Identifies a mask."""
    return blake2b(np.packbits(mask).tobytes()).digest() + len(mask).to_bytes(8)
