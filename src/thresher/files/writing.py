"""The only place of the package that writes files: each is written whole, or the old one stays.

The content goes to a temporary file in the same folder, is flushed to the disk and renamed. So a kill, a
full disk or two writers at once leave the old file or a new one, never a mixture. A test checks that no other
module of the package writes files.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from thresher.errors import DiskFullError, InputError, ThresherError
from thresher.files.temporary import reserve, sweep
from thresher.known_secrets import without_secrets

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
"""A full disk, a limit on the size of a file, a used up quota."""


def replace_file(path: str | Path, content: str | bytes | Iterable[str]) -> None:
    """Write a file whole: afterwards it has the new content, or after an error the old one.

    A symbolic link stays, and its target is replaced. A file that is not a regular one, such as a pipe or
    `/dev/stdout`, is written directly.

    Args:
        path: the file.
        content: bytes, or a text or its pieces, which are encoded as UTF-8 without known secrets.

    Raises:
        InputError: if the file cannot be written.
        DiskFullError: if the disk is full.
    """
    target = Path(os.path.realpath(path))
    pieces = [content] if isinstance(content, str | bytes) else content
    whole = (each if isinstance(each, bytes) else without_secrets(each).encode() for each in pieces)
    with explain_write_errors(path, InputError):
        if target.exists() and not target.is_file():
            with target.open("wb") as sink:
                sink.writelines(whole)
            return
        sweep(target.parent, target.name)
        with reserve(target) as temporary:
            with suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode)
            fill(temporary, whole)
            temporary.replace(target)


def fill(temporary: Path, content: Iterable[bytes]) -> None:
    """Write a temporary file and flush it: some file systems notice only then that the disk is full."""
    with temporary.open("wb") as sink:
        sink.writelines(content)
        sink.flush()
        os.fsync(sink.fileno())


def append_text(path: str | Path, text: str) -> None:
    """Append to a file that another program made for this purpose.

    Raises:
        InputError: if the file cannot be written.
        DiskFullError: if the disk is full.
    """
    with explain_write_errors(path, InputError), Path(path).open("a", encoding="utf-8") as file:
        file.write(without_secrets(text))


def discarding_stream() -> TextIO:
    """A stream that writes nowhere."""
    return Path(os.devnull).open("w", encoding="utf-8")


@contextmanager
def explain_write_errors(path: str | Path, error_class: type[ThresherError]) -> Iterator[None]:
    """Raise the system's errors in writing as errors of Thresher, in one line.

    Args:
        path: what is written, for the message.
        error_class: class of the error, except for a full disk, which raises DiskFullError.
    """
    try:
        yield
    except OSError as error:
        raised = DiskFullError if is_full(error) else error_class
        raise raised(f"{path} cannot be written: {error.strerror or error}") from error


def is_full(error: OSError) -> bool:
    """Whether a write failed because the disk or a quota is full."""
    return error.errno in _NO_ROOM
