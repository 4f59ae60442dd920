"""True and predicted label maps and where they differ, as small pictures with a palette."""

import colorsys
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.segmentation.entries import image_size, masks_by_label, read_pixels
from thresher.reports.html.pictures.thumbnails import Thumbnail

Bytes = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
NO_LABEL, LABELS = 0, 254
"""Position of pixels without a label in the palette; more labels than `LABELS` share colours."""
SAME, WRONG, IGNORED = (226, 229, 233), (205, 32, 32), (128, 128, 128)
"""Colours of right, wrong and ignored pixels."""
_DIFFERENCE = (SAME, WRONG, IGNORED)
_SAME, _WRONG, _IGNORED = range(3)
_GOLDEN = 0.381966
"""Share of the colour circle between neighbouring labels, which keeps any number of them apart."""
_NOT_RED = 0.06
"""Part of the circle of hues on either side of red, which marks wrong pixels and is no label's colour."""


@dataclass(frozen=True, eq=False)
class LabelMapPicture:
    """Two label maps of an image, small, with a photograph of it.

    Attributes:
        truth: true labels as positions in the palette.
        predicted: predicted labels.
        ignored: pixels that do not count.
        width: pixels of the maps.
        height: pixels of the maps.
        photo: the photograph; None without one.
        problem: why there is no photograph; empty with one.
    """

    truth: Bytes
    predicted: Bytes
    ignored: npt.NDArray[np.bool_]
    width: int
    height: int
    photo: Thumbnail | None
    problem: str = ""

    @property
    def longest(self) -> int:
        """Pixels of the longer side of the largest picture."""
        return int(max(self.truth.shape))

    def files(self, longest: int, quality: int) -> dict[str, tuple[str, bytes]]:
        """Return the photograph and the maps: name -> type and content of a file."""
        difference = np.where(self.truth == self.predicted, _SAME, _WRONG)
        difference[self.ignored] = _IGNORED
        maps = {
            "truth": png(self.truth, palette(), longest),
            "predicted": png(self.predicted, palette(), longest),
            "errors": png(difference.astype(np.uint8), _DIFFERENCE, longest),
        }
        photo = {} if self.photo is None else self.photo.files(longest, quality)
        return photo | {name: ("image/png", content) for name, content in maps.items()}


@dataclass(frozen=True)
class MapReading:
    """How label maps are read.

    Attributes:
        codes: label -> its position in the palette.
        names: value of a label map -> its label; other values are labels themselves.
        ignore: the true value of pixels that do not count; None for none.
        folder: the folder of relative paths; None for that of the process.
    """

    codes: Mapping[str, int]
    names: Mapping[str, str]
    ignore: int | None
    folder: Path | None = None

    def picture(
        self, truth: Any, predicted: Any, photo: Callable[[], Thumbnail], longest: int
    ) -> LabelMapPicture:
        """Read the label maps of an image.

        Args:
            truth: a label map, the path of a PNG file with one, or masks by label.
            predicted: the same of the predicted labels.
            photo: reads the photograph.
            longest: pixels of the longer side of the maps at most.

        Raises:
            InputError: if a map cannot be read, or their sizes differ.
        """
        sides = [read_pixels(present(entry, self.folder)) for entry in (truth, predicted)]
        if all(isinstance(side, tuple) for side in sides):
            size = image_size([side[1] for side in sides], [shape for side in sides for shape in side[0]])
            painted = (self._painted(masks_by_label(side[0], size), size) for side in sides)
            small = [nearest(side, longest) for side in painted]
            ignored = np.zeros(small[0].shape, bool)
        else:
            values = [np.asarray(side) for side in sides]
            size = _common_size(*values)
            small = [self._coded(nearest(side, longest)) for side in values]
            ignored = nearest(values[0], longest) == (np.nan if self.ignore is None else self.ignore)
        return LabelMapPicture(small[0], small[1], ignored, size[1], size[0], *attempted(photo))

    def _coded(self, array: npt.NDArray[Any]) -> Bytes:
        values, inverse = np.unique(array, return_inverse=True)
        labels = [self.names.get(str(value), str(value)) for value in values.tolist()]
        codes = np.array([self.codes.get(label, NO_LABEL) for label in labels], np.uint8)
        coded: Bytes = codes[inverse.reshape(array.shape)]
        return coded

    def _painted(self, masks: Mapping[Any, Any], size: Sequence[int]) -> Bytes:
        canvas = np.zeros((size[0], size[1]), np.uint8)
        for label, raster in masks.items():
            canvas[raster.to_array().astype(bool)] = self.codes.get(str(label), NO_LABEL)
        return canvas


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


def present(entry: Any, folder: Path | None = None) -> Any:
    """The entry; a path must be that of a file, which may have been moved since the run.

    Args:
        entry: an entry of a column of maps.
        folder: where a run started that is drawn from another folder; None for that of the process.

    Raises:
        InputError: for a path without a file.
    """
    if not isinstance(entry, str | Path):
        return entry
    places = [Path(entry)] if folder is None else [Path(entry), folder / entry]
    for place in places:
        if place.suffix.lower() == ".png" and place.is_file():
            return place
    remedy = "" if Path(entry).is_absolute() else "; start from the folder in which the run was started"
    raise InputError(f"the label map {Path(entry).name!r} is not where the run found it{remedy}")


def _common_size(truth: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> tuple[int, int]:
    if truth.ndim != 2 or truth.shape != predicted.shape:  # noqa: PLR2004 (height and width)
        raise InputError(f"the maps have the sizes {truth.shape} and {predicted.shape}")
    return truth.shape[0], truth.shape[1]
