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

_FOOTER_MARK = b"thresher-footer:"
UNSEALED_FOOTER = (_FOOTER_MARK + _BLANK).decode()
"""What a writer of Parquet puts into the metadata where `sealed_footer` inserts the digest of the footer."""
_LENGTH = 8
"""Bytes at the end of a Parquet file: the length of the footer before them, and four letters."""

Seal = Literal["whole", "broken", "none"]


def sealed(content: bytes) -> bytes:
    """Return the content with its digest in the place of the last `UNSEALED`."""
    start = content.rindex(UNSEALED.encode()) + len(_MARK)
    return _replaced(content, start, _digest(content, start))


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


def footer_size(end: bytes) -> int:
    """Bytes of the footer of a Parquet file that ends so, with the bytes that give its length.

    >>> footer_size(b"..." + (20).to_bytes(4, "little") + b"PAR1")
    28
    """
    return int.from_bytes(end[-_LENGTH:-4], "little") + _LENGTH


def sealed_footer(content: bytes) -> bytes:
    """Return a Parquet file with the digest of its footer, for readers that read only some columns.

    It must be inserted before the seal, which covers it.
    """
    start = len(content) - footer_size(content)
    footer = content[start:]
    place = footer.rindex(_FOOTER_MARK) + len(_FOOTER_MARK)
    return _replaced(content, start + place, _blanked_digest(footer))


def footer_seal_of(footer: bytes) -> Seal:
    """Whether the footer of a sealed Parquet file is as it was written; `none` if it has no digest."""
    mark = footer.rfind(_FOOTER_MARK)
    if mark < 0:
        return "none"
    start = mark + len(_FOOTER_MARK)
    return "whole" if footer[start : start + len(_BLANK)] == _blanked_digest(footer) else "broken"


def _replaced(content: bytes, start: int, digest: bytes) -> bytes:
    """The content with a digest at a place, without copies of its parts."""
    view = memoryview(content)
    return b"".join([view[:start], digest, view[start + len(digest) :]])


def _blanked_digest(footer: bytes) -> bytes:
    """The SHA-256 of a footer as if zeros were at the places of both digests."""
    blank = bytearray(footer)
    for mark in (_MARK, _FOOTER_MARK):
        start = footer.rfind(mark) + len(mark)
        blank[start : start + len(_BLANK)] = _BLANK
    return hashlib.sha256(blank).hexdigest().encode()


def _digest(content: bytes, start: int) -> bytes:
    """The SHA-256 of the content, hexadecimal, as if zeros were at the place of the digest."""
    view = memoryview(content)
    digest = hashlib.sha256(view[:start])
    digest.update(_BLANK)
    digest.update(view[start + len(_BLANK) :])
    return digest.hexdigest().encode()
