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

_HOST = re.sub(r"\W", "_", socket.gethostname()) or "host"
_OLD = 24 * 3600.0
"""Seconds after which a file of another machine, of which nobody here can ask whether it works, is left over."""
_SUFFIX = ".tmp"
_FIELDS = 5  # target, host, process, token, suffix

_writing: set[str] = set()
"""Names of the files that this process is writing."""


@contextmanager
def reserved(path: Path) -> Iterator[Path]:
    """An empty temporary file beside `path`, which others can see; it is gone at the end.

    Whoever wants to keep what was written renames it to `path` before.
    """
    name = f"{path.name}.{_HOST}.{os.getpid()}.{secrets.token_hex(4)}{_SUFFIX}"
    temporary = path.with_name(name)
    _writing.add(name)
    try:
        temporary.touch(exist_ok=False)
        yield temporary
    finally:
        with suppress(OSError):  # nothing is lost by a file that is swept away at the next start
            temporary.unlink(missing_ok=True)
        _writing.discard(name)


def is_reserved(path: Path) -> bool:
    """Whether anybody, as far as can be known, is writing `path` now."""
    return any(_is_live(each) for each in temporaries(path.parent) if each.name.startswith(f"{path.name}."))


def sweep(folder: Path) -> None:
    """Remove the temporary files that nobody is writing any more."""
    for temporary in temporaries(folder):
        if not _is_live(temporary):
            temporary.unlink(missing_ok=True)


def temporaries(folder: Path) -> list[Path]:
    """All temporary files of a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def flush(path: Path) -> None:
    """Wait until what was written to a file is on the disk."""
    with path.open("rb+") as sink:
        os.fsync(sink.fileno())


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
