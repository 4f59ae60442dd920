"""Folders that are built out of sight and appear whole, and files that grow while they are built."""

import shutil
import tempfile
from bisect import bisect_left
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files.temporary import reserve
from thresher.files.writing import explain_write_errors

_BUFFER = 1 << 20


def temporary_folder() -> Path:
    """A new folder in the system's folder of temporary files; the caller deletes it.

    Raises:
        InputError: if it cannot be made.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(tempfile.gettempdir(), InputError):
        return Path(tempfile.mkdtemp(prefix="thresher-"))


def move_folder(folder: Path, target: Path) -> None:
    """Move a folder, also to another disk; the target appears whole. An existing target stays.

    Raises:
        InputError: if the target cannot be written.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(target, InputError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with reserve(target) as temporary:
            temporary.unlink()
            shutil.copytree(folder, temporary)
            try:
                temporary.rename(target)
            except OSError:
                shutil.rmtree(temporary, ignore_errors=True)
                if not target.is_dir():
                    raise
        shutil.rmtree(folder, ignore_errors=True)


class GrowingFile:
    """A file that is written from its start to its end, once.

    Args:
        path: the file; an existing one is replaced.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        with explain_write_errors(path, InputError):
            self._file = path.open("wb", buffering=_BUFFER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, content: bytes) -> None:
        """Write at the end.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        with explain_write_errors(self.path, InputError):
            self._file.write(content)
        self.size += len(content)

    def close(self) -> None:
        """Write what is buffered; nothing can be appended afterwards.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        with explain_write_errors(self.path, InputError):
            self._file.close()


class Records:
    """A file of records, each of the same whole numbers of 64 bits, of which a few are read at a time.

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
