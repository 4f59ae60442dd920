"""COCO's compressed run lengths.

A number is a sequence of groups of five bits, the lowest first, written as characters from `0` on. Bit 5
marks that another group follows, and bit 4 of the last group that the number is negative. From the fourth
number on, the difference to the number two places before is stored.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.results.ragged import Int64s, ranges

_BITS = 5  # of a number in one character
_GROUPS = 12  # of the longest number
_WRITTEN = Array("int64", written=True)
_decompressed = Kernel("decompressed", Array("uint8"), Array("int64"), _WRITTEN, _WRITTEN, _WRITTEN)


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


def decompressed(texts: Sequence[bytes]) -> list[Int64s]:
    """Decode COCO's compressed run lengths.

    Raises:
        InputError: for a string that ends inside a number, has characters outside that range, or a number of
            more than 60 bits.

    >>> decompressed([b"221"])[0].tolist()
    [2, 2, 1]
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    edges = np.concatenate([[0], np.cumsum(lengths)])
    content = np.frombuffer(b"".join(texts), np.uint8)
    decode = _by_numpy if library() is None else _by_library
    decoded = decode(content, edges)
    if decoded is None:
        raise InputError("compressed run lengths are damaged: not COCO's encoding; write them again")
    runs, starts = decoded
    return [runs[start:stop] for start, stop in pairwise(starts.tolist())]


def _by_library(content: npt.NDArray[np.uint8], edges: Int64s) -> tuple[Int64s, Int64s] | None:
    """All run lengths, and where those of each text start; None for a damaged text."""
    runs, starts, damaged = (
        np.empty(len(content), np.int64),
        np.empty(len(edges), np.int64),
        np.zeros(1, np.int64),
    )
    _decompressed(content, edges, runs, starts, damaged)
    return None if damaged[0] >= 0 else (runs[: starts[-1]], starts)


def _by_numpy(content: npt.NDArray[np.uint8], edges: Int64s) -> tuple[Int64s, Int64s] | None:
    joined = content.astype(np.int64) - 48
    last = (joined & 32) == 0
    ends = edges[1:][np.diff(edges) > 0] - 1
    if ((joined < 0) | (joined > 63)).any() or not last[ends].all():  # noqa: PLR2004 (six bits)
        return None
    stops = np.flatnonzero(last)
    begins = np.concatenate([[0], stops + 1])[: len(stops)]
    if (stops - begins >= _GROUPS).any():
        return None
    place = np.arange(len(joined)) - np.repeat(begins, stops - begins + 1)
    values = np.add.reduceat((joined & 31) << (_BITS * place), begins) if len(begins) else joined[:0]
    negative = (joined[stops] & 16) > 0
    values = np.where(negative, values - (np.int64(1) << (_BITS * (stops - begins + 1))), values)
    starts = np.concatenate([[0], np.cumsum(last)])[edges]
    for start, stop in pairwise(starts.tolist()):
        for first in (start + 1, start + 2):  # a number from the fourth on is relative to the last but one
            values[first:stop:2] = np.cumsum(values[first:stop:2])
    return values, starts
