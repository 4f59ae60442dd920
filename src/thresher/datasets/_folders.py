"""Folders of one file per image, and those that were probably meant."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from thresher.datasets._opened import path_of, warn_of
from thresher.errors import InputError

_LEVELS = 2
_FOLDERS, _ENTRIES = 200, 1000
"""How much of a folder is searched; names in a message are worth no long search."""
_SHOWN = 3
_ABOUT = ("classes", "licence", "license", "readme")
"""Names of text files that tools and people put beside the files of images."""


def files_in(folder: str | Path, suffix: str) -> dict[str, Path]:
    """Files of a folder with that suffix: stem -> path, sorted. Warns of files in subfolders.

    Files about the folder, such as `classes.txt` and `README.txt`, are left out.

    Raises:
        InputError: if there is no such folder, or no such file in it.
    """
    place = path_of(folder)
    if not place.is_dir():
        raise InputError(f"{folder} is not a folder; give a folder of *{suffix} files")
    paths = (path for path in sorted(place.iterdir()) if path.suffix.lower() == suffix)
    files = {path.stem: path for path in paths if not is_about_folder(path)}
    deeper = _holding(place, [suffix])
    if not files:
        raise InputError(f"{folder} holds no *{suffix} file{_offer(deeper)}")
    if deeper:
        warn_of([f"*{suffix} files in subfolders of {folder} are not read: {', '.join(deeper)}"])
    return files


def is_about_folder(path: Path) -> bool:
    """Whether a file describes its folder instead of an image.

    >>> is_about_folder(Path("README.roboflow.txt")), is_about_folder(Path("000001.txt"))
    (True, False)
    """
    return path.suffix.lower() == ".txt" and path.name.casefold().partition(".")[0] in _ABOUT


def other_folders(place: Path, suffixes: Collection[str]) -> str:
    """The end of a message that `place` holds no file with one of the suffixes: folders that do.

    Searched are its subfolders, and in the layout `images/val`, `labels/val` the folder of labels.
    """
    parts = ["labels" if part == "images" else part for part in place.parts]
    deeper = _holding(place, suffixes)
    if not deeper and "images" in place.parts and _holds(Path(*parts), suffixes):
        deeper = [str(Path(*parts))]
    return _offer(deeper)


def _offer(folders: list[str]) -> str:
    return f"; give the folder that does: {', '.join(folders)}" if folders else ""


def _holding(place: Path, suffixes: Collection[str]) -> list[str]:
    """The first subfolders with such files."""
    found = (
        str(folder) for folder in islice(_subfolders(place, _LEVELS), _FOLDERS) if _holds(folder, suffixes)
    )
    return [*islice(found, _SHOWN)]


def _subfolders(place: Path, levels: int) -> Iterator[Path]:
    folders = sorted(path for path in place.iterdir() if path.is_dir() and not path.name.startswith("."))
    for folder in folders if levels else ():
        yield folder
        yield from _subfolders(folder, levels - 1)


def _holds(folder: Path, suffixes: Collection[str]) -> bool:
    if not folder.is_dir():
        return False
    return any(path.suffix.lower() in suffixes for path in islice(folder.iterdir(), _ENTRIES))
