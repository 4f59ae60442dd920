"""Grouping equal keys, and finding who meets whom, without sorting."""

from collections.abc import Iterator
from itertools import count, cycle

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_MULTIPLIERS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)))


def representatives(keys: Integers) -> Integers:
    """For each key the position of one that equals it, the same position for all equal keys.

    A hash table filled by whole arrays: of the keys that meet in a slot, one stays; who differs from it
    goes to the next round, with another hash. Sorting the keys would do the same several times slower.

    >>> representatives(np.array([70, 5, 70, 8])).tolist()
    [2, 1, 2, 3]
    """
    found = np.empty(len(keys), np.int64)
    bits = (2 * len(keys) + 1).bit_length()
    table = np.empty(1 << bits, np.int64)
    places, words = np.arange(len(keys)), keys.view(np.uint64)
    for multiplier in cycle(_MULTIPLIERS):
        slots = (words * multiplier >> np.uint64(64 - bits)).view(np.int64)
        table[slots] = places
        found[places] = table[slots]
        others = keys[found[places]] != words.view(np.int64)
        if not others.any():
            break
        places, words = places[others], words[others]
    return found


def meetings(left: Integers, right: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Every pair of positions in `left` and `right` with equal keys, in batches.

    Each batch meets all of `left` with at most one position of `right`, so that memory stays small
    however often a key occurs.

    >>> [(a.tolist(), b.tolist()) for a, b in meetings(np.array([7, 8, 7]), np.array([7, 9, 7]))]
    [([0, 2], [2, 2]), ([0, 2], [0, 0])]
    """
    groups = representatives(np.concatenate((left, right)))
    ours, theirs = groups[: len(left)], groups[len(left) :]
    copies = np.bincount(theirs, minlength=len(groups))
    wanted = np.bincount(ours, minlength=len(groups)) > 0
    ours_left = np.flatnonzero(copies[ours] > 0)
    theirs_left = np.flatnonzero(wanted[theirs])
    partner = np.empty(len(groups), np.int64)
    for batch in count(1):
        if not len(theirs_left):
            break
        partner[theirs[theirs_left]] = theirs_left  # of those with one key, the last one stays
        yield ours_left, partner[ours[ours_left]]
        theirs_left = theirs_left[partner[theirs[theirs_left]] != theirs_left]
        ours_left = ours_left[copies[ours[ours_left]] > batch]
