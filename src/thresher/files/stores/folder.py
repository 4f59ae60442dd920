"""A store in a folder of a file system."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from thresher.files.set_aside import set_aside
from thresher.files.stores.store import Entry, StoredFile, Version
from thresher.files.temporary import is_live, is_temporary, reserve, sweep, targets_being_written
from thresher.files.writing import fill

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class FolderStore:
    """Files in a folder, which any number of processes and machines may share.

    A file is written under a temporary name, flushed to the disk, and linked or renamed. So a kill, a full
    disk or two writers at once leave the old file or a new one, never a mixture.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __str__(self) -> str:
        return self.location

    @property
    def location(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def is_remote(self) -> bool:
        """False: reading a part whole costs as much as finding its columns."""
        return False

    def place(self, name: str) -> str:
        """Path of a file."""
        return str(self.path / name)

    def child(self, name: str) -> "FolderStore":
        """A folder in this one."""
        return FolderStore(self.path / name)

    def file(self, name: str) -> StoredFile:
        """A file in the folder."""
        return StoredFile(self, name)

    def prepare(self) -> None:
        """Create the folder; delete temporary files of processes that ended."""
        self.path.mkdir(parents=True, exist_ok=True)
        sweep(self.path)

    def names(self) -> list[str]:
        """Names of the files and folders, without temporary files."""
        try:
            return sorted(entry.name for entry in self.path.iterdir() if not is_temporary(entry))
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            if self.path.exists():
                raise
            return []  # a folder above it is a file

    def entries(self) -> Mapping[str, Entry]:
        """All files by name."""
        stats = {name: self.stat(name) for name in self.names()}
        return {name: entry for name, entry in stats.items() if entry is not None}

    def stat(self, name: str) -> Entry | None:
        """Size and version of a file: inode, modification time and size."""
        try:
            return _entry(self.path / name)
        except OSError:
            return None

    def read(self, name: str) -> bytes:
        """Content of a file."""
        return (self.path / name).read_bytes()

    def read_range(self, name: str, start: int, length: int, version: Version | None = None) -> bytes:
        """Some bytes of a file."""
        with (self.path / name).open("rb") as file:
            if version is not None and _version(os.fstat(file.fileno())) != version:
                raise OSError(errno.ESTALE, "it was replaced meanwhile")
            file.seek(start)
            return file.read(length)

    def put_if_absent(self, name: str, content: bytes) -> Version | None:
        """Write a file unless it exists."""
        with self.reserve(name) as reservation:
            return reservation.put_if_absent(content)

    def replace_if_same(self, name: str, content: bytes, version: Version) -> Version | None:
        """Replace a file if it still has this version."""
        with self.reserve(name) as reservation:
            return reservation.replace_if_same(content, version)

    def delete(self, name: str) -> None:
        """Delete a file."""
        (self.path / name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> str:
        """Keep a file under a second name; see `thresher.files.set_aside`."""
        return set_aside(self.path / name).name

    @contextmanager
    def reserve(self, name: str) -> "Iterator[_FolderReservation]":
        """Create the temporary file, whose name other processes see."""
        with reserve(self.path / name) as temporary:
            yield _FolderReservation(self, name, temporary)

    def reserved(self) -> frozenset[str]:
        """Names of the files that a process is probably writing."""
        return frozenset(targets_being_written(self.path))

    def temporary(self) -> Mapping[str, bool]:
        """Temporary files -> whether their process probably runs."""
        return {path.name: is_live(path) for path in sorted(self.path.glob("*")) if is_temporary(path)}

    def discard(self, name: str) -> None:
        """Delete a temporary file."""
        self.delete(name)


def _entry(path: Path) -> Entry:
    state = path.stat()
    return Entry(state.st_size, _version(state), state.st_mtime)


def _version(state: os.stat_result) -> Version:
    return state.st_ino, state.st_mtime_ns, state.st_size


class _FolderReservation:
    """A temporary file that becomes a file of the store."""

    def __init__(self, store: FolderStore, name: str, temporary: Path) -> None:
        self._store, self._name, self._temporary = store, name, temporary

    def put_if_absent(self, content: bytes) -> Version | None:
        """Link the file to its name, which fails if the name exists; a rename would replace it."""
        version = self._fill(content)
        path = self._store.path / self._name
        try:
            os.link(self._temporary, path)
        except FileExistsError:
            return None
        except OSError:  # a file system without links: two writers in the same moment are not noticed
            if path.exists():
                return None
            self._temporary.replace(path)
        return version

    def replace_if_same(self, content: bytes, version: Version) -> Version | None:
        """Rename the file to its name if that still has this version."""
        new = self._fill(content)
        path = self._store.path / self._name
        with _locked(path):
            entry = self._store.stat(self._name)
            if entry is None or entry.version != version:
                return None
            self._temporary.replace(path)
        return new

    def _fill(self, content: bytes) -> Version:
        """Write the temporary file; return its version, which it keeps under the final name."""
        fill(self._temporary, [content])
        return _entry(self._temporary).version


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which ends with the process, while its version is compared and it is replaced.

    Without locks (Windows, some network disks) two processes that replace one file within microseconds
    overwrite each other, as they would without this comparison.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        yield
        return
    try:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
