"""Temporary files: written beside their place and renamed in one step, by however many processes.

The name of a temporary file says which process on which machine writes it, so what a killed process
left behind can be told from what another one is writing now.
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
"""Seconds after which a file of another machine, whose processes cannot be asked, counts as left over."""
_SUFFIX = ".tmp"
_FIELDS = 5  # target, host, process, token, suffix

_writing: set[str] = set()
"""Names of the files that this process is writing."""


@contextmanager
def reserved(path: Path) -> Iterator[Path]:
    """An empty temporary file beside `path`, which others can see; it is gone at the end.

    Whoever wants to keep what was written renames it to `path` before.

    Raises:
        RunDirectoryError: if the folder cannot be written.
    """
    name = f"{path.name}.{_HOST}.{os.getpid()}.{secrets.token_hex(4)}{_SUFFIX}"
    temporary = path.with_name(name)
    _writing.add(name)
    try:
        with unwritable_is_told(path.parent):
            temporary.touch(exist_ok=False)
        yield temporary
    finally:
        with suppress(OSError):  # nothing is lost by a file that is swept away at the next start
            temporary.unlink(missing_ok=True)
        _writing.discard(name)


@contextmanager
def unwritable_is_told(folder: Path) -> Iterator[None]:
    """Turn the system's errors in writing into one clear line."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(f"{folder} cannot be written: {error.strerror or error}") from error


def being_written(folder: Path, name: str = "") -> list[Path]:
    """Temporary files that somebody, as far as can be known, is writing now.

    Args:
        folder: where they are.
        name: of the file that they will become; any without.
    """
    return [each for each in _temporaries(folder) if each.name.startswith(name) and _is_live(each)]


def sweep(folder: Path) -> None:
    """Remove the temporary files that nobody is writing any more."""
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
    if len(fields) < _FIELDS or fields[1] != _HOST or os.name == "nt":  # there, asking would end a process
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
        pass  # somebody else's process
    return True
