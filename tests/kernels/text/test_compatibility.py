"""NFKC in linear time, equal to the standard library's."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.speed import assert_linear
from thresher.judges.gist import folded
from thresher.kernels.text.compatibility import _long_runs, nfkc
from thresher.kernels.text.tokenize import unicode_tokens

# Marks of six classes and class 0, including marks that decompose, and letters that compose with them.
PIECES = (
    "aeé\u0327\u0301\u0345\u0344\u0f71\u0f73\u0f75\u0f81\u093c\u0903"
    "\u20dd\u05b0\u3099\uff9e\uff9fか\uac00\u11a8\u212b"
)


@given(st.text(PIECES, min_size=1, max_size=12), st.integers(1, 50), st.text(max_size=5))
def test_texts_are_normalised_as_the_standard_library_does(piece, times, end):
    for text in (piece * times + end, end + piece[0] + piece[1:] * times):
        assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_all_characters_that_begin_with_a_mark_are_ordered_here():
    marks = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
    ]
    assert [mark for mark in marks if not _long_runs().search(mark * 32)] == []


@pytest.mark.parametrize("use", [nfkc, folded, unicode_tokens])
@pytest.mark.parametrize("marks", ["\u0301\u0327", "\u0f73", "\uff9e\u0301", "\u0344\u0327"])
def test_many_marks_take_time_in_proportion_to_their_number(use, marks):
    assert_linear(lambda text: use("a" + text), marks, length=3_000)
