import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.visible_text import json_escaped, one_line, visible

BIDIRECTIONAL = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x61C]


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), *BIDIRECTIONAL, 0x200B, 0xFEFF, 0xE0041])
def test_characters_that_are_not_seen_become_escapes(code):
    shown = visible(f"a{chr(code)}b")
    if chr(code) in "\n\t":
        assert shown == f"a{chr(code)}b"
    else:
        assert shown.isascii()
        assert shown.startswith("a\\")
        assert shown.encode().decode("unicode_escape") == f"a{chr(code)}b"


def test_line_ends_and_writing_of_languages_remain():
    text = "one\r\ntwo\tnaïve 東京 \N{WOMAN}\u200d\N{PERSONAL COMPUTER} क\u200dष ↑"
    assert visible(text) == text


@given(st.text())
def test_nothing_of_the_categories_of_controls_is_left(text):
    left = {character for character in visible(text) if unicodedata.category(character) in {"Cc", "Cs"}}
    assert left <= {"\n", "\t", "\r"}
    assert visible(visible(text)) == visible(text)
    assert not {"\n", "\r", "\t"} & set(one_line(text))


@given(st.text(st.characters(codec=None)))
def test_json_with_escapes_holds_the_same_data(text):
    escaped = json_escaped(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(escaped) == {text: [text]}
    assert visible(escaped) == escaped


def test_messages_of_errors_are_visible():
    assert str(InputError("row \x1b[2J")) == "row \\x1b[2J"
