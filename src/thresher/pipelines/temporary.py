"""Temporary files: written next to their target and renamed atomically, by any number of processes.

The name of a temporary file contains its machine and process, which distinguishes files left behind by a
killed process from those being written.
"""

import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from thresher.errors import RunDirectoryError

_HOST = re.sub(r"\W", "_", socket.gethostname()) or "host"
_OLD = 24 * 3600.0
"""Seconds after which a file of another machine, whose processes cannot be checked, counts as abandoned."""
_SUFFIX = ".tmp"
_FIELDS = 5  # target, host, process, token, suffix

_writing: set[str] = set()
"""Names of the files that this process is writing."""


@contextmanager
def reserve(path: Path) -> Iterator[Path]:
    """Create an empty temporary file next to `path`, visible to other processes; delete it at the end.

    The caller renames it to `path` to save its contents.

    Raises:
        RunDirectoryError: if the folder cannot be written.
    """
    name = f"{path.name}.{_HOST}.{os.getpid()}.{secrets.token_hex(4)}{_SUFFIX}"
    temporary = path.with_name(name)
    _writing.add(name)
    try:
        with explain_write_errors(path.parent):
            temporary.touch(exist_ok=False)
        yield temporary
    finally:
        with suppress(OSError):  # the next start of the run deletes it
            temporary.unlink(missing_ok=True)
        _writing.discard(name)


@contextmanager
def explain_write_errors(folder: Path) -> Iterator[None]:
    """Turn the system's errors in writing into a RunDirectoryError."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(f"{folder} cannot be written: {error.strerror or error}") from error


def being_written(folder: Path, name: str = "") -> list[Path]:
    """Temporary files that a process is probably writing.

    Args:
        folder: their folder.
        name: name of the target file; default: any.
    """
    return [file for file in _temporaries(folder) if file.name.startswith(name) and _is_live(file)]


def sweep(folder: Path) -> None:
    """Delete abandoned temporary files."""
    for temporary in _temporaries(folder):
        if not _is_live(temporary):
            temporary.unlink(missing_ok=True)


def is_temporary(path: Path) -> bool:
    """Whether a file is a temporary one, by its name."""
    return path.name.endswith(_SUFFIX)


def _temporaries(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_SUFFIX}"))


def _is_live(temporary: Path) -> bool:
    fields = temporary.name.rsplit(".", _FIELDS - 1)
    # On Windows os.kill would end the process.
    if len(fields) < _FIELDS or fields[1] != _HOST or os.name == "nt":
        return not _is_old(temporary)
    if fields[2] == str(os.getpid()):
        return temporary.name in _writing
    return _runs(fields[2])


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _OLD
    except FileNotFoundError:
        return True


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        pass  # a process of another user
    return True
