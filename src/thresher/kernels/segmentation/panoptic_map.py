"""Panoptic maps: each pixel of an image belongs to one segment, or to none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.outputs import Names
from thresher.kernels.segmentation.segments import Segment, read_segments
from thresher.kernels.tensors import as_array
from thresher.results.labels import Label

Ints = npt.NDArray[Any]
_AXES = 2
_HIGHEST = float(1 << 53)


@dataclass(frozen=True, eq=False)
class PanopticMap:
    """The segments of one image; `PanopticMap.of` builds one.

    Attributes:
        size: height and width in pixels.
        segments: id -> segment.
        starts: first pixel of each run of pixels of one segment, row by row.
        codes: position of each run's segment in `segments`; the number of segments for pixels without one.
    """

    size: tuple[int, int]
    segments: Mapping[int, Segment]
    starts: Ints
    codes: Ints

    @classmethod
    def of(cls, ids: Any, segments: Any, names: Names | None = None) -> Self:
        """Build a map from the id of each pixel and the segments that have these ids.

        Pixels without a segment are -1, as in maps of instances of transformers, or else 0, as in its
        panoptic maps and in COCO's files; either number is a segment if `segments` lists it.

        Args:
            ids: height x width whole numbers, also as floats; lists, arrays and tensors.
            segments: as `read_segments` takes them.
            names: as `read_segments` takes them.

        Raises:
            InputError: for a map of another form, and for ids that only one of the two has.

        >>> panoptic = PanopticMap.of([[7, 7, 0], [7, 2, 2]], {7: "cat", 2: "sky"})
        >>> panoptic.areas.tolist(), panoptic.ids.tolist()
        ([3, 2], [[7, 7, 0], [7, 2, 2]])
        """
        pixels = _pixels(ids)
        starts, values = _runs(pixels)
        return cls.of_runs(pixels.shape, starts, values, read_segments(segments, names))

    @classmethod
    def of_colours(cls, pixels: Ints, segments: Mapping[int, Segment]) -> Self:
        """Build a map from colours of COCO's format: the id of a segment is R + 256 G + 65536 B.

        Args:
            pixels: height x width numbers of 32 bits: R in the lowest byte, G, B, and a constant byte.
            segments: id -> segment.

        Raises:
            InputError: as `of`.
        """
        starts, values = _runs(pixels)
        return cls.of_runs(pixels.shape, starts, values & 0xFFFFFF, segments)

    @classmethod
    def of_runs(cls, size: Any, starts: Ints, values: Ints, segments: Mapping[int, Segment]) -> Self:
        """Build a map from runs of pixels of one id.

        Args:
            size: height and width.
            starts: first pixel of each run, row by row.
            values: id of each run; neighbours differ.
            segments: id -> segment.

        Raises:
            InputError: as `of`.
        """
        known = np.unique(values)
        void = -1 if len(known) and known[0] < 0 else 0
        _check_ids(known, segments, void)
        places = {key: place for place, key in enumerate(segments)}
        codes = np.array([places.get(key, len(segments)) for key in known.tolist()], np.int32)
        return cls(size, segments, starts, codes[np.searchsorted(known, values)])

    @classmethod
    def empty(cls, size: tuple[int, int]) -> Self:
        """A map without segments."""
        starts = np.zeros(min(1, size[0] * size[1]), np.int32)
        return cls(size, {}, starts, np.zeros_like(starts))

    @property
    def lengths(self) -> Ints:
        """Pixels of each run."""
        return np.diff(np.append(self.starts, self.size[0] * self.size[1]))

    @property
    def areas(self) -> Ints:
        """Pixels of each segment."""
        count = len(self.segments)
        return np.bincount(self.codes, self.lengths, count + 1)[:count].astype(np.int64)

    @property
    def ids(self) -> Ints:
        """The id of each pixel, height x width; -1 without a segment if 0 is the id of one, else 0."""
        ids = np.array([*self.segments, -1 if 0 in self.segments else 0], np.int64)
        return np.repeat(ids[self.codes], self.lengths).reshape(self.size)

    def merged(self, labels: frozenset[Label]) -> Self:
        """The map with the segments of each of some labels joined to one; crowds stay as they are."""
        targets: dict[Any, int] = {}
        joined: dict[int, Segment] = {}
        places = []
        for key, segment in self.segments.items():
            is_joined = segment.label in labels and not segment.crowd
            places.append(targets.setdefault(segment.label if is_joined else key, len(targets)))
            if places[-1] == len(joined):
                joined[key] = segment
            elif segment.area is not None:
                first = list(joined)[places[-1]]
                area = joined[first].area
                joined[first] = segment._replace(area=None if area is None else area + segment.area)
        codes = np.array([*places, len(joined)], np.int32)[self.codes]
        return type(self)(self.size, joined, self.starts, codes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that metrics read as the same map."""
        fields = ("label", "isthing", "iscrowd", "area")
        rows = [
            {"id": key, **dict(zip(fields, (segment.label.plain(), *segment[1:]), strict=True))}
            for key, segment in self.segments.items()
        ]
        return {"segmentation": self.ids.tolist(), "segments_info": rows}


def _pixels(ids: Any) -> Ints:
    try:
        array = as_array(ids, "segmentation")
    except InputError as error:
        raise InputError("segmentation must be height x width whole numbers") from error
    if array.ndim != _AXES or array.dtype.kind not in "iuf":
        raise InputError(
            f"segmentation must be height x width whole numbers, not {array.dtype} {array.shape}"
        )
    if array.dtype.kind == "f":
        if not ((np.abs(array) < _HIGHEST) & (array == np.floor(array))).all():
            raise InputError("segmentation holds numbers that are not whole; give the id of each pixel")
        array = array.astype(np.int64)
    return array


def _runs(pixels: Ints) -> tuple[Ints, Ints]:
    """First pixel and id of each run of equal ids, row by row."""
    flat = pixels.ravel()
    kind = _position_type(len(flat))
    starts = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts = np.concatenate([np.zeros(min(1, len(flat)), kind), starts.astype(kind)])
    return starts, flat[starts]


def _position_type(pixels: int) -> type[np.signedinteger[Any]]:
    """The smaller integers that can number the pixels of an image; maps are kept in half the memory."""
    return np.int32 if pixels <= np.iinfo(np.int32).max else np.int64


def _check_ids(known: Ints, segments: Mapping[int, Segment], void: int) -> None:
    """Raise unless pixels and segments have the same ids, apart from that of pixels without a segment."""
    some = known[: len(segments) + 2].tolist()  # enough to find an id that is not listed
    unlisted = next((key for key in some if key not in segments and key != void), None)
    if unlisted is not None:
        raise InputError(
            f"pixels have the id {unlisted}, which segments_info lacks; list it there, or give pixels "
            f"without a segment the id {void}"
        )
    present = {*some}
    absent = next((key for key in segments if key not in present), None)
    if absent is not None:
        raise InputError(f"no pixel has the id {absent} of segments_info; remove the segment there")
