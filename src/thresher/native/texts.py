"""Columns of texts as the library reads them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array

DATA, OFFSETS = Array("uint8"), Array("int64")
"""Parameters of a column of texts: its bytes and its offsets."""


class Texts:
    r"""UTF-8 bytes of all texts one after the other, and where each begins (Arrow's large_string).

    Args:
        texts: strings; half surrogates are encoded like other characters, so that every string can be.

    >>> column = Texts(["né", "", "x"])
    >>> column.data.tobytes(), column.offsets.tolist()
    (b'n\xc3\xa9x', [0, 3, 3, 4])
    """

    __slots__ = ("data", "offsets")

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "".join(texts)
        if joined.isascii():
            self._fill(joined.encode(), map(len, texts), len(texts))
        else:
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            self._fill(b"".join(encoded), map(len, encoded), len(texts))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def columns(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """The arguments of a kernel."""
        return self.data, self.offsets

    def _fill(self, data: bytes, sizes: "map[int]", rows: int) -> None:
        self.data = np.frombuffer(data, np.uint8)
        self.offsets = np.zeros(rows + 1, np.int64)
        np.cumsum(np.fromiter(sizes, np.int64, rows), out=self.offsets[1:])


def lowered(texts: Sequence[str]) -> Sequence[str]:
    """The texts with those beyond ASCII in lower case, by Python's tables; ASCII is left to the kernels."""
    return [text if text.isascii() else text.lower() for text in texts]
