"""Prepare the folder of a run that starts."""

from pathlib import Path

from thresher.errors import RunDirectoryError
from thresher.files.stores import Store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.manifest import MANIFEST

ANOTHER_DIRECTORY = "choose another directory with --out, or in `thresher run` another name with --name"
PARTS = "parts"
"""Name of the folder of the committed chunks."""
INDEX = "source"
"""Name of the folder of the index of the data, if they are files that are read by chunk."""
ANSWERS = "answers"
"""Name of the folder of the answers of a query pipeline, if one gave them."""


def prepare_folder(store: Store) -> None:
    """Create the folders of a run, and delete what interrupted processes left there.

    Raises:
        RunDirectoryError: if the folder exists and is not a run directory, or cannot be written.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(store.location, RunDirectoryError):
        # In this order: another process may start this very run between the two checks.
        if not _is_unused(store) and store.stat(MANIFEST) is None:
            raise RunDirectoryError(
                f"{store.location} exists and is not a run directory: {ANOTHER_DIRECTORY}"
            )
        parts = store.child(PARTS)
        if not _is_folder(parts):
            raise RunDirectoryError(
                f"{parts.location} is a file, not the folder of a run's parts: delete it and run again"
            )
        store.prepare()
        parts.prepare()


def delete_unused(folder: Path) -> bool:
    """Delete a run directory that holds neither answers nor scores; return whether it is deleted.

    A directory with files of another process stays: only empty folders can be removed.
    """
    try:
        for inner in (PARTS, ANSWERS):
            if (folder / inner).exists():
                (folder / inner).rmdir()
        if [path.name for path in folder.iterdir()] != [MANIFEST]:
            return False
        (folder / MANIFEST).unlink()
        folder.rmdir()
    except OSError:  # a folder that is not empty, or that cannot be deleted
        return False
    return True


def _is_unused(store: Store) -> bool:
    """Whether a place is empty except for files of a start that was interrupted."""
    return _is_folder(store) and set(store.names()) <= {PARTS} and not _names(store.child(PARTS))


def _names(store: Store) -> list[str]:
    """The names in a folder; its own name if it is a file."""
    return store.names() if _is_folder(store) else [store.location]


def _is_folder(store: Store) -> bool:
    """Whether a place is a folder, or does not exist."""
    try:
        store.names()
    except NotADirectoryError:
        return False
    return True
