"""Runs of equal pixels in PNG files, which need no array of pixels."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.files.png_rows import packed_rows
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library

Runs = tuple[tuple[int, int], npt.NDArray[Any], npt.NDArray[Any]]
_INTEGERS = Array("int32", written=True)

_png_runs = Kernel("png_runs", Array("uint8"), int, int, _INTEGERS, _INTEGERS, Array("int64", written=True))


def png_runs(path: Path) -> Runs | None:
    """Size, and the first pixel and R + 256 G + 65536 B of each run of equal colours, row by row.

    Returns:
        None without the native library, and for a file that is left to `open_image`.

    Raises:
        InputError: if the file cannot be read.
    """
    image = None if library() is None else packed_rows(path)
    if image is None:
        return None
    height, width, packed = image
    starts, values = (np.empty(height * width, np.int32) for _ in range(2))  # only runs are written
    found = np.zeros(1, np.int64)
    _png_runs(np.frombuffer(packed, np.uint8), height, width, starts, values, found)
    runs = int(found[0])
    return None if runs < 0 else ((height, width), starts[:runs].copy(), values[:runs].copy())
