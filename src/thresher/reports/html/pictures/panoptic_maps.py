"""True and predicted segments of an image and what became of them, as small pictures with a palette."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.segmentation.panoptic_entries import Entry, read_pair
from thresher.kernels.segmentation.panoptic_map import PanopticMap
from thresher.kernels.segmentation.segment_matching import SegmentMatches, match_segments
from thresher.reports.html.pictures.label_maps import present
from thresher.reports.html.pictures.small_maps import (
    IGNORED,
    NO_LABEL,
    SAME,
    WRONG,
    Bytes,
    Colour,
    MapPicture,
    attempted,
    nearest,
    palette,
    png,
)
from thresher.reports.html.pictures.thumbnails import Thumbnail
from thresher.results import Label

Ints = npt.NDArray[np.int64]
_MATCHED, _OUTLINE, _MISSED, _FALSE, _BOTH, _UNCOUNTED = range(6)
DIFFERENCES: tuple[tuple[Colour, str], ...] = (
    (SAME, "matched"),
    ((58, 123, 213), "matched, but another outline"),
    ((250, 205, 30), "missed"),
    (WRONG, "false positive"),
    ((190, 50, 190), "missed and false positive, such as a wrong label"),
    (IGNORED, "does not count"),
)
"""Colours of pixels by what became of their segments."""
_BORDER = 255
"""Position of borders between segments in the palette, after those of the labels."""


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of one side, small.

    Attributes:
        codes: the segment of each pixel.
        colours: position in the palette per segment, and for pixels without one.
    """

    codes: Ints
    colours: Bytes

    def file(self, longest: int) -> bytes:
        """Return a PNG file in which segments of all labels have borders."""
        small = nearest(self.codes, longest)
        painted = self.colours[small]
        painted[:, 1:][small[:, 1:] != small[:, :-1]] = _BORDER
        painted[1:][small[1:] != small[:-1]] = _BORDER
        return png(painted, [*palette(), (255, 255, 255)], longest)


@dataclass(frozen=True, eq=False)
class PanopticPicture(MapPicture):
    """The segments of an image, small, with a photograph of it.

    Attributes:
        truth: the true segments.
        predicted: the predicted ones.
        outcome: per pixel a position in `DIFFERENCES`.
    """

    truth: Segments
    predicted: Segments
    outcome: Bytes

    @property
    def longest(self) -> int:
        """Pixels of the longer side of the largest picture."""
        return int(max(self.outcome.shape))

    def maps(self, longest: int) -> dict[str, bytes]:
        """Return the PNG files of the maps; `errors` are the outcomes."""
        return {
            "truth": self.truth.file(longest),
            "predicted": self.predicted.file(longest),
            "errors": png(self.outcome, [colour for colour, _ in DIFFERENCES], longest),
        }


@dataclass(frozen=True)
class SegmentReading:
    """How segments are read and matched.

    Attributes:
        codes: label -> its position in the palette.
        stuff: labels whose segments are joined to one per image.
        options: those of `match_segments`.
        folder: the folder of relative paths; None for that of the process.
    """

    codes: Mapping[str, int]
    stuff: frozenset[Label]
    options: Mapping[str, Any]
    folder: Path | None = None

    def picture(
        self, truth: Any, predicted: Any, photo: Callable[[], Thumbnail], longest: int
    ) -> PanopticPicture:
        """Read the segments of an image.

        Args:
            truth: a panoptic map, or a dict with the path of its PNG file.
            predicted: the same of the predicted segments.
            photo: reads the photograph.
            longest: pixels of the longer side of the maps at most.

        Raises:
            InputError: if a map cannot be read, or their sizes differ.
        """
        sides = [Entry.of(entry) for entry in (truth, predicted)]
        sides = [side._replace(source=present(side.source, self.folder)) for side in sides]
        maps = read_pair(sides[0], sides[1], self.stuff)
        outcomes = _outcomes(match_segments(*maps, **self.options), maps[0])
        shown, predictions = (Segments(nearest(_codes(side), longest), self._colours(side)) for side in maps)
        outcome = outcomes[shown.codes, predictions.codes]
        height, width = maps[0].size
        return PanopticPicture(width, height, *attempted(photo), shown, predictions, outcome)

    def _colours(self, side: PanopticMap) -> Bytes:
        labels = [str(segment.label) for segment in side.segments.values()]
        return np.array([*(self.codes.get(label, NO_LABEL) for label in labels), NO_LABEL], np.uint8)


def _codes(side: PanopticMap) -> Ints:
    """The position of each pixel's segment, height x width; the number of segments without one."""
    codes: Ints = np.repeat(side.codes, side.lengths).reshape(side.size)
    return codes


def _outcomes(matches: SegmentMatches, truth: PanopticMap) -> Bytes:
    """Positions in `DIFFERENCES` of pixels by their true and predicted segments, or without one."""
    counts = np.array([*(not segment.crowd for segment in truth.segments.values()), False])
    missed, wrong = (np.append(side, False) for side in (matches.missed, matches.wrong))
    outcome = np.full((len(missed), len(wrong)), _UNCOUNTED, np.uint8)
    outcome[counts] = _OUTLINE
    outcome[matches.first, matches.second] = _MATCHED
    outcome[missed] = _MISSED
    outcome[:, wrong] = _FALSE
    outcome[np.ix_(missed, wrong)] = _BOTH
    return outcome
