"""The library of native kernels: where it is, and whether it fits."""

import ctypes
import os
import sys
import warnings
import zlib
from functools import cache
from pathlib import Path
from typing import Literal

from thresher.errors import InputError

_FOLDER = Path(__file__).parent
_LIBRARY = _FOLDER / ("_kernels.dll" if sys.platform == "win32" else "_kernels.so")


@cache
def library() -> ctypes.CDLL | None:
    """Return the library, or None where numpy computes.

    The variable THRESHER_KERNELS chooses: `numpy`, `native` (an error if the library is missing), or the path
    of another library. Unset: the installed library if there is one.

    Raises:
        InputError: if the chosen library is missing or cannot be loaded.
    """
    choice = os.environ.get("THRESHER_KERNELS", "")
    if choice == "numpy":
        return None
    path = _LIBRARY if choice in {"", "native"} else Path(choice)
    if not choice and not path.is_file():
        return None
    loaded = None
    try:
        loaded = ctypes.CDLL(str(path))
        loaded.thresher_abi.restype = ctypes.c_uint32
        fits = loaded.thresher_abi() == _expected(loaded)
    except (OSError, AttributeError) as error:
        if choice:
            raise InputError(f"THRESHER_KERNELS={choice}: {path} cannot be loaded: {error}") from error
        fits = False
    if loaded is None or not fits:
        # Other arguments than the sources declare would read foreign memory.
        warnings.warn(f"{path} was compiled from other sources and is ignored: run make native", stacklevel=2)
        return None
    return loaded


def kernels_in_use() -> Literal["native", "numpy"]:
    """Which kernels compute; the numbers are equal."""
    return "numpy" if library() is None else "native"


def _expected(loaded: ctypes.CDLL) -> int:
    """Checksum of the C++ sources, as `hatch_build.py` computes it; a wheel has none, and its own library."""
    sources = sorted([*_FOLDER.glob("cpp/*.cpp"), *_FOLDER.glob("cpp/*.h")])
    if not sources:
        return int(loaded.thresher_abi())
    number = 0
    for path in sources:
        number = zlib.crc32(path.read_bytes().replace(b"\r\n", b"\n"), number)
    return number
