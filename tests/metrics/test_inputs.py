import numpy as np
import pytest

from thresher.errors import InputError
from thresher.metrics import Items, Measure, Signature
from thresher.metrics.inputs import read_texts


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("a", ["a"]),
        (["a", "b"], ["a", "b"]),
        (("a",), ["a"]),
        ([], []),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([], dtype=object), []),
    ],
)
def test_lists_of_texts(entry, expected):
    found = read_texts(0, "contexts", entry)
    assert found == expected
    assert all(type(part) is str for part in found)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (3, r"^contexts\[7\] is int; give a list of texts$"),
        ({"a": "b"}, r"^contexts\[7\] is dict; give a list of texts$"),
        (["a", None], r"^contexts\[7\]\[1\] is NoneType; give a text$"),
        (np.array([1.5]), r"^contexts\[7\]\[0\] is float; give a text$"),
    ],
)
def test_what_is_no_list_of_texts_is_named(entry, told):
    with pytest.raises(InputError, match=told):
        read_texts(7, "contexts", entry)


def test_a_statistic_needs_one_row_for_each_present_item():
    items = Items(answers=["a", None, "b"])
    with pytest.raises(InputError, match="the statistic words has 3 rows for 2 items that are present"):
        items.result([Measure(Signature.of("m", {}))], {"words": [1.0, 2.0, 3.0]})
