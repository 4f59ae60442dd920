"""Reading the arrays of NumPy's archives (`.npz`), without the pickled objects that they may contain."""

import io
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files.opening import OpenedFile, Source, check_unpacked, explain_read_errors, open_binary

_ARRAY = b"\x93NUMPY"
_KINDS = "biufUSM"
"""Truth values, numbers, texts and dates."""


def read_arrays(source: Source) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an archive by name.

    Raises:
        InputError: if it cannot be read, exceeds a limit, or contains anything but numbers, texts and dates.
    """
    with explain_read_errors(source), open_binary(source, gzipped=False) as file:
        if file.peek(len(_ARRAY)).startswith(_ARRAY):
            raise InputError(
                f"{source} is one array without names; save true labels and predictions in one file, as by "
                "np.savez('data.npz', y_true=labels, y_prob=probabilities)"
            )
        try:
            with ZipFile(file) as archive:
                entries = archive.infolist()
                check_unpacked(source, sum(entry.file_size for entry in entries), _size(source))
                return {
                    entry.filename.removesuffix(".npy"): _array(source, entry.filename, archive.read(entry))
                    for entry in entries
                }
        except InputError:
            raise
        except Exception as error:  # NumPy parses headers as code, and damaged ones raise anything
            message = " ".join(str(error.args[0] if error.args else error).split())
            raise InputError(f"{source} cannot be read as an archive of NumPy: {message}") from error


def _size(source: Source) -> int:
    return len(source.content) if isinstance(source, OpenedFile) else source.stat().st_size


def _array(source: Source, name: str, content: bytes) -> npt.NDArray[Any]:
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read_header = (
        np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    )
    shape, by_column, kind = read_header(file)
    if kind.kind not in _KINDS:
        raise InputError(
            f"{source}: the array {name.removesuffix('.npy')!r} has the type {kind}; save numbers or texts, "
            "as by array.astype(str)"
        )
    # A header that is damaged may promise more values than there are.
    values = np.frombuffer(content, kind, int(np.prod(shape, dtype=object)), file.tell())
    array = values.reshape(shape, order="F" if by_column else "C")
    return np.char.decode(array, "utf-8") if kind.kind == "S" else array
