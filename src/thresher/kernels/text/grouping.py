"""Grouping and joining of equal keys by hashing, without sorting."""

from collections.abc import Iterator
from itertools import count, cycle

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_MULTIPLIERS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)))


def representatives(keys: Integers) -> Integers:
    """For each key the position of an equal key, the same one for all equal keys.

    A hash table that is filled by whole arrays: of the keys in one slot, the last one stays; keys that differ
    from it go to the next round, with another hash. Sorting the keys would be several times slower.

    >>> representatives(np.array([70, 5, 70, 8])).tolist()
    [2, 1, 2, 3]
    """
    result = np.empty(len(keys), np.int64)
    bits = (2 * len(keys) + 1).bit_length()
    table = np.empty(1 << bits, np.int64)
    places, words = np.arange(len(keys)), keys.view(np.uint64)
    for multiplier in cycle(_MULTIPLIERS):
        slots = (words * multiplier >> np.uint64(64 - bits)).view(np.int64)
        table[slots] = places
        result[places] = table[slots]
        others = keys[result[places]] != words.view(np.int64)
        if not others.any():
            break
        places, words = places[others], words[others]
    return result


def equal_pairs(left: Integers, right: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield all pairs of positions in `left` and `right` with equal keys, in batches.

    Each batch pairs every position of `left` with at most one of `right`, so that memory stays small however
    often a key occurs.

    >>> [(a.tolist(), b.tolist()) for a, b in equal_pairs(np.array([7, 8, 7]), np.array([7, 9, 7]))]
    [([0, 2], [2, 2]), ([0, 2], [0, 0])]
    """
    groups = representatives(np.concatenate((left, right)))
    ours, theirs = groups[: len(left)], groups[len(left) :]
    copies = np.bincount(theirs, minlength=len(groups))
    in_left = np.bincount(ours, minlength=len(groups)) > 0
    ours_left = np.flatnonzero(copies[ours] > 0)
    theirs_left = np.flatnonzero(in_left[theirs])
    partner = np.empty(len(groups), np.int64)
    for batch in count(1):
        if not len(theirs_left):
            break
        partner[theirs[theirs_left]] = theirs_left  # of equal keys, the last one stays
        yield ours_left, partner[ours[ours_left]]
        theirs_left = theirs_left[partner[theirs[theirs_left]] != theirs_left]
        ours_left = ours_left[copies[ours[ours_left]] > batch]
