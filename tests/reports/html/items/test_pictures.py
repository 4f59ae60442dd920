"""Pictures in a file: whole or left out, those of the items listed first before others."""

import base64

import numpy as np
import pytest

from thresher.reports.html.items.pictures import LEFT_OUT, is_address, is_picture, packed_size, shown_first
from thresher.reports.html.items.text_table import TextLimits, TextTable


def address(size, seed=0):
    data = np.random.default_rng(seed).integers(0, 256, size, np.uint8).tobytes()
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data:image/png;base64,AAAA", True),
        ("data:image/svg+xml;charset=utf-8,%3Csvg", True),
        ("DATA:image/jpeg;base64,AAAA", True),
        ("data:application/pdf;base64,AAAA", True),
        ("data: see the appendix, page 3", False),
        ("dataset", False),
    ],
)
def test_addresses_are_told_from_texts(text, expected):
    assert is_address(text) is expected


def test_only_addresses_of_images_are_pictures():
    assert is_picture("data:image/png;base64,AAAA")
    assert not is_picture("data:application/pdf;base64,AAAA")
    assert not is_picture(3)


def test_the_size_of_a_picture_is_close_to_what_it_takes():
    import gzip

    one = address(50_000)
    assert packed_size(one) == pytest.approx(len(gzip.compress(one.encode())), rel=0.02)


def filled():
    texts = TextTable()
    for row in range(4):
        texts.row = row
        texts.pack({"note": f"words {row} " * 200, "image": address(3_000, row)}, bulk=True)
    return texts


def test_pictures_are_never_cut_and_those_of_the_first_rows_stay():
    texts = filled()
    pictures = texts.pictures_within(2 * packed_size(address(3_000)), [2, 0, 3, 1])
    found = texts.cut(TextLimits(300, 300), pictures)
    images = [text for text in found if is_address(text) or text == LEFT_OUT]
    assert images == [address(3_000, 0), LEFT_OUT, address(3_000, 2), LEFT_OUT]
    assert texts.pictures == 4
    assert texts.size_of(pictures) == 2 * packed_size(address(3_000))


def test_a_picture_that_is_too_large_leaves_room_for_the_next():
    texts = TextTable()
    for row, size in enumerate((90_000, 1_000)):
        texts.row = row
        texts.place(address(size))
    assert texts.pictures_within(5_000, [0, 1]) == {1}


def test_texts_are_cut_by_what_they_take_themselves():
    """A picture is neither bulk nor a reason to cut texts that fit."""
    assert filled().limits(10_000) == TextLimits()
    assert filled().size < 5_000


def test_rows_stand_in_the_order_of_the_page():
    higher = {"name": "f1", "direction": "higher", "runs": [[0.1, 0.5, 0.9]]}
    lower = {"name": "latency", "direction": "lower", "runs": [[0.1, None, 0.9]]}
    assert shown_first("latency", [higher, lower], 3) == [2, 0, 1]
    assert shown_first("f1", [higher, lower], 3) == [0, 1, 2]
    two = {**higher, "runs": [[0.5, 0.5, 0.5], [0.6, 0.1, None]]}
    assert shown_first("f1", [two], 3) == [1, 0, 2]
    assert shown_first("f1", [{**higher, "runs": [None, [0.1, 0.2]]}], 2) == [0, 1]
    assert shown_first(None, [], 2) == [0, 1]
