"""Items in files; an index in a folder says where each one is."""

import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from thresher.counted import counted
from thresher.datasets.sources.indexed_file import IndexedFile, index_name
from thresher.datasets.sources.sealed import read_sealed, write_sealed
from thresher.files.building import move_folder, temporary_folder


@dataclass(frozen=True, kw_only=True)
class ItemIndex:
    """The facts of an index, next to which files with the places are.

    Attributes:
        folder: its folder.
        name: name of the data set.
        files: the files of the data.
        size: number of items.
        fingerprint: that of all items.
    """

    folder: Path
    name: str
    files: tuple[IndexedFile, ...]
    size: int = 0
    fingerprint: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        raise NotImplementedError

    def check_unchanged(self) -> None:
        """Raise InputError if a file changed since it was indexed."""
        for file in self.files:
            file.check_unchanged()

    def write(self) -> None:
        """Write the index to its folder, with digests of all of its files.

        Raises:
            InputError: if it cannot be written.
        """
        facts = {key: value for key, value in vars(self).items() if key != "folder"}
        write_sealed(self.folder, facts | {"files": [asdict(file) for file in self.files]})

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read an index; None if there is none, or it is damaged."""
        facts = read_sealed(folder)
        if facts is None:
            return None
        files = tuple(IndexedFile(**file) for file in facts.pop("files"))
        facts = {key: _with_tuples(value) for key, value in facts.items()}
        return cls(**facts, folder=folder, files=files)


def _with_tuples(value: Any) -> Any:
    """A list as tuple, for which JSON has no form."""
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


Index = TypeVar("Index", bound=ItemIndex)


class IndexedItems(Generic[Index]):
    """Items that are read by chunk.

    A copy made by pickling reads the same index; its folder must stay.

    Args:
        index: the index of the files.
        temporary: folder to delete when the source is no longer used.
    """

    def __init__(self, index: Index, *, temporary: Path | None = None) -> None:
        self._index = index
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._index,)

    def __len__(self) -> int:
        return self._index.size

    def __repr__(self) -> str:
        columns = ", ".join(self.columns)
        return f"{type(self).__name__}({self.name!r}, {counted(len(self), 'item')}, columns: {columns})"

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self._index.folder

    @property
    def name(self) -> str:
        """Name of the data in reports."""
        return self._index.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._index.columns

    @property
    def ids_given(self) -> bool:
        """False if the ids were derived from the questions or the row numbers."""
        return True

    @property
    def origin(self) -> Mapping[str, str]:
        """Column -> its name in the source, if that differs."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions made by the reader, one sentence each."""
        return ()

    @property
    def layouts(self) -> Mapping[str, Mapping[str, int]]:
        """Column of conversations -> layout -> number of conversations of the source."""
        return {}

    def fingerprint(self) -> str:
        """`Dataset.fingerprint` of all items, from the index."""
        return self._index.fingerprint

    def stored_in(self, folder: Path) -> Self:
        """The source with its index in a folder, where other processes and later runs use it.

        Raises:
            InputError: if the folder cannot be written.
            DiskFullError: if the disk is full.
        """
        target = folder / self.folder.name
        if target == self.folder:
            return self
        if type(self._index).read(target) is None:
            move_folder(self.folder, target)
        return type(self)(replace(self._index, folder=target))


def open_index(
    kind: type[Index],
    files: Sequence[Path],
    options: Mapping[str, Any],
    build: Callable[[Path, tuple[IndexedFile, ...]], Index],
    kept: Path | None,
) -> tuple[Index, Path | None]:
    """Read a kept index of files, or build one in a temporary folder; return that folder too.

    Args:
        kind: the class of the index.
        files: the files of the data.
        options: how they are read.
        build: makes and writes the index in a folder.
        kept: folder of indices, in which one may have been kept.

    Raises:
        InputError: as `build`.
    """
    indexed = tuple(map(IndexedFile.of, files))
    key = index_name(indexed, options)
    stored = None if kept is None else kind.read(kept / key)
    if stored is not None:
        return stored, None
    parent = temporary_folder()
    try:
        (parent / key).mkdir()
        return build(parent / key, indexed), parent
    except BaseException:
        shutil.rmtree(parent, ignore_errors=True)
        raise
