"""Calls of the library with arguments that were checked."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thresher.native.library import library

_OUT_OF_MEMORY, _MISFIT = 1, 2


@dataclass(frozen=True)
class Array:
    """A parameter that is an array of one axis or more; the library receives its address and its size.

    Attributes:
        dtype: name of the type of its entries; of several types (`uint16|uint32`), the library also receives
            the bytes of an entry.
        written: whether the library writes into it.
    """

    dtype: str
    written: bool = False

    def passed(self, name: str, argument: Any) -> tuple[int, ...]:
        """Return address and size, and the bytes of an entry if there are several types.

        Raises:
            TypeError: unless it is an array of such a type, contiguous and aligned.
        """
        if not isinstance(argument, np.ndarray) or argument.dtype not in self._types:
            kind = getattr(argument, "dtype", type(argument).__name__)
            raise TypeError(f"{name} needs an array of {' or '.join(map(str, self._types))}, not {kind}")
        flags = argument.flags
        if not (flags.c_contiguous and flags.aligned and (flags.writeable or not self.written)):
            raise TypeError(f"{name} needs a contiguous array{' that it can write' if self.written else ''}")
        sizes = (argument.size, argument.itemsize)[: len(self.c_types) - 1]
        return argument.__array_interface__["data"][0], *sizes

    @cached_property
    def _types(self) -> list[np.dtype[Any]]:
        return list(map(np.dtype, self.dtype.split("|")))

    @cached_property
    def c_types(self) -> tuple[Any, ...]:
        """Types of the arguments that the library receives."""
        return (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)[: 3 if "|" in self.dtype else 2]


class Kernel:
    """A function of the library, called with whole columns.

    Args:
        name: its name without the prefix `thresher_`.
        parameters: an `Array`, or `int` for a 64-bit integer, `float` for a double.

    Raises:
        MemoryError: (when called) if the library cannot allocate.
        ValueError: if the sizes of the arrays contradict each other.
    """

    def __init__(self, name: str, *parameters: Array | type[int] | type[float]) -> None:
        self.name, self.parameters = name, parameters

    def __call__(self, *arguments: Any) -> None:
        """Run it; `arguments` holds references to the arrays until it returns."""
        passed: list[Any] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            if isinstance(parameter, Array):
                passed += parameter.passed(self.name, argument)
            else:
                passed.append(parameter(argument))
        code = self._function()(*passed)
        if code == _OUT_OF_MEMORY:
            raise MemoryError(f"{self.name}: not enough memory")
        if code:
            misfit = "sizes of its arrays contradict each other"
            raise ValueError(f"{self.name}: {misfit if code == _MISFIT else f'failed with code {code}'}")

    def _function(self) -> Callable[..., int]:
        loaded = library()
        if loaded is None:
            raise RuntimeError(f"{self.name}: no native kernels; check `library()` before")
        function = getattr(loaded, f"thresher_{self.name}")
        function.argtypes = [kind for part in self.parameters for kind in _c_types(part)]
        function.restype = ctypes.c_int32
        return function  # type: ignore[no-any-return]


def _c_types(parameter: Array | type[int] | type[float]) -> tuple[Any, ...]:
    if isinstance(parameter, Array):
        return parameter.c_types
    return (ctypes.c_int64 if parameter is int else ctypes.c_double,)
