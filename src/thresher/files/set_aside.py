"""Damaged files are kept under another name when they are replaced, so that nothing is lost."""

import os
from itertools import count
from pathlib import Path

_SUFFIX = ".damaged-"


def set_aside(path: Path) -> Path:
    """Link a file to a new name next to it; the file itself stays until it is replaced.

    Without this order, a kill between two renames would leave no file, and another process could move a
    repaired one away.

    Returns:
        The new name: the file's name with `.damaged-1`, or the next free number.
    """
    names = (path.with_name(f"{path.name}{_SUFFIX}{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    try:
        os.link(path, aside)
    except FileExistsError:  # another process was faster
        return set_aside(path)
    except OSError:  # a file system without links
        path.rename(aside)
    return aside


def is_set_aside(name: str) -> bool:
    """Whether a file was damaged and has been replaced, by its name."""
    start, _, number = name.rpartition(_SUFFIX)
    return bool(start) and number.isdecimal()
