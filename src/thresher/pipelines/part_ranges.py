"""Parts in an object store: only the footer and some columns are read."""

import io
from collections.abc import Iterable
from typing import Any

from thresher.files.stores import StoredFile
from thresher.pipelines.seal import footer_size

_TAIL = 64 * 1024
"""Bytes at the end of a part that the first request reads; footers of parts have 5 to 30 kB."""
_HOLE = 64 * 1024
"""Bytes between two columns that are read along, as they cost less than a request."""


class PartRanges(io.RawIOBase):
    """A file for readers of Parquet. Each read is one request, except of what was fetched.

    Arrow may fetch columns itself, but in threads of its own: one that drops the last reference to an object
    of Python while the interpreter ends aborts the process.

    Args:
        path: the part.

    Raises:
        FileNotFoundError: if there is no such part.
        OSError: if the store refuses, or the part is replaced while it is read.

    Attributes:
        refusal: why the store refused the last request, in contrast to a file that is damaged.
    """

    def __init__(self, path: StoredFile) -> None:
        entry = path.stat()
        if entry is None:
            raise FileNotFoundError(2, "there is no such file")
        self._path, self._size, self._version = path, entry.size, entry.version
        self._place = 0
        self.refusal: OSError | None = None
        self._end = self._last(_TAIL)
        if footer_size(self._end) > len(self._end):
            self._end = self._last(footer_size(self._end))
        self._blocks = [(self._size - len(self._end), self._end)]

    @property
    def footer(self) -> bytes:
        """The footer, with the bytes that give its length."""
        return self._end[-min(footer_size(self._end), len(self._end)) :]

    def fetch(self, spans: Iterable[tuple[int, int]]) -> None:
        """Read the bytes between starts and ends; those that are near each other with one request."""
        merged: list[list[int]] = []
        for start, end in sorted(spans):
            if merged and start - merged[-1][1] <= _HOLE:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        self._blocks += [(start, self._requested(start, end - start)) for start, end in merged]

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The position."""
        return self._place

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move the position."""
        self._place = offset + (0, self._place, self._size)[whence]
        return self._place

    def readinto(self, buffer: Any, /) -> int:
        """Read at the position."""
        length = max(0, min(len(buffer), self._size - self._place))
        place, end = self._place, self._place + length
        held = (
            block[place - start : end - start]
            for start, block in self._blocks
            if start <= place and end <= start + len(block)
        )
        content = next(held, None) if length else b""
        content = self._requested(place, length) if content is None else content
        buffer[: len(content)] = content
        self._place += len(content)
        return len(content)

    def _requested(self, start: int, length: int) -> bytes:
        try:
            return self._path.read_range(start, length, self._version)
        except OSError as error:
            self.refusal = error
            raise

    def _last(self, length: int) -> bytes:
        """The last bytes."""
        start = max(0, self._size - length)
        return self._path.read_range(start, self._size - start, self._version)
