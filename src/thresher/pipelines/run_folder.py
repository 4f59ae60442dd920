"""Prepare the folder of a run that starts."""

from pathlib import Path

from thresher.errors import RunDirectoryError
from thresher.files.temporary import is_temporary, sweep
from thresher.files.writing import explain_write_errors
from thresher.pipelines.manifest import MANIFEST

ANOTHER_DIRECTORY = (
    "choose another directory with --out, or with --name for one in runs/ (`thresher run` only)"
)
PARTS = "parts"
"""Name of the folder of the committed chunks."""
INDEX = "source"
"""Name of the folder of the index of the data, if they are files that are read by chunk."""
ANSWERS = "answers"
"""Name of the folder of the answers of a query pipeline, if one gave them."""


def prepare_folder(folder: Path) -> None:
    """Create the folders of a run, and delete what interrupted processes left there.

    Raises:
        RunDirectoryError: if the folder exists and is not a run directory, or cannot be written.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(folder, RunDirectoryError):
        # In this order: another process may start this very run between the two checks.
        if folder.exists() and not _is_unused(folder) and not (folder / MANIFEST).exists():
            raise RunDirectoryError(f"{folder} exists and is not a run directory: {ANOTHER_DIRECTORY}")
        parts = folder / PARTS
        if parts.exists() and not parts.is_dir():
            raise RunDirectoryError(
                f"{parts} is a file, not the folder of a run's parts: delete it and run again"
            )
        parts.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        sweep(parts)


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


def _is_unused(folder: Path) -> bool:
    """Whether a folder is empty except for files of a start that was interrupted."""
    if not folder.is_dir():
        return False
    parts = folder / PARTS
    others = [entry for entry in folder.iterdir() if entry != parts and not is_temporary(entry)]
    return not others and (not parts.exists() or (parts.is_dir() and all(map(is_temporary, parts.iterdir()))))
