"""The pictures of a folder, found by the names that data give to images."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from thresher.errors import InputError

SUFFIXES = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".jp2", ".png", ".tif", ".tiff", ".webp")
"""Suffixes of pictures that are found by a name without suffix."""


class PictureFolder:
    """A folder of pictures. Files outside it are never read, whatever names and links say.

    Args:
        path: the folder.

    Raises:
        InputError: if it is not a folder.
    """

    def __init__(self, path: str | Path) -> None:
        if not str(path).strip():
            raise InputError("the folder of images is empty; give the folder with the pictures")
        self.path = Path(path).expanduser()
        if not self.path.is_dir():
            problem = "is a file" if self.path.exists() else "does not exist"
            raise InputError(
                f"the folder of images {str(path)!r} {problem}; give the folder with the pictures"
            )
        self._root = self.path.resolve()

    def find(self, names: Sequence[str]) -> Path:
        """Return the picture with one of these names: a path within the folder, a file name, or its stem.

        Args:
            names: names of the image in the data, the most specific first.

        Raises:
            InputError: if there is none, or it is outside the folder or not a file; says which name.
        """
        outside = None
        for path in (path for name in names for path in self._candidates(name)):
            try:
                if path.is_file() and path.resolve().is_relative_to(self._root):
                    return path.resolve()
                outside = outside or (path.name if path.is_file() else None)
            except (OSError, ValueError):  # a name that is too long, or has a null character
                continue
        if outside is not None:
            raise InputError(f"{outside!r} is outside the folder; copy it there")
        raise InputError(f"no picture {names[0]!r} in the folder" if names else "the data name no picture")

    def _candidates(self, name: str) -> list[Path]:
        """Files that a name may mean: a path within the folder, the last part of a path, a name or a stem."""
        path = Path(name)
        stems = (self._by_stem.get(part) for part in (path.name, path.stem))
        return [self.path / path, self.path / path.name, *(file for file in stems if file is not None)]

    @cached_property
    def _by_stem(self) -> dict[str, Path]:
        files = (path for path in sorted(self.path.iterdir()) if path.suffix.lower() in SUFFIXES)
        return {path.stem: path for path in files}
