"""True and predicted label maps and where they differ, as small pictures with a palette."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.segmentation.entries import image_size, masks_by_label, read_pixels
from thresher.reports.html.pictures.small_maps import (
    IGNORED,
    NO_LABEL,
    SAME,
    WRONG,
    Bytes,
    MapPicture,
    attempted,
    nearest,
    palette,
    png,
)
from thresher.reports.html.pictures.thumbnails import Thumbnail

_DIFFERENCE = (SAME, WRONG, IGNORED)
_SAME, _WRONG, _IGNORED = range(3)


@dataclass(frozen=True, eq=False)
class LabelMapPicture(MapPicture):
    """Two label maps of an image, small, with a photograph of it.

    Attributes:
        truth: true labels as positions in the palette.
        predicted: predicted labels.
        ignored: pixels that do not count.
    """

    truth: Bytes
    predicted: Bytes
    ignored: npt.NDArray[np.bool_]

    @property
    def longest(self) -> int:
        """Pixels of the longer side of the largest picture."""
        return int(max(self.truth.shape))

    def maps(self, longest: int) -> dict[str, bytes]:
        """Return the PNG files of the maps; `errors` are wrong and ignored pixels."""
        difference = np.where(self.truth == self.predicted, _SAME, _WRONG)
        difference[self.ignored] = _IGNORED
        return {
            "truth": png(self.truth, palette(), longest),
            "predicted": png(self.predicted, palette(), longest),
            "errors": png(difference.astype(np.uint8), _DIFFERENCE, longest),
        }


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
        return LabelMapPicture(size[1], size[0], *attempted(photo), small[0], small[1], ignored)

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
