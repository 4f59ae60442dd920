"""Rows of PNG files in the form of maps of ids: three colours of eight bits, and nothing else."""

import struct
import zlib
from pathlib import Path

from thresher.files.limits import current_limits
from thresher.files.opening import explain_read_errors, open_binary

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER, _PIXELS, _END = b"IHDR", b"IDAT", b"IEND"
_RGB = bytes([8, 2, 0, 0, 0])
"""Bits, kind of colours, compression, filters, and rows in one pass."""
_CHUNK = 12
"""Bytes of a chunk beside its content: its length, name and checksum."""


def packed_rows(path: Path) -> tuple[int, int, bytes] | None:
    """Height, width, and the rows of a file as a zlib stream, each with a byte for its filter.

    Returns:
        None for a file that is damaged, of another form or above the limit of pixels: `open_image` reads or
        refuses it.

    Raises:
        InputError: if it cannot be read.
    """
    with explain_read_errors(path), open_binary(path, gzipped=False) as file:
        size = _size(file.read(len(_SIGNATURE) + _CHUNK + 13))
        if size is None:
            return None
        most = 2 * size[0] * (1 + 3 * size[1]) + 1000  # packed rows are hardly longer than their pixels
        content = file.read(most)
    packed = None if len(content) == most else _packed(content)
    return None if packed is None else (*size, packed)


def _size(head: bytes) -> tuple[int, int] | None:
    """Height and width, if a file begins with the header of such an image."""
    start = len(_SIGNATURE)
    chunk = _chunk(head, start)
    if not head.startswith(_SIGNATURE) or chunk is None:
        return None
    name, content = chunk
    if name != _HEADER or len(content) != 13 or content[8:] != _RGB:  # noqa: PLR2004 (two sizes and five bytes)
        return None
    width, height = struct.unpack(">II", content[:8])
    is_small = 0 < width * height <= min(current_limits().pixels, 2**31 - 1)
    return (height, width) if is_small else None


def _packed(content: bytes) -> bytes | None:
    """The packed rows, if only they and the end of the file follow the header."""
    parts: list[bytes] = []
    at = 0
    while (chunk := _chunk(content, at)) is not None:
        name, part = chunk
        if name == _END:
            return b"".join(parts)
        if name != _PIXELS:
            return None
        parts.append(part)
        at += _CHUNK + len(part)
    return None


def _chunk(content: bytes, at: int) -> tuple[bytes, bytes] | None:
    """Name and content of a chunk; None if it is cut off, or has another checksum."""
    if len(content) < at + _CHUNK:
        return None
    (length,) = struct.unpack_from(">I", content, at)
    end = at + 8 + length
    if len(content) < end + 4:
        return None
    named = content[at + 4 : end]
    (checksum,) = struct.unpack_from(">I", content, end)
    return (named[:4], named[4:]) if zlib.crc32(named) == checksum else None
