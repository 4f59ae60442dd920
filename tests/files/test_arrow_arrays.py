"""Arrays that are built and read without pandas equal Arrow's own."""

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from thresher.files.arrow_arrays import array_of_numbers, array_of_text_lists, array_of_texts, numpy_of

_TEXTS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])))
_NUMBERS = arrays.arrays(
    st.sampled_from([np.dtype(name) for name in ("i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "?")]),
    st.integers(0, 20),
)


@given(_NUMBERS)
def test_numbers_equal_those_of_arrow(numbers: np.ndarray[Any, Any]) -> None:
    built = array_of_numbers(numbers)

    built.validate(full=True)
    assert built.type == pa.array(numbers).type
    assert built.null_count == 0
    assert numpy_of(built).tobytes() == numbers.tobytes()
    assert numpy_of(built).dtype == numbers.dtype


@given(_NUMBERS, st.integers(0, 20), st.integers(1, 3))
def test_slices_are_read_from_their_offset(numbers: np.ndarray[Any, Any], start: int, step: int) -> None:
    expected = pa.array(numbers[::step]).slice(start).to_numpy(zero_copy_only=False)

    actual = numpy_of(array_of_numbers(numbers[::step]).slice(start))

    assert actual.tobytes() == expected.tobytes()
    assert actual.dtype == expected.dtype


def test_shared_memory_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        numpy_of(array_of_numbers(np.arange(3)))[0] = 1


@pytest.mark.parametrize(
    "array", [pa.array([1.5, None]), pa.array([1, None]), pa.array([True, None]), pa.array(["a"])]
)
def test_missing_entries_and_texts_are_left_to_arrow(array: pa.Array) -> None:
    np.testing.assert_array_equal(numpy_of(array), array.to_numpy(zero_copy_only=False))


@given(_TEXTS)
def test_texts_equal_those_of_arrow(texts: list[str | None]) -> None:
    built = array_of_texts(texts)

    built.validate(full=True)
    assert built.equals(pa.array(texts, pa.string()))


@given(st.lists(st.none() | _TEXTS))
def test_lists_of_texts_equal_those_of_arrow(lists: list[list[str | None] | None]) -> None:
    built = array_of_text_lists(lists)

    built.validate(full=True)
    assert built.equals(pa.array(lists, pa.list_(pa.string())))


def test_a_lone_surrogate_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        array_of_texts(["a", "\ud800"])


def test_other_entries_are_errors_of_arrow() -> None:
    with pytest.raises(pa.ArrowException):
        array_of_texts(["a", 1])  # type: ignore[list-item]
    with pytest.raises(pa.ArrowException):
        array_of_text_lists([["a"], [1]])  # type: ignore[list-item]
    with pytest.raises(pa.ArrowException):
        array_of_text_lists(["ab", [["c"]]])  # type: ignore[list-item]


@pytest.mark.slow
@pytest.mark.skipif(int(pa.__version__.split(".")[0]) < 26, reason="an older Arrow may import pandas itself")
def test_pandas_is_not_imported() -> None:
    code = (
        "import sys, numpy as np\n"
        "from thresher.files.arrow_arrays import *\n"
        "for numbers in (np.arange(3), np.arange(0.0), np.array([True])):\n"
        "    numpy_of(array_of_numbers(numbers))\n"
        "array_of_texts(['a', None])\n"
        "array_of_text_lists([['a'], None])\n"
        "sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
