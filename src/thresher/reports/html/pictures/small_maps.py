"""Small pictures of maps of labels and segments, with a palette and a photograph."""

import colorsys
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.reports.html.pictures.thumbnails import Thumbnail

Bytes = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
NO_LABEL, LABELS = 0, 254
"""Position of pixels without a label in the palette; more labels than `LABELS` share colours."""
SAME, WRONG, IGNORED = (226, 229, 233), (205, 32, 32), (128, 128, 128)
"""Colours of right, wrong and ignored pixels."""
_GOLDEN = 0.381966
"""Share of the colour circle between neighbouring labels, which keeps any number of them apart."""
_NOT_RED = 0.06
"""Part of the circle of hues on either side of red, which marks wrong pixels and colours no label."""


@dataclass(frozen=True, eq=False)
class MapPicture(ABC):
    """The maps of an image, small, with a photograph of it.

    Attributes:
        width: pixels of the maps.
        height: pixels of the maps.
        photo: the photograph; None without one.
        problem: why a photograph is missing; empty with one.
    """

    width: int
    height: int
    photo: Thumbnail | None
    problem: str

    @property
    @abstractmethod
    def longest(self) -> int:
        """Pixels of the longer side of the largest picture."""

    @abstractmethod
    def maps(self, longest: int) -> dict[str, bytes]:
        """Return the PNG files of the maps `truth`, `predicted` and `errors`."""

    def files(self, longest: int, quality: int) -> dict[str, tuple[str, bytes]]:
        """Return the photograph and the maps: name -> type and content of a file."""
        photo = {} if self.photo is None else self.photo.files(longest, quality)
        return photo | {name: ("image/png", content) for name, content in self.maps(longest).items()}


def palette() -> list[Colour]:
    """Return the colours of pixels without a label and of the labels, by their position."""
    colours = [(0, 0, 0)]
    for label in range(LABELS):
        lightness = (0.55, 0.38, 0.7)[label % 3]
        hue = _NOT_RED + (1 - 2 * _NOT_RED) * (label * _GOLDEN % 1)
        shares = colorsys.hls_to_rgb(hue, lightness, 0.75)
        colours.append((round(shares[0] * 255), round(shares[1] * 255), round(shares[2] * 255)))
    return colours


def colour(code: int) -> str:
    """Return the colour of a position in the palette, as in style sheets.

    >>> colour(NO_LABEL)
    '#000000'
    """
    return css(palette()[code])


def css(colour: Colour) -> str:
    """Return a colour as in style sheets."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def attempted(photo: Callable[[], Thumbnail]) -> tuple[Thumbnail | None, str]:
    """The photograph of an image with maps, which are shown without one too, and why there is none."""
    try:
        return photo(), ""
    except InputError as error:
        return None, str(error)


def nearest(array: npt.NDArray[Any], longest: int) -> npt.NDArray[Any]:
    """The map with a longer side of at most so many pixels, by its nearest pixels."""
    scale = max(1.0, max(array.shape) / longest)
    places = [
        np.minimum(((np.arange(max(1, round(side / scale))) + 0.5) * scale).astype(int), side - 1)
        for side in array.shape
    ]
    return array[np.ix_(*places)]


def png(array: Bytes, colours: Sequence[Colour], longest: int) -> bytes:
    """A PNG file with only the colours that occur."""
    small = nearest(array, longest)
    values, inverse = np.unique(small, return_inverse=True)
    rows = inverse.reshape(small.shape).astype(np.uint8)
    image = import_module("PIL.Image").fromarray(rows)
    image.putpalette([part for value in values.tolist() for part in colours[value]])
    sink = io.BytesIO()
    image.save(sink, "PNG", optimize=True, bits=max(1, (len(values) - 1).bit_length()))
    return sink.getvalue()
