"""Entries of columns with panoptic maps, in memory or as PNG files that are read when they are compared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from thresher.errors import InputError
from thresher.files.images import check_pixels, open_image
from thresher.kernels.segmentation.panoptic_map import PanopticMap
from thresher.kernels.segmentation.png_runs import png_runs
from thresher.kernels.segmentation.segments import Segment, read_segments
from thresher.results.labels import Label

_FIELDS = ("segmentation", "segments_info")
_IDS = "id = R + 256 G + 65536 B"


class Entry(NamedTuple):
    """One entry of a column; its pixels are read when they are compared.

    Attributes:
        segments: id -> segment.
        source: the map, an array of ids, or a file; None if the image has no segments.
    """

    segments: Mapping[int, Segment]
    source: Any

    @classmethod
    def of(cls, entry: Any) -> Self:
        """Read the segments.

        Raises:
            InputError: for an entry of another form.
        """
        if isinstance(entry, PanopticMap):
            return cls(entry.segments, entry)
        if not isinstance(entry, Mapping) or "segments_info" not in entry:
            raise InputError(
                f"{type(entry).__name__} is not a panoptic map; give a PanopticMap, or a dict with "
                f"{' and '.join(_FIELDS)}"
            )
        segments, source = read_segments(entry["segments_info"]), entry.get("segmentation")
        if source is None and segments:
            raise InputError("there are segments and no segmentation; add the id of each pixel")
        return cls(segments, source)

    def read(self) -> PanopticMap | None:
        """The map; None if the entry has neither pixels nor segments."""
        if isinstance(self.source, PanopticMap) or self.source is None:
            return self.source
        if not isinstance(self.source, str | Path):
            return PanopticMap.of(self.source, self.segments)
        try:
            return _of_file(Path(self.source), self.segments)
        except InputError as error:
            raise InputError(
                str(error) if str(self.source) in str(error) else f"{self.source}: {error}"
            ) from error


def read_pair(truth: Entry, predicted: Entry, stuff: frozenset[Label]) -> tuple[PanopticMap, PanopticMap]:
    """Read the maps of one image.

    Args:
        truth: the true segments.
        predicted: the predicted ones; without pixels, none are predicted.
        stuff: labels whose segments are joined to one per image.

    Raises:
        InputError: if an entry cannot be read.
    """
    true_map, predicted_map = truth.read(), predicted.read()
    size = next((side.size for side in (true_map, predicted_map) if side is not None), (0, 0))
    true_map, predicted_map = (
        PanopticMap.empty(size) if side is None else side for side in (true_map, predicted_map)
    )
    if stuff:
        return true_map.merged(stuff), predicted_map.merged(stuff)
    return true_map, predicted_map


def _of_file(path: Path, segments: Mapping[int, Segment]) -> PanopticMap:
    runs = png_runs(path)
    if runs is None:
        return PanopticMap.of_colours(_png(path), segments)
    return PanopticMap.of_runs(*runs, segments)


def _png(path: Path) -> np.ndarray[Any, Any]:
    """The colours of a file of COCO's panoptic format, and a constant byte."""
    with open_image(path) as image:
        if image.format != "PNG":
            raise InputError(f"{path} is {image.format}, which changes colours; ids need a PNG file")
        if image.mode != "RGB":
            kind = {"L": "grey", "P": "of a palette", "RGBA": "with transparency"}.get(image.mode, image.mode)
            raise InputError(
                f"{path} is {kind}; ids of segments are colours, {_IDS}: save it as an RGB PNG of 8 bits"
            )
        check_pixels(path, *image.size)
        width, height = image.size
        return np.frombuffer(image.tobytes("raw", "RGBX"), "<u4").reshape(height, width)
