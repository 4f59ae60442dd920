"""Folders that are built out of sight and appear whole, and files that grow while they are built."""

import shutil
import tempfile
from bisect import bisect_left
from pathlib import Path

import numpy as np
import numpy.typing as npt

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


def move_folder(folder: Path, target: Path) -> None:
    """Move a folder, also to another disk; the target appears whole, in the place of an existing one.

    Raises:
        InputError: if the target cannot be written.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(target, InputError):
        target.parent.mkdir(parents=True, exist_ok=True)
        built = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            shutil.copytree(folder, built, dirs_exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            built.rename(target)
        except OSError:
            shutil.rmtree(built, ignore_errors=True)
            if not target.is_dir():  # else another process was faster
                raise
        shutil.rmtree(folder, ignore_errors=True)


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


class Records:
    """A file of records, each with the same 64-bit integers; a few records are read at a time.

    Args:
        path: the file.
        width: numbers in a record.
    """

    def __init__(self, path: Path, width: int) -> None:
        self.path, self.width = path, width

    def __len__(self) -> int:
        return self.path.stat().st_size // (8 * self.width)

    def read(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """Records `[start:stop]`, one a row."""
        count = max(0, stop - start) * self.width
        with self.path.open("rb") as file:
            values = np.fromfile(file, np.int64, count, offset=start * 8 * self.width)
        return values.reshape(-1, self.width)

    def place_of(self, value: int) -> int:
        """The first record whose first number is at least `value`, if records are in the order of these."""
        return bisect_left(range(len(self)), value, key=lambda place: int(self.read(place, place + 1)[0, 0]))
