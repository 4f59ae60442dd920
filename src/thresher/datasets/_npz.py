"""Archives of NumPy arrays: one array per column, or a matrix of scores and the names of its columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._label_columns import PREDICTIONS, TRUTHS
from thresher.datasets._table import RawTable
from thresher.datasets._values import plain, plain_column
from thresher.errors import InputError
from thresher.files.numpy_archives import read_arrays
from thresher.files.opening import Source

_MATRIX = 2
_LABELS = {*TRUTHS, *PREDICTIONS}


def read_npz(path: Source, limit: int | None) -> RawTable:
    """One column per array with an entry per row: rows of a matrix become lists.

    A list of as many texts as a matrix has columns names them: its rows become objects name -> value. Arrays
    without axes, such as the number of an epoch, are left out.
    """
    arrays = {name: array for name, array in read_arrays(path).items() if array.ndim}
    if not arrays:
        raise InputError(
            f"{path} has no array with rows; save some, as by np.savez('data.npz', y_true=labels)"
        )
    first = next((array for array in arrays.values() if array.ndim == _MATRIX), next(iter(arrays.values())))
    of_rows = {name: array for name, array in arrays.items() if len(array) == len(first)}
    others = [name for name in arrays if name not in of_rows]
    labels = _names(others[0], arrays[others[0]], first.shape[1:]) if len(others) == 1 else None
    if others and labels is None:
        sizes = ", ".join(f"{name!r} {'x'.join(map(str, array.shape))}" for name, array in arrays.items())
        raise InputError(f"{path}: its arrays have different numbers of rows ({sizes}); give one per item")
    columns = {name: _entries(name, array[:limit], labels) for name, array in of_rows.items()}
    return RawTable(str(path), columns)


def _names(name: str, array: npt.NDArray[Any], columns: tuple[int, ...]) -> list[str] | None:
    """The entries of an array as names of the columns of a matrix; None if they are none."""
    names = [str(entry) for entry in array.tolist()]
    is_list = array.shape == columns and array.dtype.kind in "iuUS" and len({*names}) == len(names)
    return names if is_list and name.lower() not in _LABELS else None


def _entries(name: str, array: npt.NDArray[Any], labels: Sequence[str] | None) -> Sequence[Any]:
    """The rows of an array as plain values; those of a matrix with names as objects, labels as names."""
    if array.ndim == 1 and labels is not None and name.lower() in _LABELS and _are_places(array, len(labels)):
        return [labels[place] for place in array.tolist()]
    if array.ndim == 1:
        dates = array.dtype.kind == "M"  # nanoseconds would become bare integers
        return plain_column(list((array.astype("datetime64[us]") if dates else array).tolist()))
    if array.ndim > _MATRIX:  # label maps
        return list(array)
    rows: list[Any] = array.tolist()
    if array.dtype.kind == "f" and np.isnan(array).any():
        rows = [plain(row) for row in rows]
    if labels is None or array.shape[1] != len(labels):
        return rows
    return [dict(zip(labels, row, strict=True)) for row in rows]


def _are_places(array: npt.NDArray[Any], size: int) -> bool:
    return array.dtype.kind in "iu" and len(array) > 0 and bool(((array >= 0) & (array < size)).all())
