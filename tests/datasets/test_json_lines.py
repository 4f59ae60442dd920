"""Lines that msgspec parses are read as `parse_row` reads them, or left to it."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.chunked import read_by_chunk
from fuzz.mutations import TOKENS
from thresher import read_dataset
from thresher.datasets._json import parse_row
from thresher.datasets._json_lines import parse_lines
from thresher.errors import InputError
from thresher.files import typed_json

pytestmark = pytest.mark.skipif(typed_json.parser() is None, reason="msgspec is for CPython only")

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', '\\"', "a:b", "é"]
)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    TEXTS | NUMBERS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=4)


def line(row, *, ascii_only=False):
    return json.dumps(row, ensure_ascii=ascii_only).encode() + b"\n"


def rows_of(lines):
    """What `parse_row` reads; None if it refuses a line."""
    try:
        return [parse_row("data:1", raw.decode()) for raw in lines]
    except (InputError, UnicodeDecodeError):
        return None


@given(ROWS, st.booleans())
def test_objects_are_read_as_by_json(rows, ascii_only):
    lines = [line(row, ascii_only=ascii_only) for row in rows]
    assert repr(rows_of(lines)) == repr(rows)
    assert repr(parse_lines(lines)) in {repr(rows), "None"}


def test_plain_rows_are_not_left_to_parse_row():
    rows = [
        {"id": "q1", "text": 'she said "so"\n', "tags": ["a", "b\\"], "score": 0.1, "count": -3, "ok": True},
        {"id": "é", "text": None, "nested": {"key": [{"deep": "😀"}]}, "big": 10**30},
    ]
    for ascii_only in (False, True):
        assert parse_lines([line(row, ascii_only=ascii_only) for row in rows]) == rows


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1, "a": 1}',
        b'{"a": "x", "b": {"c": 1, "c": 2}}',
        b'{"a": [{"c": "", "c": ""}]}',
        b'{"a": "\\u0022", "b": 1, "b": 2}',
        b'{"a": "\\u0022\\u0022", "b": 2, "\\u0062": 2}',
        b'{"a": "\\"", "a": "\\""}',
        b'{"a": NaN}',
        b'{"a": 1e400}',
        b'{"a": "\\ud800"}',
        b'{"a": "\xff"}',
        b'{"a": ' + b"[" * 100_000 + b"}",
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": 1} {"a": 2}',
        b"[1]",
        b'"text"',
        b"",
        b"{",
    ],
    ids=lambda raw: repr(raw[:30]),
)
def test_what_json_decides_is_left_to_it(raw):
    assert parse_lines([b'{"a": "x"}', raw]) is None


@pytest.mark.parametrize("seed", range(300))
def test_changed_lines_are_read_as_by_json_or_left_to_it(seed):
    rng = Random(seed)  # noqa: S311  # repeatable, not secret
    rows = [{"id": number, "text": 'a "b" \\ é', "list": ["x", {"k": "v"}]} for number in range(3)]
    content = bytearray(b"".join(line(row, ascii_only=rng.random() < 0.5) for row in rows))
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(content))
        content[at : at + rng.randint(0, 3)] = rng.choice([*TOKENS, b'"id": 7, ', b'"k": "", '])
    lines = bytes(content).splitlines(keepends=True)
    fast = parse_lines(lines)
    if fast is not None:
        assert repr(fast) == repr(rows_of(lines))


def test_without_msgspec_nothing_is_read(monkeypatch):
    monkeypatch.setattr("thresher.datasets._json_lines.parser", lambda: None)
    assert parse_lines([b'{"a": 1}']) is None


def test_blank_lines_do_not_count_at_any_place_of_a_file(tmp_path):
    blank = ("\n", " \t\r\n", "\u2003\n", "\x1c\n")
    lines = ["\ufeff" + json.dumps({"id": 0, "question": "a"}) + "\n"]
    for number in range(1, 2_003):
        lines += [*blank[: number % 5 * (number in {1, 998, 999, 1000, 1001, 1999, 2001})]]
        lines.append(json.dumps({"id": number, "question": f"q{number}"}) + "\n")
    path = tmp_path / "data.jsonl"
    path.write_text("".join([*lines, "\u2003\n"]), encoding="utf-8")
    source, whole = read_by_chunk(path)
    expected = read_dataset(path)
    assert (whole.ids, whole.fingerprint()) == (expected.ids, expected.fingerprint())
    assert source.slice(997, 1_003).ids == expected.ids[997:1_003]
