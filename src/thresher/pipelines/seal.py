"""Seals: the SHA-256 of a file inside the file itself.

A digest in a second file could not be renamed together with the first, and several processes that share a
run directory would have to agree on who writes it. A file cannot contain its own digest either, so the digest
is computed with 64 zeros in its place. It is the last such text of the file: in `run.json` an entry, in a
Parquet file an entry of the footer's metadata, which other readers ignore.
"""

import hashlib
from typing import Literal

_MARK = b"thresher-sha256:"
_BLANK = b"0" * hashlib.sha256().digest_size * 2
UNSEALED = (_MARK + _BLANK).decode()
"""What a writer puts into a file where `sealed` inserts the digest."""

Seal = Literal["whole", "broken", "none"]


def sealed(content: bytes) -> bytes:
    """Return the content with its digest in the place of the last `UNSEALED`."""
    start = content.rindex(UNSEALED.encode()) + len(_MARK)
    return content[:start] + _digest(content, start) + content[start + len(_BLANK) :]


def seal_of(content: bytes) -> Seal:
    """Whether a file is as it was sealed: `whole`, `broken`, or `none` if it has no seal.

    >>> content = sealed(b"scores " + UNSEALED.encode() + b" end")
    >>> seal_of(content), seal_of(content.replace(b"scores", b"Scores")), seal_of(b"scores")
    ('whole', 'broken', 'none')
    """
    mark = content.rfind(_MARK)
    if mark < 0:
        return "none"
    start = mark + len(_MARK)
    return "whole" if content[start : start + len(_BLANK)] == _digest(content, start) else "broken"


def digest_of(content: bytes) -> bytes:
    """The digest that a sealed file contains, hexadecimal; empty if it has no seal."""
    mark = content.rfind(_MARK)
    start = mark + len(_MARK)
    return b"" if mark < 0 else content[start : start + len(_BLANK)]


def _digest(content: bytes, start: int) -> bytes:
    """The SHA-256 of the content, hexadecimal, as if zeros were at the place of the digest."""
    view = memoryview(content)
    digest = hashlib.sha256(view[:start])
    digest.update(_BLANK)
    digest.update(view[start + len(_BLANK) :])
    return digest.hexdigest().encode()
