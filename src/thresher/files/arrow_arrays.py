"""Arrow arrays from numpy arrays and Python lists, and back.

`pa.array` and `to_numpy` import pandas where it is installed, which takes 0.3 s of a command. The functions
here build and read the buffers of common types themselves, and leave other types to Arrow.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thresher.known_secrets import known_forms, without_secrets_in

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_BYTES = 2**31 - 1
"""Offsets of Arrow's strings and lists have 32 bits."""


def array_of_numbers(numbers: npt.NDArray[Any]) -> "pa.Array":
    """Return `pa.array(numbers)` for numbers or booleans with one axis, as values that share their memory."""
    import pyarrow as pa

    if numbers.ndim != 1 or numbers.dtype.kind not in "biuf" or not numbers.dtype.isnative:
        return pa.array(numbers)
    kind = pa.from_numpy_dtype(numbers.dtype)
    values = _bits(numbers) if numbers.dtype.kind == "b" else np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(values)])


def array_of_texts(texts: Sequence[str | None]) -> "pa.Array":
    """Return `pa.array(texts, pa.string())`.

    Raises:
        UnicodeEncodeError: if a text contains a lone surrogate.
        pa.ArrowTypeError: if an entry is neither a string nor None.
    """
    import pyarrow as pa

    known = [text for text in texts if text is not None]
    if set(map(type, known)) - {str}:
        return pa.array(texts, pa.string())
    joined = "".join(known)
    content = joined.encode()
    if len(content) > _MOST_BYTES:
        return pa.array(texts, pa.string())
    if len(content) == len(joined):  # only ASCII
        lengths = [0 if text is None else len(text) for text in texts]
    else:
        lengths = [0 if text is None else len(text.encode()) for text in texts]
    present = None if len(known) == len(texts) else _present(texts)
    buffers = [present, pa.py_buffer(_offsets(lengths)), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def without_secrets_in_array(array: "pa.Array") -> "pa.Array":
    """The array without known secrets in its texts, at any depth; the same object if it has none."""
    forms = known_forms()
    if not forms or not any(form in content for content in _contents(array) for form in forms):
        return array
    import pyarrow as pa

    return pa.array([without_secrets_in(value) for value in array.to_pylist()], array.type)


def _contents(array: "pa.Array") -> Iterator[bytes]:
    """The bytes of all texts of an array, one after the other."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        yield from _contents(array.dictionary)
    elif pa.types.is_struct(array.type):
        for field in array.flatten():
            yield from _contents(field)
    elif pa.types.is_nested(array.type):
        yield from _contents(array.flatten())
    elif pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        content = array.buffers()[2]
        yield b"" if content is None else content.to_pybytes()


def array_of_text_lists(lists: Sequence[Sequence[str | None] | None]) -> "pa.Array":
    """Return `pa.array(lists, pa.list_(pa.string()))`.

    Raises:
        UnicodeEncodeError: if a text contains a lone surrogate.
        pa.ArrowException: if an entry of a list is neither a string nor None.
    """
    import pyarrow as pa

    kind = pa.list_(pa.string())
    texts = list(chain.from_iterable(entry for entry in lists if entry is not None))
    if set(map(type, texts)) - {str, type(None)} or len(texts) > _MOST_BYTES:
        return pa.array(lists, kind)
    inner = array_of_texts(texts)
    if isinstance(inner, pa.ChunkedArray):
        return pa.array(lists, kind)
    present = _present(lists) if any(entry is None for entry in lists) else None
    offsets = pa.py_buffer(_offsets([0 if entry is None else len(entry) for entry in lists]))
    return pa.Array.from_buffers(kind, len(lists), [present, offsets], children=[inner])


def numpy_of(array: "pa.Array") -> npt.NDArray[Any]:
    """Return `array.to_numpy(zero_copy_only=False)`, read-only where the memory is shared."""
    import pyarrow as pa

    if not array.null_count and pa.types.is_boolean(array.type):
        return numpy_of(array.cast(pa.uint8())).view(np.bool_)
    if array.null_count or not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return np.asarray(array.to_numpy(zero_copy_only=False))
    kind = np.dtype(array.type.to_pandas_dtype())
    if not len(array):  # may have no buffer
        return np.empty(0, kind)
    values = np.frombuffer(array.buffers()[1], kind, len(array), array.offset * kind.itemsize)
    values.flags.writeable = False
    return values


def _present(entries: Sequence[object]) -> "pa.Buffer":
    import pyarrow as pa

    return pa.py_buffer(_bits(np.array([entry is not None for entry in entries], bool)))


def _bits(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _offsets(lengths: Sequence[int]) -> npt.NDArray[np.int32]:
    return np.fromiter(accumulate(lengths, initial=0), np.int32, len(lengths) + 1)
