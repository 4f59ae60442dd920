"""Indices in the folder of a run that the run does not use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thresher.datasets.sources.stage import StagedFrom, read_sealed
from thresher.files.stores import FolderStore


def indices_of_other_data(folder: FolderStore, fingerprint: str) -> list[Path]:
    """Indices of data that are not those of the run, whatever process may be computing it.

    Args:
        folder: the folder of the indices; it may not exist.
        fingerprint: that of the run's data.
    """
    return [path for path, index in indices_in(folder) if index and index.get("fingerprint") != fingerprint]


def unused_indices(folder: FolderStore, fingerprint: str) -> list[Path]:
    """The same, damaged indices, and those of files that changed since or are not on this machine.

    Processes on other machines may use the latter while they compute the run.
    """
    return [
        path
        for path, index in indices_in(folder)
        if index is None or index.get("fingerprint") != fingerprint or not _is_current(index)
    ]


def _files(index: dict[str, Any]) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = index["files"]
    return files


def indices_in(folder: FolderStore) -> Iterator[tuple[Path, dict[str, Any] | None]]:
    """Each index with its facts; None if it is damaged."""
    for name in folder.names():
        yield folder.path / name, read_sealed(folder.child(name))


def _is_current(index: dict[str, Any]) -> bool:
    return all(StagedFrom(**file).is_current() for file in _files(index))
