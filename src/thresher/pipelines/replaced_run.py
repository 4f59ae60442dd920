"""Replacing the run in a directory: the old one stays, hidden next to the new one, until that is complete."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import DamagedRunError, RunDirectoryError
from thresher.files.stores import FolderStore, Location, open_store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.continued_run import check_same
from thresher.pipelines.manifest import MANIFEST
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY, PARTS


def make_room(location: Location, manifest: Mapping[str, Any], *, named: bool) -> None:
    """Move the old run out of the way unless a run with this manifest can continue it.

    A run that can be continued stays. An unfinished replacement is deleted instead of the run it was to
    replace, which is the last complete one.

    Args:
        location: directory of the run.
        manifest: manifest of the new run.
        named: whether a run must have the manifest's name to be continued.

    Raises:
        RunDirectoryError: if the folder cannot be changed, a newer version wrote the run, another process
            is computing it, or it is in an object store, where nothing can be renamed.
    """
    store = open_store(location)
    if store.stat(MANIFEST) is None or _can_continue(location, manifest, named=named):
        return
    if not isinstance(store, FolderStore):
        raise RunDirectoryError(
            f"{location} holds another run, which cannot be replaced in an object store: delete it, or "
            f"{ANOTHER_DIRECTORY}"
        )
    folder = store.path
    if store.child(PARTS).reserved():
        raise RunDirectoryError(
            f"{folder} holds a run that another process is computing: stop that process, or "
            f"{ANOTHER_DIRECTORY}"
        )
    replaced = _hidden(folder)
    with explain_write_errors(folder, RunDirectoryError):
        if replaced.exists():
            shutil.rmtree(replaced if _is_complete(folder) else folder)
        if folder.exists():
            folder.rename(replaced)


def delete_replaced(location: Location) -> None:
    """Delete the old run after its replacement is complete.

    Raises:
        RunDirectoryError: if it cannot be deleted.
    """
    store = open_store(location)
    if not isinstance(store, FolderStore):
        return
    replaced = _hidden(store.path)
    if replaced.exists():
        with explain_write_errors(replaced, RunDirectoryError):
            shutil.rmtree(replaced)


def _hidden(folder: Path) -> Path:
    """The place of the old run: hidden, so that `runs/*` does not list it."""
    path = folder.absolute()
    return path.with_name(f".{path.name}.replaced")


def _can_continue(folder: Location, manifest: Mapping[str, Any], *, named: bool) -> bool:
    try:
        existing = RunDirectory.open(folder)
    except DamagedRunError:
        return False
    try:
        check_same(existing.location, existing.manifest, manifest, named=named)
    except RunDirectoryError:
        return False
    return True


def _is_complete(folder: Path) -> bool:
    try:
        return bool(RunDirectory.open(folder).manifest["complete"])
    except DamagedRunError:
        return False
