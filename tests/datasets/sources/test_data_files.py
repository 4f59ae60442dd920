"""Folders, patterns and Arrow files are one data set."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from datasets.sources.chunked import assert_same_items, use_small_blocks
from thresher import evaluate, open_run, read_dataset
from thresher.cli.main import main
from thresher.datasets.sources import DataFiles, open_source, read_source
from thresher.errors import InputError

ROWS = [{"question": f"q{n % 5}", "response": "a", "reference": "ab"[n % 2], "n": n} for n in range(23)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    use_small_blocks(monkeypatch, 3)


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_arrow(path, rows, *, stream, size=4):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(rows)
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(str(path), table.schema) as sink:
        sink.write_table(table, max_chunksize=size)


@pytest.fixture
def expected(tmp_path):
    """All rows as one file; the folder of the parts has its name."""
    (tmp_path / "one").mkdir()
    write_lines(tmp_path / "one/rows.jsonl", ROWS)
    return read_dataset(tmp_path / "one/rows.jsonl")


@pytest.mark.parametrize("cuts", [[0, 23], [0, 7, 8, 23], [0, 1, 1, 20, 23]])
def test_a_folder_or_pattern_is_its_files_in_the_order_of_their_names(cuts, tmp_path, expected):
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, (start, stop) in enumerate(pairwise(cuts)):
        write_lines(folder / f"part-{number}.jsonl", ROWS[start:stop])
    (folder / ".hidden.jsonl").write_text("not JSON")
    (folder / "README.md").write_text("not data")
    assert_same_items(open_source(folder), expected)
    assert_same_items(open_source(f"{folder}/part-*.jsonl", name="rows"), expected)
    assert read_source(folder) == expected
    assert_same_items(open_source(folder, limit=9), read_dataset(tmp_path / "one/rows.jsonl", limit=9))


def test_a_message_names_the_file_and_the_line_of_a_folder(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    write_lines(folder / "a.jsonl", [{"id": n} for n in range(5)])
    write_lines(folder / "b.jsonl", [{"id": n} for n in (8, 3)])
    with pytest.raises(InputError, match=r"b\.jsonl:2: the id '3'.*was used before, at .*a\.jsonl:4"):
        open_source(folder)
    (folder / "c.csv").write_text("id\n9\n")
    with pytest.raises(InputError, match=r"several formats \(csv, jsonl\)"):
        open_source(folder)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("size", [1, 4, 100])
def test_arrow_files_and_streams_are_entered_at_a_batch(stream, size, tmp_path, expected):
    path = tmp_path / "rows.arrow"
    write_arrow(path, ROWS, stream=stream, size=size)
    assert_same_items(open_source(path), expected)
    first = open_source(path, limit=6)
    assert first.slice(0, 6) == expected.head(6)
    assert len(first) == 6
    assert read_source(path) == expected


def test_a_saved_data_set_of_hugging_face_is_read_by_its_list_of_files(tmp_path, expected):
    for split in ("train", "test"):
        folder = tmp_path / "rows" / split
        folder.mkdir(parents=True)
        write_arrow(folder / "data-00000-of-00002.arrow", ROWS[:9], stream=True)
        write_arrow(folder / "data-00001-of-00002.arrow", ROWS[9:], stream=True)
        names = [{"filename": f"data-0000{number}-of-00002.arrow"} for number in (0, 1)]
        (folder / "state.json").write_text(json.dumps({"_data_files": names}))
    (tmp_path / "rows/dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    assert_same_items(open_source(tmp_path / "rows", split="train"), expected)
    with pytest.raises(InputError, match="choose one of train, test"):
        open_source(tmp_path / "rows")
    state = tmp_path / "rows/train/state.json"
    state.write_text(json.dumps({"_data_files": [{"filename": "../../one/rows.jsonl"}]}))
    with pytest.raises(InputError, match="not one in its folder"):
        open_source(tmp_path / "rows/train")


def test_a_run_takes_a_folder_and_refuses_a_file_that_is_added(tmp_path, capsys):
    folder = tmp_path / "rows"
    folder.mkdir()
    write_lines(folder / "a.jsonl", ROWS[:9])
    command = ["run", "exact_match", "--data", str(folder), "--out", str(tmp_path / "run"), "--quiet"]
    assert main(command) == 0
    assert len(open_run(tmp_path / "run")) == 9
    assert len(evaluate("exact_match", folder)) == 9
    write_lines(folder / "b.jsonl", ROWS[9:])
    assert main(command) == 2
    assert "other data" in capsys.readouterr().err


def test_folders_of_other_readers_are_not_files_of_rows(tmp_path):
    (tmp_path / "beir/qrels").mkdir(parents=True)
    write_lines(tmp_path / "beir/corpus.jsonl", ROWS)
    assert DataFiles.of(tmp_path / "beir") is None
    assert DataFiles.of(tmp_path / "nothing-*.jsonl") is None
    assert DataFiles.of("\0") is None
    assert DataFiles.of([1]) is None
    assert DataFiles.of(Path("x" * 5000)) is None


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("part-*.jsonl", "part"),
        ("*-answers_[0-9][!a].jsonl", "answers"),
        ("*.jsonl", "answers"),
        ("*", "answers"),
        ("../answers*/?.jsonl", "answers"),
        ("../*/part-?.jsonl", "part"),
    ],
)
def test_a_pattern_has_the_name_that_remains_without_wildcards(pattern, name, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    for file in ("1.jsonl", "part-1.jsonl", "x-answers_1b.jsonl"):
        (folder / file).write_text('{"question": "a"}\n')
    files = DataFiles.of(f"{folder}/{pattern}")
    assert files is not None
    assert files.name == name


def test_the_remedies_of_the_command_line_are_options_that_it_has(tmp_path, capsys):
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name in ("a.jsonl", "b.csv", "c.odd"):
        (folder / name).write_text("x")
    for path, remedy in (
        (folder, "name those of one format with a quoted pattern such as '*.csv'"),
        (folder / "c.odd", "rename it to one of .jsonl, .ndjson"),
    ):
        assert main(["run", "exact_match", "--data", str(path), "--out", str(tmp_path / "run")]) == 2
        message = capsys.readouterr().err
        assert remedy in message
        assert "format=" not in message
