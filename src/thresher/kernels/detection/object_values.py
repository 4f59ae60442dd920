"""Checks of the values of objects: scores, areas, flags, class numbers, and the lengths of columns."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.tensors import as_array, is_tensor

Floats = npt.NDArray[np.float64]
UNKNOWN_AREA = -1.0
"""Area of an object in shares of an image whose size is unknown: it is outside of all ranges of areas."""


def check_scores(scores: npt.ArrayLike, entry: str = "object") -> Floats:
    """Return scores as floats.

    Raises:
        InputError: for an entry that is not a finite number; names the first one.
    """
    values = _numbers("scores", scores)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise InputError(f"{entry} {int(wrong[0])} has the score {values[wrong[0]]:g}; give a finite number")
    values.flags.writeable = False  # a column of statistics, which need no copy
    return values


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind in "US" or array.ndim != 1:
        raise InputError(f"{name} are {values!r:.80}; give one number per object")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}; give one number per object") from error


def checked_areas(areas: npt.ArrayLike) -> Floats:
    """Return areas as floats; `UNKNOWN_AREA` where an entry is None.

    Raises:
        InputError: for an entry that is not a finite number of at least 0; names the first one.
    """
    if isinstance(areas, list | tuple) and None in areas:
        known = checked_areas([0 if area is None else area for area in areas])
        return np.where([area is None for area in areas], UNKNOWN_AREA, known)
    sizes = _numbers("areas", areas)
    wrong = np.flatnonzero(~((sizes >= 0) & (sizes < np.inf)))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"object {at} has the area {sizes[at]:g}; give a finite number of at least 0")
    return sizes


def checked_flags(name: str, flags: npt.ArrayLike | None, count: int) -> npt.NDArray[np.bool_]:
    """Return flags as booleans, all False if there are none.

    Raises:
        InputError: for entries other than 0 and 1.
    """
    if flags is None:
        return np.zeros(count, bool)
    array = np.asarray(flags)
    if array.size and (array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all()):
        raise InputError(f"{name} is {flags!r:.80}; give 0 or 1 per object")
    return array.astype(bool)


def check_lengths(count: int, **columns: Any) -> None:
    """Raise InputError unless every column has one entry per label."""
    for name, column in columns.items():
        if column is not None and not hasattr(column, "__len__"):
            raise InputError(f"{name} is {column!r}; give a list with one entry per object")
        if column is not None and len(column) != count:
            raise InputError(
                f"{name} has {counted(len(column), 'entry', 'entries')} for {counted(count, 'label')}; give "
                "one per object"
            )


def whole_numbers(labels: Any) -> Any:
    """Return class numbers that are floats, as Ultralytics gives them, as integers; others as they are."""
    is_float = isinstance(labels, np.ndarray) and labels.dtype.kind == "f"
    return labels.astype(np.int64) if is_float and (labels == np.floor(labels)).all() else labels


def untensored(entry: Any) -> Any:
    """Return a tensor as an array; anything else as it is."""
    return as_array(entry, "an argument of Detections.of") if is_tensor(entry) else entry
