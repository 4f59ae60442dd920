import pytest

from thresher.datasets import read_dataset


def test_jsonl_gives_one_item_per_line(write):
    dataset = read_dataset(write("data.jsonl", '{"question": "q1", "score": 0.5}\n{"question": "q2"}\n'))
    assert dataset.columns["questions"] == ["q1", "q2"]
    assert dataset.columns["score"] == [0.5, None]
    assert dataset.name == "data"


def test_blank_lines_carriage_returns_and_a_byte_order_mark_are_no_rows(write):
    path = write("data.jsonl", b'\xef\xbb\xbf{"question": "\xc3\xa9"}\r\n\r\n  \n{"question": "b"}\r\n')
    assert read_dataset(path).columns["questions"] == ["é", "b"]


def test_nan_anywhere_is_none_and_infinity_stays(write):
    dataset = read_dataset(write("data.jsonl", '{"a": NaN, "b": [NaN, 1], "c": -Infinity}'))
    assert {name: list(column) for name, column in dataset.columns.items()} == {
        "a": [None],
        "b": [[None, 1]],
        "c": [float("-inf")],
    }


def test_gzipped_jsonl_is_read_and_named_without_its_suffixes(write):
    dataset = read_dataset(write("data.jsonl.gz", '{"question": "q"}'))
    assert (dataset.name, list(dataset.columns["questions"])) == ("data", ["q"])


def test_limit_leaves_the_rest_of_the_lines_unread(write):
    path = write("data.jsonl", '{"a": 1}\n{"a": 2}\n\xff not json\n'.encode("latin-1"))
    assert read_dataset(path, limit=2).columns["a"] == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"a": 1}\n\n{"a": 1 "b"}\n',
            ("data.jsonl:3: not JSON at column 9 (Expecting ',' delimiter); write one JSON object per line"),
        ),
        (
            '{"a": 1}\n[1]\n',
            (
                "data.jsonl:2: holds a list, not an object; write one JSON object per line, or name a file "
                "that is one JSON list .json"
            ),
        ),
        ("", "data.jsonl has no rows; give at least one"),
        ("\n \n", "data.jsonl has no rows; give at least one"),
        ("{}\n{}\n", "data.jsonl has no columns; name at least one"),
        (
            '{"a": 1}\n{"b": 1, "b": 2}',
            "data.jsonl:2: the key 'b' appears twice in one object; remove one",
        ),
        (
            '{"a": {"b": 1, "b": 2}}',
            "data.jsonl:1: the key 'b' appears twice in one object; remove one",
        ),
        (
            b'{"a": 1}\n{"a": "\xe9"}\n',
            "data.jsonl:2: byte 8 of the line (0xe9) is not UTF-8; save the file as UTF-8",
        ),
        (
            '{"a": 1}'.encode("utf-16"),
            (
                "data.jsonl:1: byte 1 of the line (0xff) is not UTF-8; the file looks like UTF-16; "
                "save the file as UTF-8"
            ),
        ),
    ],
)
def test_jsonl_that_cannot_be_read_is_named_by_line(write, refusal, content, message):
    assert refusal(write("data.jsonl", content)) == message


def test_a_number_of_thousands_of_digits_is_named_by_line(write, refusal):
    message = refusal(write("data.jsonl", '{"a": ' + "9" * 5000 + "}"))
    assert message.startswith("data.jsonl:1: a whole number has more than 4,300 digits; write it as text")


def test_a_truncated_gzip_file_is_refused(write, refusal, tmp_path):
    path = write("data.jsonl.gz", '{"question": "q"}\n' * 100)
    whole = (tmp_path / path).read_bytes()
    (tmp_path / path).write_bytes(whole[:-12])
    assert refusal(path).startswith("data.jsonl.gz cannot be read: Compressed file ended")


def test_json_is_a_list_of_objects(write):
    dataset = read_dataset(
        write("data.json", '\n[\n  {"question": "q1"},\n  {"question": "q2", "x": 1}\n]\n')
    )
    assert dataset.columns["questions"] == ["q1", "q2"]
    assert dataset.columns["x"] == [None, 1]


def test_json_is_an_object_of_lists(write):
    dataset = read_dataset(write("data.json", '{"question": ["q1", "q2"], "x": [1, NaN]}'))
    assert dataset.columns["questions"] == ["q1", "q2"]
    assert dataset.columns["x"] == [1, None]


@pytest.mark.parametrize("content", ['[{"a": 1}, {"a": 2}, {"a": 3}]', '{"a": [1, 2, 3]}'])
def test_limit_takes_the_first_of_a_json_file(write, content):
    assert read_dataset(write("data.json", content), limit=2).columns["a"] == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[\n {"a": 1},\n\n {"a" 2}\n]', "data.json:4: not JSON at column 7 (Expecting ':' delimiter)"),
        ('[{"a": 1}\n {"a": 2}]', "data.json:2: not JSON at column 2 (Expecting ',' delimiter)"),
        ('[{"a": 1}', "data.json:1: not JSON at column 10 (Expecting ',' delimiter)"),
        ('[{"a": 1}, ]', "data.json:1: not JSON at column 12 (Expecting value)"),
        (
            '{"a": 1}\n{"a": 2}',
            "data.json:2: not JSON at column 1 (Extra data); name a file with one object per line .jsonl",
        ),
        ('[{"a": 1},\n 3]', "data.json:2: holds the number 3, not an object; give one object per row"),
        (
            '[{"a": 1},\n {"b": 1, "b": 2}]',
            "data.json:2: the key 'b' appears twice in one object; remove one",
        ),
        (
            '{"a": 1}',
            "data.json: column 'a' holds the number 1, not a list; give one entry per row",
        ),
        (
            "3",
            (
                "data.json: holds the number 3, not an object; give a list of objects, one per row, or an "
                "object of lists, one per column"
            ),
        ),
        (
            '{"a": [1, 2], "b": [1]}',
            "data.json: columns have unequal lengths: a has 2, b has 1; give one entry per row in each",
        ),
        ("[]", "data.json has no rows; give at least one"),
        ('{"a": []}', "data.json has no rows; give at least one"),
        (" \n", "data.json has no rows; give at least one"),
    ],
)
def test_json_that_cannot_be_read_is_named_by_line(write, refusal, content, message):
    assert refusal(write("data.json", content)) == message


def test_a_wrong_type_in_a_json_list_is_named_by_the_line_where_its_row_begins(write, refusal):
    message = refusal(write("data.json", '[\n {"question": "q"},\n {\n  "question": [3]}\n]'))
    assert message.startswith("data.json:3: 'question' (read as questions) holds a list;")


def test_what_a_line_lacks_at_its_end_is_told_at_its_end(write, refusal):
    message = refusal(write("data.jsonl", '{"question": "a"}\n{"question":\n'))
    assert message.startswith("data.jsonl:2: not JSON at column 13 (Expecting value)")
