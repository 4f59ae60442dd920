"""Stable orders of many small integers, and ranks within groups."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.results.ragged import Int64s

_DIGIT = 16  # bits; numpy's stable sort is a radix sort up to 16 bits, and a slower one above

_POSITIONS = Array("int64", written=True)
_stable_order = Kernel("stable_order", Array("int64"), _POSITIONS)
_ranks_in_groups = Kernel("ranks_in_groups", Array("int64"), int, Array("int64"), _POSITIONS)


def stable_order(keys: npt.NDArray[Any], order: Int64s | None = None) -> Int64s:
    """Stable order of integers of at least 0, starting from `order`.

    numpy sorts 16-bit integers stably in linear time, so wider ones are sorted by digits of 16 bits.

    >>> stable_order(np.array([70000, 1, 70000, 0])).tolist()
    [3, 1, 0, 2]
    """
    result = np.arange(len(keys), dtype=np.int64) if order is None else order
    if library() is not None:
        result = result if order is None else np.array(order, dtype=np.int64)
        _stable_order(np.ascontiguousarray(keys, dtype=np.int64), result)
        return result
    highest = int(keys.max(initial=0))
    for shift in range(0, max(highest.bit_length(), 1), _DIGIT):
        digit = (keys >> shift).astype(np.uint16)  # keeps the lowest 16 bits
        result = result[np.argsort(digit[result], kind="stable")]
    return result


def by_score(scores: npt.NDArray[np.float64]) -> Int64s:
    """Stable order of falling scores from 0 to 1."""
    keys = np.ascontiguousarray(scores + 0.0).view(np.int64)
    return stable_order(np.subtract(np.int64(0x3FF0000000000000), keys, out=keys))


def ranks_in_groups(group: Int64s, order: Int64s) -> Int64s:
    """Rank of each entry within its group, from 0, in this order of all entries.

    >>> ranks_in_groups(np.array([5, 2, 5, 5]), np.array([3, 0, 1, 2])).tolist()
    [1, 0, 2, 0]
    """
    result = np.empty(len(order), np.int64)
    if library() is not None:
        _ranks_in_groups(group, int(group.max(initial=-1)) + 1, order, result)
        return result
    grouped = stable_order(group, order)
    result[grouped] = ranks(group[grouped])
    return result


def starts_of(groups: npt.NDArray[Any]) -> Int64s:
    """Start positions of runs of equal numbers."""
    return np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]])[: len(groups)])


def ranks(groups: npt.NDArray[Any]) -> Int64s:
    """Position within its run of equal numbers, from 0.

    >>> ranks(np.array([7, 7, 2, 2, 2])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = starts_of(groups)
    lengths = np.diff(np.append(starts, len(groups)))
    return np.asarray(np.arange(len(groups)) - np.repeat(starts, lengths), dtype=np.int64)
