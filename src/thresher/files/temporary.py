"""Temporary files: written next to their target and renamed atomically, by any number of processes.

The name of a temporary file or folder contains its machine and process, which distinguishes those left behind
by a killed process from those in use.
"""

import os
import re
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HOST = re.sub(r"\W", "_", socket.gethostname()) or "host"
_OLD = 24 * 3600.0
"""Seconds after which a file of another machine, whose processes cannot be checked, counts as abandoned."""
_SUFFIX = ".tmp"
_NAME = re.compile(r"(?P<target>.+)\.(?P<host>\w+)\.(?P<process>[0-9]+)\.[0-9a-f]+\.tmp", re.DOTALL)

_LONGEST = 150
"""Bytes of the target's name that a temporary file repeats; most file systems allow names of 255 bytes."""

_FOLDER = re.compile(r"thresher-(?P<host>\w+)\.(?P<process>[0-9]+)\..+", re.DOTALL)
_SHORT_HOST = _HOST[:30]
"""Part of a folder's name: the path of a socket in it may have about 100 characters."""

_writing: set[str] = set()
"""Names of the files that this process is writing."""
_folders: set[Path] = set()
"""Temporary folders that this process has made."""


@contextmanager
def reserve(path: Path) -> Iterator[Path]:
    """Create an empty temporary file next to `path`, visible to other processes; delete it at the end.

    The caller renames it to `path` to save its contents.
    """
    name = f"{_start(path.name)}.{_HOST}.{os.getpid()}.{secrets.token_hex(4)}{_SUFFIX}"
    temporary = path.with_name(name)
    _writing.add(name)
    try:
        temporary.touch(exist_ok=False)
        yield temporary
    finally:
        with suppress(OSError):  # the next start of the run deletes it
            temporary.unlink(missing_ok=True)
        _writing.discard(name)


def new_folder() -> Path:
    """Make a folder in the system's folder of temporary files, and delete those of processes that have ended.

    The caller deletes it.

    Raises:
        OSError: if it cannot be made.
    """
    parent = Path(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix=f"thresher-{_SHORT_HOST}.{os.getpid()}.", dir=parent))
    _folders.add(folder)
    for other in parent.glob("thresher-*"):
        if _is_abandoned(other):
            shutil.rmtree(other, ignore_errors=True)  # another process may delete it too
    return folder


def _is_abandoned(folder: Path) -> bool:
    """Whether the process of a temporary folder, on this machine and of this user, has ended."""
    fields = _FOLDER.fullmatch(folder.name)
    if fields is None or fields["host"] != _SHORT_HOST or os.name == "nt":
        return False
    if fields["process"] == str(os.getpid()):  # an earlier process had this number, as 1 in each container
        return folder not in _folders
    try:
        return not _runs(int(fields["process"])) and folder.lstat().st_uid == os.getuid()
    except FileNotFoundError:
        return False


def being_written(folder: Path, name: str = "") -> list[Path]:
    """Temporary files that a process is probably writing.

    Args:
        folder: their folder.
        name: name of the target file; default: any.
    """
    return [file for file in _temporaries(folder, name) if is_live(file)]


def targets_being_written(folder: Path) -> set[str]:
    """Names of the files that a process is probably writing; a long name is cut."""
    fields = (_NAME.fullmatch(file.name) for file in being_written(folder))
    return {known["target"] for known in fields if known}


def sweep(folder: Path, name: str = "") -> None:
    """Delete temporary files of processes that have ended.

    Args:
        folder: their folder.
        name: name of the target file; default: any.
    """
    for temporary in _temporaries(folder, name):
        if not is_live(temporary):
            temporary.unlink(missing_ok=True)


def is_temporary(path: Path) -> bool:
    """Whether a file is a temporary one, by its name."""
    return path.name.endswith(_SUFFIX)


def _temporaries(folder: Path, name: str) -> list[Path]:
    files = ((file, _NAME.fullmatch(file.name)) for file in folder.glob(f"*{_SUFFIX}"))
    return sorted(file for file, fields in files if fields and (not name or fields["target"] == _start(name)))


def _start(name: str) -> str:
    return os.fsencode(name)[:_LONGEST].decode(errors="ignore")


def is_live(temporary: Path) -> bool:
    """Whether the process that writes a temporary file is probably running."""
    fields = _NAME.fullmatch(temporary.name)
    # On Windows os.kill would end the process.
    if fields is None or fields["host"] != _HOST or os.name == "nt":
        return not _is_old(temporary)
    if fields["process"] == str(os.getpid()):
        return temporary.name in _writing
    return _runs(int(fields["process"]))


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _OLD
    except FileNotFoundError:
        return True


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # a process of another user
    return True
