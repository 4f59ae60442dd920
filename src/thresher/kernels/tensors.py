"""Arrays of any framework as numpy arrays, without importing the framework."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError

_LEADING_TO_NUMPY = ("detach", "cpu", "get")
"""Methods by which tensors leave the graph of gradients, and tensors and arrays the GPU (torch, CuPy)."""

_NO_TENSORS = {bool, dict, float, int, list, str, tuple, type(None)}
"""The usual types of entries, so that columns of them are not converted."""


def is_tensor(value: object) -> bool:
    """Whether a value is an array of another library than numpy; columns of pandas are sequences."""
    if isinstance(value, np.ndarray | np.generic | Sequence | dict) or hasattr(value, "iloc"):
        return False
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return True
    return hasattr(value, "numpy") and hasattr(value, "dtype")  # Ultralytics' results have `numpy` too


def as_array(value: Any, what: str) -> npt.NDArray[Any]:
    """Convert a list, an array, or a tensor of another library by `numpy()`, `__array__` or DLPack.

    Args:
        value: the value.
        what: its name in messages.

    Raises:
        InputError: for anything else.
    """
    tensor = value
    try:
        if is_tensor(tensor):
            for name in _LEADING_TO_NUMPY:
                method = getattr(tensor, name, None)
                tensor = method() if callable(method) else tensor
            tensor = _converted(tensor)
        return np.asarray(tensor)
    except Exception as error:  # libraries raise errors of their own
        raise InputError(
            f"{what}: {type(value).__name__} cannot become a numpy array ({error}); convert it first"
        ) from error


def without_tensors(column: Any, what: str) -> Any:
    """A column whose tensors, or that is a tensor, are numpy arrays; other columns unchanged."""
    if is_tensor(column):
        return as_array(column, what)
    if isinstance(column, list | tuple) and not {*map(type, column)} <= _NO_TENSORS:
        return [as_array(entry, what)[()] if is_tensor(entry) else entry for entry in column]
    return column


def _converted(tensor: Any) -> Any:
    if callable(getattr(tensor, "numpy", None)):
        if str(tensor.dtype).endswith("bfloat16") and callable(getattr(tensor, "float", None)):
            tensor = tensor.float()  # PyTorch's type of mixed precision, which numpy lacks
        return tensor.numpy()
    return (
        tensor if hasattr(tensor, "__array__") or isinstance(tensor, np.ndarray) else np.from_dlpack(tensor)
    )
