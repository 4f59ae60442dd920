"""Hashes of many texts in Arrow arrays, computed by numpy without a Python object per text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Int64s = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]
_WORD = 8
_LONG = 2048
"""Bytes from which on a text is hashed by Python: numpy takes a pass per word of the longest text."""
_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(_WORD)], np.uint64)
_SEED = np.uint64(hash(__name__) % 2**64)
"""Differs between processes as Python's hashes of texts do, so that no data can be made to collide."""


def as_texts(entries: "Sequence[str | None] | pa.Array | pa.ChunkedArray") -> "pa.LargeBinaryArray":
    r"""Return texts as an array of their UTF-8 bytes; half surrogates are encoded like other characters.

    >>> as_texts(["né", None]).to_pylist()
    [b'n\xc3\xa9', None]
    """
    import pyarrow as pa

    if not isinstance(entries, pa.Array | pa.ChunkedArray):
        encoded = [None if text is None else text.encode("utf-8", "surrogatepass") for text in entries]
        return pa.array(encoded, pa.large_binary())
    if isinstance(entries, pa.ChunkedArray):
        entries = pa.concat_arrays(entries.chunks) if entries.num_chunks else pa.array([], entries.type)
    return entries.cast(pa.large_binary())


def text_hashes(texts: "pa.LargeBinaryArray") -> Int64s:
    """Return a hash of 64 bits per text; equal texts, and all missing ones, have equal hashes in a process.

    The words of 8 bytes are mixed by the finalizer of SplitMix64 (Steele, Lea and Flood 2014).

    >>> hashes = text_hashes(as_texts(["a", "ab", None, "a", "", None])).tolist()
    >>> len(set(hashes)), hashes[0] == hashes[3], hashes[2] == hashes[5]
    (4, True, True)
    """
    _, offsets, data = texts.buffers()
    if offsets is None or not len(texts):
        return np.zeros(len(texts), np.int64)
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = b"" if data is None else memoryview(data)[ends[0] : ends[-1]]
    sizes = np.diff(ends)
    hashes = _hashes(content, ends[:-1] - ends[0], sizes)
    for row in np.flatnonzero(sizes > _LONG).tolist():
        hashes[row] = np.uint64(hash(texts[row].as_py()) % 2**64)
    if texts.null_count:
        hashes[np.array(texts.is_null().to_pylist())] = _SEED
    return hashes.view(np.int64)


def _hashes(content: Any, starts: Int64s, sizes: Int64s) -> _Words:
    """Hash the texts word by word, the longest first, so that those with a further word come first."""
    padded = bytes(content) + b"\0" * _WORD
    words = np.ndarray((len(padded) - _WORD + 1,), "<u8", padded, strides=(1,))  # one from every byte on
    sizes = np.where(sizes > _LONG, 0, sizes).astype(np.int16)
    order = np.argsort(-sizes, kind="stable")  # of 16 bits: radix
    starts, sizes = starts[order], sizes[order]
    hashes = _mixed(sizes.astype(np.uint64) ^ _SEED)
    counts = (
        np.cumsum(np.bincount(sizes)[::-1])[::-1].tolist() + [0] * _WORD
    )  # texts of at least so many bytes
    for at in range(0, int(sizes[0]), _WORD):
        some, whole = counts[at + 1], counts[at + _WORD]
        word = words[starts[:some] + at]
        word[whole:] &= _MASKS[sizes[whole:some] - at]
        hashes[:some] = _mixed(hashes[:some] ^ word)
    unordered = np.empty_like(hashes)
    unordered[order] = hashes
    return unordered


def _mixed(words: _Words) -> _Words:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
