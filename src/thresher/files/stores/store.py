"""The interface of stores: flat folders of whole files, shared by any number of writers."""

from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

Version = Hashable
"""Value that every replacement of a file changes."""


@dataclass(frozen=True)
class Entry:
    """A stored file.

    Attributes:
        size: bytes.
        version: changes whenever the file is replaced.
        modified: seconds since 1970, by the store's clock.
    """

    size: int
    version: Version
    modified: float


class Reservation(Protocol):
    """A file that this process announced to write."""

    def put_if_absent(self, content: bytes) -> Version | None:
        """Write the file unless it exists; return its version, or None if it was not written."""

    def replace_if_same(self, content: bytes, version: Version) -> Version | None:
        """Replace the file if it still has this version; return the new one, or None."""


class Store(Protocol):
    """A folder on a disk or in an object store.

    Names are those of files directly in it; `child` opens the folders. A file appears whole or not at all.
    Methods raise OSError if the system refuses; credentials occur in no message.

    Attributes:
        location: the path or URL, from which `open_store` opens it in any process.
    """

    @property
    def location(self) -> str:
        """The path or URL."""

    @property
    def is_remote(self) -> bool:
        """Whether reading some bytes of a file is much cheaper than reading it whole."""

    def place(self, name: str) -> str:
        """Path or URL of a file, for messages."""

    def child(self, name: str) -> "Store":
        """A folder in this one, which need not exist."""

    def file(self, name: str) -> "StoredFile":
        """A file, which need not exist."""

    def prepare(self) -> None:
        """Make the store ready for writing, and delete what interrupted writers left in it."""

    def names(self) -> list[str]:
        """Names of files and folders, sorted, without temporary ones; empty if the folder does not exist.

        An object store may list late; `stat` is right at once.

        Raises:
            NotADirectoryError: if the place is a file.
        """

    def entries(self) -> Mapping[str, Entry]:
        """All files by name, from one listing."""

    def stat(self, name: str) -> Entry | None:
        """Size and version of a file; None if there is none, or none that this process may see."""

    def read(self, name: str) -> bytes:
        """Content of a file.

        Raises:
            FileNotFoundError: if there is none.
        """

    def read_range(self, name: str, start: int, length: int, version: Version | None = None) -> bytes:
        """Some bytes of a file; fewer at its end.

        Raises:
            OSError: also if the file is known to have another version than `version`.
        """

    def put_if_absent(self, name: str, content: bytes) -> Version | None:
        """Write a file unless it exists; return its version, or None if it was not written.

        Of several writers in the same moment, exactly one succeeds.
        """

    def replace_if_same(self, name: str, content: bytes, version: Version) -> Version | None:
        """Replace a file if it still has this version; return the new one, or None if it was not replaced."""

    def delete(self, name: str) -> None:
        """Delete a file; nothing happens without one."""

    def set_aside(self, name: str) -> str:
        """Keep the content of a file under a free name as well, and return that name."""

    def reserve(self, name: str) -> AbstractContextManager[Reservation]:
        """Announce that this process will write a file, until the end of the block.

        It is advice for other processes, so that they do not compute the same; it locks nothing.
        """

    def reserved(self) -> frozenset[str]:
        """Names of the files that a process is probably going to write."""

    def temporary(self) -> Mapping[str, bool]:
        """Names of temporary files and announcements -> whether their process probably runs."""

    def discard(self, name: str) -> None:
        """Delete a temporary file by its name in `temporary`."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a store, which reads like a `Path`; as a text, its path or URL.

    Attributes:
        store: where it is.
        name: its name there.
    """

    store: Store
    name: str

    def __str__(self) -> str:
        return self.store.place(self.name)

    def stat(self) -> Entry | None:
        """Size and version; None if there is no such file."""
        return self.store.stat(self.name)

    def exists(self) -> bool:
        """Whether there is such a file."""
        return self.stat() is not None

    def read_bytes(self) -> bytes:
        """All bytes."""
        return self.store.read(self.name)

    def read_range(self, start: int, length: int, version: Version | None = None) -> bytes:
        """Some bytes of this version; fewer at the end of the file."""
        return self.store.read_range(self.name, start, length, version)
