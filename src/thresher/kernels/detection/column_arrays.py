"""Arrays of the columns of objects: joined, ordered and checked."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.raster_lists import Rasters
from thresher.results.ragged import Int64s


def read_image(name: str, at: int, entry: Any, *, boxes_only: bool) -> Detections:
    """Read an entry of images; None has no objects.

    Raises:
        InputError: for an unreadable entry, which it names.
    """
    if entry is None:
        return Detections.of([])
    try:
        return Detections.read(entry, boxes_only=boxes_only)
    except InputError as error:
        raise InputError(f"{name}[{at}]: {error}") from error


def joined_arrays(parts: Sequence[npt.NDArray[Any]], empty: tuple[int, ...] = (0,)) -> npt.NDArray[Any]:
    """Parts one after another; of this shape without parts."""
    return np.concatenate([np.zeros(empty), *parts])


def picked(geometries: Sequence[Geometry], entries: Int64s | slice) -> Sequence[Geometry]:
    """The geometries of some objects; none if there are none."""
    if isinstance(geometries, Rasters):
        return geometries.take(entries)
    if isinstance(entries, slice):
        return tuple(geometries[entries])
    return tuple(geometries[at] for at in entries.tolist()) if geometries else ()


def id_array(ids: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Ids as integers if all are, so that they need no Python objects; else as they are."""
    if isinstance(ids, np.ndarray) and ids.dtype == np.int64:
        return ids
    if {*map(type, ids)} == {int}:
        with suppress(OverflowError):
            return np.array(ids, np.int64)
    return np.fromiter(ids, object, len(ids))


def check_positions(column: str, values: Int64s, size: int) -> None:
    """Raise InputError for a position that is negative or too large."""
    wrong = np.flatnonzero((values < 0) | (values >= size))
    if len(wrong):
        raise InputError(
            f"{column}: row {int(wrong[0])} has position {int(values[wrong[0]])}; there are {size}, "
            "counted from 0"
        )
