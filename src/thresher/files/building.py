"""Temporary folders, and files that grow while they are built."""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from thresher.errors import InputError
from thresher.files.temporary import new_folder
from thresher.files.writing import explain_write_errors

_BUFFER = 1 << 20


def temporary_folder() -> Path:
    """A new folder in the system's folder of temporary files; the caller deletes it.

    If the process is killed, the next one that makes such a folder on this machine deletes it.

    Raises:
        InputError: if it cannot be made.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(tempfile.gettempdir(), InputError):
        return new_folder()


class GrowingFile:
    """A file that is written from its start to its end, a megabyte at a time; it is not open in between.

    Args:
        path: the file; an existing one is replaced.

    Attributes:
        size: bytes that were appended.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.size = path, 0
        self._waiting: list[bytes] = []
        self._bytes = 0
        with explain_write_errors(path, InputError):
            path.write_bytes(b"")

    def append(self, content: bytes) -> None:
        """Write at the end.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        self._waiting.append(content)
        self._bytes += len(content)
        self.size += len(content)
        if self._bytes >= _BUFFER:
            self.flush()

    def flush(self) -> None:
        """Write what waits; raises as `append` does."""
        with explain_write_errors(self.path, InputError), self.path.open("ab") as file:
            file.writelines(self._waiting)
        self._waiting, self._bytes = [], 0

    def pieces(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        """Write what waits, and yield the bytes between these starts and ends."""
        self.flush()
        with self.path.open("rb", buffering=0) as file:
            for start, end in spans:
                file.seek(start)
                yield file.read(end - start)
