"""Lists read from a JSON file by block are those of the whole file, or are refused with the same words."""

import json
import tracemalloc
from random import Random

import pytest

from fuzz.mutations import mutate_bytes, mutate_data
from thresher.errors import InputError
from thresher.files import json_lists, texts
from thresher.files.json_lists import RepeatedKeyError, read_lists
from thresher.files.parsing import parse_json
from thresher.files.texts import text_blocks, whole_text

DATA = {
    "info": {"year": 2017, "nested": [[1, {"a": []}]]},
    "images": [
        {"id": 1, "name": 'ä\u2028\ud83d\ude00 \\" }, {'},
        {"id": -2.5e-3, "tags": ["},{", None, True]},
    ],
    "empty": [],
    "numbers": [1, 12345678901234567890, 0.5, float("inf"), float("nan"), "text", [], {}],
    "last": None,
}


@pytest.fixture(params=[1, 7, 64, 1 << 20])
def block(request, monkeypatch):
    monkeypatch.setattr(texts, "_BLOCK", request.param)
    monkeypatch.setattr(json_lists, "_AT_ONCE", request.param)


def outcome(read, path):
    try:
        return read(path)
    except InputError as error:
        return str(error)


def by_block(path, *, exact=True):
    """The lists of a file, which are put together from blocks; RepeatedKeyError is passed on."""
    lists = {}
    for entries in read_lists(path, exact=exact):
        assert entries.first == len(lists.setdefault(entries.key, []))
        assert repr([json.loads(text) for text in entries.texts]) == repr(entries.values)
        lists[entries.key] += entries.values
    return lists


def whole(path):
    content = parse_json(whole_text(path), path)
    if isinstance(content, list):
        return {None: content}
    lists = content.items() if isinstance(content, dict) else ()
    return {key: value for key, value in lists if isinstance(value, list)}


def assert_same(path):
    expected = outcome(whole, path)
    assert repr(outcome(by_block, path)) == repr(expected)
    if not isinstance(expected, str):
        assert repr(by_block(path, exact=False)) == repr(expected)
    return expected


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("indent", [None, 1])
def test_lists_are_those_of_the_whole_file(tmp_path, indent):
    for content in (DATA, DATA["numbers"], [], {}, 5, "text", None):
        (tmp_path / "a.json").write_text(json.dumps(content, indent=indent))
        assert_same(tmp_path / "a.json")


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "[",
            "{",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1.]",
            "[1]x",
            "[]]",
            "{}.5",
            '{"a"}',
            "[-]",
        ),
        *(
            '{"a":}',
            '{"a":[}',
            '{"a":[1}',
            '{"a":[1]',
            '{"a":[1],}',
            '{"a":[1] "b"}',
            "{1:2}",
            '{"a":[t]}',
            "nul",
        ),
        *(
            '["\\ud8"]',
            '["\\x"]',
            '["a\nb"]',
            '["a',
            '[{"a":"',
            "[" * 99 + "]" * 99,
            "[" * 101 + "]" * 101,
            "9" * 400,
        ),
        *(
            '{"a":' * 99 + "[]" + "}" * 99,
            '{"a":' * 100 + "[]" + "}" * 100,
            "[" + "9" * 400 + "]",
            "[" + "9" * 5000 + "]",
        ),
        *(
            "[" * 5000,
            '{"a":' * 5000,
            "\n[\n1,\n 2\n 3]",
            "\r[\r1 2]",
            '["\u00e9",\n"\u00e9" 5]',
            "\ufeff[1]",
            "\ufeff\n[1 2]",
        ),
    ],
)
def test_odd_texts_are_read_or_refused_with_the_same_words(tmp_path, text):
    (tmp_path / "a.json").write_bytes(text.encode())
    assert_same(tmp_path / "a.json")


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    "content",
    [b"[1]\n\xff", b"\xff\xfe[\x00", b'[1,\n "\xc3\xa4\xe2\x82"', b"\xef\xbb\xbf\xe2", b"\r\r \xff"],
)
def test_bytes_that_are_not_utf8_are_named(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content)
    expected = outcome(whole_text, tmp_path / "a.json")
    assert "is not UTF-8" in expected
    assert outcome(lambda path: "".join(text_blocks(path)), tmp_path / "a.json") == expected
    assert outcome(by_block, tmp_path / "a.json") == expected


@pytest.mark.parametrize("block", [1, 7, 50], indirect=True)
@pytest.mark.usefixtures("block")
def test_mutated_files_are_read_or_refused_with_the_same_words(tmp_path):
    path, read = tmp_path / "a.json", 0
    for number in range(60):
        rng = Random(number)  # noqa: S311
        data = mutate_data(rng, DATA) if number % 2 else DATA
        path.write_bytes(
            json.dumps(data).encode()
            if number % 2
            else mutate_bytes(rng, json.dumps(data, indent=number % 3 or None).encode())
        )
        try:
            by_block(path)
        except InputError:
            pass
        except RepeatedKeyError:
            continue
        read += not isinstance(assert_same(path), str)
    assert 5 < read < 55


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("is_listed", [False, True])
def test_of_several_problems_that_of_the_whole_file_is_named(tmp_path, is_listed):
    deep, long = "[" * 101 + "]" * 101, "[" + "9" * 400 + "]"
    rest = ["[1]", '["' + "a" * 300 + '"]']
    for parts in ([long, deep, *rest], [deep, *rest, long], [long, *rest, "[t]"], [deep, *rest, "5"]):
        items = parts if is_listed else [f'"{at}": {part}' for at, part in enumerate(parts)]
        text = ",".join(items)
        (tmp_path / "a.json").write_text(f"[{text}]" if is_listed else f"{{{text}}}")
        assert isinstance(assert_same(tmp_path / "a.json"), str)


def test_a_repeated_key_is_not_decided(tmp_path):
    (tmp_path / "a.json").write_text('{"a": [1], "a": [2]}')
    with pytest.raises(RepeatedKeyError):
        by_block(tmp_path / "a.json")


@pytest.mark.parametrize("block", [1 << 13], indirect=True)
@pytest.mark.usefixtures("block")
def test_memory_does_not_grow_with_the_list(tmp_path):
    peaks = []
    for size in (4_000, 16_000):
        (tmp_path / "a.json").write_text(
            json.dumps({"a": [{"id": number, "box": [0, 1, 2, 3]} for number in range(size)]})
        )
        tracemalloc.start()
        for entries in read_lists(tmp_path / "a.json"):
            assert entries.key == "a"
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
