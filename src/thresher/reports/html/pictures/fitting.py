"""How many thumbnails of which size fit into a report."""

import base64
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field

from thresher.errors import InputError
from thresher.reports.html.pictures.thumbnails import LONGEST, Picture

STEPS = (
    (LONGEST, 75),
    (LONGEST, 60),
    (160, 75),
    (160, 60),
    (128, 75),
    (128, 60),
    (96, 75),
    (96, 60),
)
"""Pixels of the longer side and quality of JPEG, from the largest files to the smallest."""
_IN_FILE = 1.37
"""Bytes in the page per byte of a picture: base64, of which gzip recovers most, and base64 again."""
_HEADROOM = 0.97
_THREADS = 4


@dataclass(eq=False)
class Thumbnails:
    """The thumbnails of the images of a run, each read once.

    Attributes:
        read: position of an image -> its thumbnail; raises InputError where there is none.
        problems: position of an image -> why it has no picture, of those that were asked for.
    """

    read: Callable[[int], Picture]
    problems: dict[int, str] = field(default_factory=dict)
    _known: dict[int, Picture] = field(default_factory=dict)

    def of(self, rows: Sequence[int]) -> dict[int, Picture]:
        """Return the thumbnails of these images, without those that cannot be read."""
        new = [row for row in rows if row not in self._known and row not in self.problems]
        with warnings.catch_warnings(), ThreadPoolExecutor(_THREADS) as pool:
            warnings.simplefilter("ignore")  # Pillow's, of damaged metadata
            tasks = [pool.submit(copy_context().run, self._attempt, row) for row in new]  # limits of reading
            for row, task in zip(new, tasks, strict=True):
                if (thumbnail := task.result()) is not None:
                    self._known[row] = thumbnail
        return {row: self._known[row] for row in rows if row in self._known}

    def _attempt(self, row: int) -> Picture | None:
        try:
            picture = self.read(row)
        except InputError as error:
            self.problems[row] = str(error)
            return None
        if picture.problem:
            self.problems[row] = picture.problem
        return picture


@dataclass(frozen=True, eq=False)
class FittedPictures:
    """The pictures that fit.

    Attributes:
        rows: positions of the images to show, in their order.
        addresses: position of an image -> its pictures by name, as `data:` addresses.
        longest: pixels of the longer side of the largest one; 0 without pictures.
    """

    rows: list[int]
    addresses: dict[int, dict[str, str]]
    longest: int


def fitted(
    choose: Callable[[int], list[int]],
    size_without: Callable[[Sequence[int], Mapping[int, Picture]], int],
    thumbnails: Thumbnails,
    *,
    most: int,
    room: int,
) -> FittedPictures:
    """Return the pictures that fit: smaller ones first, then fewer.

    Args:
        choose: number of images -> the images to show.
        size_without: the bytes that images take without their pictures.
        thumbnails: the pictures.
        most: how many images to show at most.
        room: bytes in the page.
    """
    while most:
        rows = choose(most)
        pictures = thumbnails.of(rows)
        others = size_without(rows, pictures)
        sizes = []
        for longest, quality in STEPS:
            files = {row: picture.files(longest, quality) for row, picture in pictures.items()}
            contents = [content for every in files.values() for _, content in every.values()]
            sizes.append(others + int(_IN_FILE * sum(map(len, contents))))
            if sizes[-1] <= room:
                widest = max((picture.longest for picture in pictures.values()), default=0)
                addresses = {row: _addresses(every) for row, every in files.items()}
                return FittedPictures(rows, addresses, min(longest, widest))
        most = int(min(most, len(rows)) * room / sizes[-1] * _HEADROOM)
    return FittedPictures([], {}, 0)


def _addresses(files: Mapping[str, tuple[str, bytes]]) -> dict[str, str]:
    return {
        name: f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        for name, (kind, content) in files.items()
    }
