"""Parts in an object store: only the footer and some columns are read."""

import io
from typing import Any

from thresher.files.stores import StoredFile
from thresher.pipelines.seal import footer_size

_TAIL = 64 * 1024
"""Bytes at the end of a part that the first request reads; footers of parts have 5 to 30 kB."""


class PartRanges(io.RawIOBase):
    """A file for readers of Parquet. Each read is one request, except of the end, which is read once.

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
        self._end = self._fetched(_TAIL)
        if footer_size(self._end) > len(self._end):
            self._end = self._fetched(footer_size(self._end))

    @property
    def footer(self) -> bytes:
        """The footer, with the bytes that give its length."""
        return self._end[-min(footer_size(self._end), len(self._end)) :]

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
        start = self._place - (self._size - len(self._end))
        if start >= 0:
            content = self._end[start : start + length]
        else:
            content = self._requested(self._place, length) if length else b""
        buffer[: len(content)] = content
        self._place += len(content)
        return len(content)

    def _requested(self, start: int, length: int) -> bytes:
        try:
            return self._path.read_range(start, length, self._version)
        except OSError as error:
            self.refusal = error
            raise

    def _fetched(self, length: int) -> bytes:
        """The last bytes."""
        start = max(0, self._size - length)
        return self._path.read_range(start, self._size - start, self._version)
