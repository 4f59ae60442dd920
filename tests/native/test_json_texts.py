"""The JSON of lists of texts is that of `json.dumps`, to the last byte."""

import json
import random

import numpy as np
import pytest

from thresher.native import json_texts
from thresher.native.json_texts import json_of_texts
from thresher.native.texts import Texts

ASCII = [chr(code) for code in range(128)]
RANDOM = random.Random(5)  # noqa: S311
CASES = {
    "every character": ASCII,
    "none": [],
    "empty": ["", "", ""],
    "separators": ['", "', '",', ',"', "[", "]", "\\", '\\"'],
    "around blocks": [
        "a" * size + end for size in (30, 31, 32, 33, 63, 64, 65) for end in ("", '"', "\n", "\x7f")
    ],
    "random": ["".join(RANDOM.choices(ASCII, k=RANDOM.randrange(200))) for _ in range(300)],
    "beyond ASCII": ["plain", "é", "\U0001f600", "\ud800"],
    "other types": ["plain", None, 7, 0.5, True, ("q", 1)],
}


@pytest.mark.parametrize("texts", CASES.values(), ids=CASES)
def test_the_json_is_that_of_python(both, texts):
    expected = json.dumps(texts).encode()
    assert [bytes(content) for content in both(json_of_texts, texts)] == [expected, expected]


def test_many_texts_are_left_to_python(native, monkeypatch):
    monkeypatch.setattr(json_texts, "_MOST", 3)
    monkeypatch.setattr(json_texts, "_written", None)
    assert json_of_texts(["ab", "cd"]) == b'["ab", "cd"]'


@pytest.mark.parametrize(("text", "room"), [("é", 100), ("abc", 23)], ids=["beyond-ascii", "too-little-room"])
def test_the_kernel_refuses_what_it_cannot_write(native, text, room):
    content, size = np.zeros(room, np.uint8), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="json_texts"):
        json_texts._write(*Texts([text]).columns, content, size)


def test_a_subclass_is_written_by_python(native):
    class Name(str):
        __slots__ = ()

    assert json_of_texts([Name("a")]) == b'["a"]'
