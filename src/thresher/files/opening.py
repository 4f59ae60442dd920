"""Opening files, plain or compressed, with limits on what they unpack to."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits

_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 17
_EXEMPT = 100_000_000
"""Unpacked bytes for which no ratio is too high: blanks and equal rows compress well in honest files too."""


@dataclass(frozen=True)
class OpenedFile:
    """The rest of an open file.

    Attributes:
        name: its path, or a description.
        content: UTF-8 text or gzip.
    """

    name: str
    content: bytes

    def __str__(self) -> str:
        return self.name

    @property
    def is_gzipped(self) -> bool:
        """Whether the content is gzip, whatever its name."""
        return self.content.startswith(_GZIP)


Source = Path | OpenedFile
"""What readers take."""


def open_binary(source: Source, *, gzipped: bool | None = None) -> io.BufferedReader:
    """Open a file for reading; reading raises InputError once a compressed one exceeds the limits.

    Args:
        source: the path, or the content of an open file.
        gzipped: whether it is gzip; default: by the suffix of a path, by the first bytes of an open file.

    Raises:
        OSError: if it cannot be opened; see `explain_read_errors`.
    """
    if isinstance(source, OpenedFile):
        file: io.BufferedReader = io.BufferedReader(io.BytesIO(source.content))
        size = len(source.content)
        suggested = source.is_gzipped
    else:
        file = source.open("rb")
        size = os.fstat(file.fileno()).st_size
        suggested = source.suffix.lower() == ".gz"
    if not (suggested if gzipped is None else gzipped):
        return file
    return io.BufferedReader(_Unpacked(source, file, size), _BUFFER)


def read_bytes(source: Source, *, gzipped: bool | None = None) -> bytes:
    """All bytes of a file, unpacked.

    Raises:
        InputError: if it cannot be read, or exceeds a limit.
    """
    with explain_read_errors(source), open_binary(source, gzipped=gzipped) as file:
        return file.read()


@contextmanager
def explain_read_errors(source: object) -> Iterator[None]:
    """Raise InputError for a file that cannot be opened, read or unpacked."""
    try:
        yield
    except IsADirectoryError as error:
        raise InputError(f"{source} is a directory; give the path of a file") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except ValueError as error:
        if isinstance(error, InputError) or "null" not in str(error):
            raise
        raise InputError(f"{source!s} cannot be read: {error}") from error  # a null character in a path


def check_unpacked(source: object, unpacked: int, packed: int, exempt: int | None = None) -> None:
    """Raise InputError if a file unpacks to more than the limits allow.

    Args:
        source: its name in messages.
        unpacked: bytes after decompression, so far.
        packed: bytes of the file.
        exempt: bytes for which no ratio is too high; default: 100 MB.
    """
    limits = current_limits()
    if unpacked > limits.unpacked_bytes:
        raise beyond(
            source,
            f"unpacks to more than {counted(limits.unpacked_bytes, 'byte', form=',')}",
            "unpacked_bytes",
        )
    if unpacked > max(_EXEMPT if exempt is None else exempt, limits.unpacked_ratio * packed):
        problem = (
            f"unpacks to more than {counted(limits.unpacked_ratio, 'time')} its "
            f"{counted(packed, 'byte', form=',')}"
        )
        raise beyond(source, problem, "unpacked_ratio")


def exceeds(unpacked: int, packed: int) -> bool:
    """Whether `check_unpacked` would raise."""
    limits = current_limits()
    return unpacked > min(limits.unpacked_bytes, max(_EXEMPT, limits.unpacked_ratio * packed))


def check_archive(source: Source, file: io.BufferedReader, what: str) -> None:
    """Raise InputError for a file that is not a ZIP archive, or unpacks to too many bytes.

    Args:
        source: the file, for messages.
        file: the open file, which is at its beginning afterwards.
        what: what it should be, e.g. `an Excel workbook`.
    """
    try:
        with ZipFile(file) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(f"{source} is not {what}: {error}") from error
    check_unpacked(source, unpacked, file.seek(0, io.SEEK_END))
    file.seek(0)


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, counted while it is read."""

    def __init__(self, source: Source, file: io.BufferedReader, size: int) -> None:
        self._source, self._packed, self._size, self._count = source, file, size, 0
        self._file = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._file.readinto(buffer)
        self._count += count
        check_unpacked(self._source, self._count, self._size)
        return count

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()
