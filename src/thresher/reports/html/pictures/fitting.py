"""How many thumbnails of which size fit into a report."""

import base64
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property

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
_SMALLEST = 128
"""Thumbnails leave room to large pictures unless that makes them smaller than this."""
_LARGE_QUALITY = 75
_BATCH = 16
"""Large pictures that are decoded at a time."""
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
        longest: pixels of the longer side of the largest thumbnail; 0 without pictures.
        size: bytes in the page.
        enlarged: how many of the first images have a large picture, or as many pixels as their file.
        largest: pixels of the longer side of the largest picture that was enlarged; 0 without one.
    """

    rows: list[int]
    addresses: dict[int, dict[str, str]]
    longest: int
    size: int = 0
    enlarged: int = 0
    largest: int = 0


def fitted(
    choose: Callable[[int], list[int]],
    size_without: Callable[[Sequence[int], Mapping[int, Picture]], int],
    thumbnails: Thumbnails,
    *,
    most: int,
    room: int,
    share: float,
) -> FittedPictures:
    """Return the thumbnails that fit: smaller ones first, then fewer.

    Args:
        choose: number of images -> the images to show.
        size_without: the bytes that images take without their pictures.
        thumbnails: the pictures.
        most: how many images to show at most.
        room: bytes in the page.
        share: of the room that thumbnails take, unless only small ones would fit into it.
    """
    while most:
        rows = choose(most)
        pictures = thumbnails.of(rows)
        others = size_without(rows, pictures)
        steps = [_Step(longest, quality, pictures, others) for longest, quality in STEPS]
        within = next(
            (step for step in steps if step.longest >= _SMALLEST and step.size <= room * share), None
        )
        within = within or next((step for step in steps if step.size <= room), None)
        if within is not None:
            widest = max((picture.longest for picture in pictures.values()), default=0)
            addresses = {row: _addresses(files) for row, files in within.files.items()}
            return FittedPictures(rows, addresses, min(within.longest, widest), within.size)
        most = int(min(most, len(rows)) * room / steps[-1].size * _HEADROOM)
    return FittedPictures([], {}, 0)


def enlarged(
    thumbnails: FittedPictures, read: Callable[[int], Picture], *, longest: int, room: int
) -> FittedPictures:
    """Return the pictures with those of the first images enlarged, as many as fit.

    Args:
        thumbnails: the small pictures.
        read: reads the same picture with more pixels.
        longest: pixels of the longer side of a large picture.
        room: bytes in the page.
    """
    addresses, size = dict(thumbnails.addresses), thumbnails.size
    large: dict[int, Picture] = {}
    largest = 0
    for place, row in enumerate(thumbnails.rows):
        if place % _BATCH == 0:
            large = Thumbnails(read).of(thumbnails.rows[place : place + _BATCH])
        picture = large.get(row)
        if picture is None or row not in addresses or picture.longest <= thumbnails.longest:
            continue
        files = picture.files(longest, _LARGE_QUALITY)
        size += _bytes(files) - sum(map(len, addresses[row].values()))
        if size > room:
            return replace(thumbnails, addresses=addresses, enlarged=place, largest=largest)
        addresses[row], largest = _addresses(files), max(largest, picture.longest)
    return replace(thumbnails, addresses=addresses, enlarged=len(thumbnails.rows), largest=largest)


@dataclass(frozen=True, eq=False)
class _Step:
    """All thumbnails with one size and quality."""

    longest: int
    quality: int
    pictures: Mapping[int, Picture]
    others: int

    @cached_property
    def files(self) -> dict[int, dict[str, tuple[str, bytes]]]:
        """Position of an image -> its files."""
        return {row: picture.files(self.longest, self.quality) for row, picture in self.pictures.items()}

    @cached_property
    def size(self) -> int:
        """Bytes in the page, with what else is known of the images."""
        return self.others + sum(map(_bytes, self.files.values()))


def _bytes(files: Mapping[str, tuple[str, bytes]]) -> int:
    return int(_IN_FILE * sum(len(content) for _, content in files.values()))


def _addresses(files: Mapping[str, tuple[str, bytes]]) -> dict[str, str]:
    return {
        name: f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        for name, (kind, content) in files.items()
    }
