"""COCO's compressed run lengths as written; `rasters.decompressed` reads them."""

from collections.abc import Sequence

import numpy as np

from thresher.results.ragged import Int64s, ranges

_BITS = 5  # of a number in one character
_GROUPS = 13  # as many hold a number of 64 bits


def compressed(counts: Sequence[Int64s]) -> list[bytes]:
    """Encode run lengths as COCO's strings.

    Formula: from the fourth number on, the difference to the number two places before; each as groups of
    five bits, the lowest first, and the character 48 + group, plus 32 if another group follows.
    Source: pycocotools 2.0, `rleToString`.

    Args:
        counts: run lengths of each mask.

    >>> compressed([np.array([2, 2, 1])])
    [b'221']
    """
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    values = np.concatenate([np.zeros(0, np.int64), *counts]).astype(np.int64)
    place = ranges(np.zeros(len(lengths), np.int64), lengths)
    later = np.flatnonzero(place > 2)  # noqa: PLR2004 (the fourth number)
    differences = values.copy()
    differences[later] -= values[later - 2]
    groups = np.ones(len(values), np.int64)
    for size in range(1, _GROUPS):
        half = np.int64(1) << (_BITS * size - 1)
        groups += (differences < -half) | (differences >= half)
    step = ranges(np.zeros(len(groups), np.int64), groups)
    codes = (np.repeat(differences, groups) >> (_BITS * step)) & 31
    codes += np.where(step < np.repeat(groups, groups) - 1, 32, 0) + 48
    text = codes.astype(np.uint8).tobytes()
    ends = np.concatenate([[0], np.cumsum(groups)])[np.cumsum(lengths)].tolist()
    return [text[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
