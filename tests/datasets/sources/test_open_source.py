"""Files read by chunk are the data set that `read_dataset` reads, and are refused with its words."""

import datetime as dt
import gzip
import json
import pickle
import warnings
from pathlib import Path
from random import Random

import pytest

from datasets.sources.chunked import assert_same, assert_same_items, is_staged, use_small_blocks
from fuzz import tables
from fuzz.inputs import ROWS, changed, changed_lines
from thresher.datasets import Dataset, read_dataset
from thresher.datasets.sources import open_source
from thresher.errors import DataWarning, InputError
from thresher.files.stores import FolderStore

pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    use_small_blocks(monkeypatch, 3)


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows):
    return "".join(",".join(row) + "\n" for row in rows).encode()


LATE = {
    "a text after numbers": as_csv([["id", "group"], ["a", "1"], ["b", "2"], ["c", "3"], ["d", "x"]]),
    "a decimal after whole numbers": as_csv([["id", "n"], ["a", "1"], ["b", "2"], ["c", "3"], ["d", ".5"]]),
    "truth values to the end": as_csv([["id", "n"], ["a", "true"], ["b", ""], ["c", "no"], ["d", "false"]]),
    "a missing number at the end": as_csv([["id", "n"], ["a", "1"], ["b", "2"], ["c", "3"], ["d", "n/a"]]),
    "only empty cells": as_csv([["id", "n"], ["a", ""], ["b", "nan"], ["c", ""], ["d", ""]]),
    "a mark at the end": as_csv([["id", "x"], ["a", "q"], ["b", "r"], ["c", "s"], ["d", "'=1+2"]]),
    "a formula after marks": as_csv([["id", "x"], ["a", "'=1"], ["b", "r"], ["c", "s"], ["d", "=1+2"]]),
    "a text among lists": b'question,contexts\na,"[""x""]"\nb,"[""y""]"\na,plain\nc,"[""z""]"\n',
    "an answer among lists": b'question,ground_truth_answers\na,"[""x""]"\nb,"[""y""]"\na,plain\nc,z\n',
    "answers that repeat": as_csv([["question", "a"], *[["who?", str(n)] for n in range(8)]]),
}
LATE_JSON = {
    "a column at the end": [{"id": n, "question": "q"} for n in range(6)] + [{"id": 7, "late": 1}],
    "questions that repeat": [{"question": f"q{n % 3}", "response": "r"} for n in range(11)],
    "questions that are missing": [{"question": None if n % 2 else "q", "response": "r"} for n in range(7)],
    "a list at the end": [{"id": n, "context": "c", "contexts": ["x"]} for n in range(5)]
    + [{"id": 9, "context": ["c"]}],
    "a name that is sure at the end": [{"id": n, "answer": "c"} for n in range(5)]
    + [{"id": 9, "response": "c"}],
    "keys of objects at the end": [{"id": n, "meta": {"a": n}} for n in range(5)]
    + [{"id": 9, "meta": {"a": 1, "b": {"c": 2}}}],
    "a text among objects at the end": [{"id": n, "meta": {"a": n}} for n in range(5)]
    + [{"id": 9, "meta": "x"}],
    "a number among texts at the end": [{"id": n, "question": "q"} for n in range(5)]
    + [{"id": 9, "question": 4.0}],
    "chats": [
        {"id": n, "messages": [{"role": "user", "content": "a"}] * (1 + n % 3), "response": "r"}
        for n in range(8)
    ],
    "an entry that only the final name allows": [{"id": 1, "label": "x", "prediction": ["a"]}]
    + [{"id": n, "label": "x", "prediction": "a"} for n in range(2, 8)],
    "a bad entry at the end": [{"id": n, "contexts": ["c"]} for n in range(6)] + [{"id": 9, "contexts": 4}],
    "two bad entries, the first in the last column": [{"id": 1, "response": "r", "contexts": {"a": [1]}}]
    + [{"id": n, "response": ["r"], "contexts": ["c"]} for n in range(2, 8)],
    "a repeated id": [{"id": n % 7, "question": "q"} for n in range(9)],
    "a missing id at the end": [{"id": n or None, "question": "q"} for n in range(5, -1, -1)],
    "half a character": [{"id": n, "question": "\ud83d" if n == 4 else "q"} for n in range(7)],
}


@pytest.mark.parametrize("name", LATE)
def test_what_a_later_row_decides_holds_for_earlier_chunks_of_csv(name, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(LATE[name])
    assert is_staged(assert_same(path))
    assert_same(path, limit=2)


@pytest.mark.parametrize("name", LATE_JSON)
def test_what_a_later_row_decides_holds_for_earlier_chunks_of_jsonl(name, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl(LATE_JSON[name]))
    source = assert_same(path)
    assert isinstance(source, str) or is_staged(source)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv"])
@pytest.mark.parametrize("packed", [False, True])
def test_mutated_files_are_the_whole_or_are_refused_with_the_same_words(suffix, packed, tmp_path):
    contents = {".csv": tables.CSV, ".tsv": tables.CSV.replace(",", "\t")}
    many = [{**row, "id": f"{row.get('id')}-{copy}"} for copy in range(4) for row in ROWS]
    read = 0
    for number in range(25):
        rng = Random(f"{suffix} {number}")  # noqa: S311
        rows = rng.choice([ROWS, many])
        text = contents.get(suffix)
        content = changed_lines(rng, rows) if text is None else changed(rng, text.encode())
        path = tmp_path / f"data{number}{suffix}{'.gz' if packed else ''}"
        path.write_bytes(gzip.compress(content) if packed else content)
        options = {"limit": rng.randrange(1, 6)} if rng.random() < 0.2 else {}
        if text is not None and rng.random() < 0.3:
            options["empty_cells"] = "text"
        read += is_staged(assert_same(path, **options))
    assert read


@pytest.mark.parametrize("groups", [1, 2, 5, 100])
def test_parquet_of_any_row_groups_is_the_whole(groups, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = [{**row, "id": f"{row.get('id')}-{copy}"} for copy in range(5) for row in ROWS]
    path = tmp_path / "data.parquet"
    names = ("id", "question", "response", "contexts")
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    pq.write_table(table, path, row_group_size=groups)
    assert is_staged(assert_same(path))
    assert is_staged(assert_same(path, limit=7))
    assert_same(path, mapping={"response": "ground_truth_answers"}, name="other")


def test_a_mapping_holds_for_every_chunk(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "text": "a", "meta": {"x": n}} for n in range(8)))
    mapping = {"text": "predicted_answers", "meta": "extra"}
    source = assert_same(path, mapping=mapping)
    assert source.slice(5, 6).columns["extra"][0] == {"x": 5}
    assert "no column 'nothing'" in assert_same(path, mapping={"nothing": "questions"})


def test_lines_may_end_with_a_carriage_return_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"id,x\ra,1\rb,2\r")
    assert is_staged(assert_same(path))


def test_a_small_file_is_read_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.undo()
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl([{"id": 1}]))
    assert isinstance(open_source(path), Dataset)


def test_anything_but_a_file_of_rows_is_read_as_before(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"id": 1, "question": "q"}]))
    assert isinstance(open_source(path), Dataset)
    assert isinstance(open_source({"id": [1]}), Dataset)
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "nothing.jsonl")
    rows = tmp_path / "data.jsonl"
    rows.write_bytes(as_jsonl([{"id": 1}]))
    with pytest.raises(InputError, match="there are no splits"):
        open_source(rows, split="test")


def test_guesses_are_reported_once(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "question": n} for n in range(8)))
    with pytest.warns(DataWarning, match="numbers in 'question' are read as texts") as caught:
        source = open_source(path)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source.slice(0, 8)


def test_slices_have_the_meaning_of_slices_of_python(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "question": "q"} for n in range(8)))
    source = open_source(path)
    assert list(source.slice(-2, 99).ids) == ["6", "7"]
    empty = source.slice(5, 2)
    assert (len(empty), list(empty.columns)) == (0, ["questions"])


def test_a_pickled_source_is_small_and_reads_the_same(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "question": "q" * 50} for n in range(200)))
    source = open_source(path)
    pickled = pickle.dumps(source)
    assert len(pickled) < 3_000
    assert list(pickle.loads(pickled).slice(150, 152).ids) == ["150", "151"]  # noqa: S301


def test_a_file_that_changes_after_it_was_staged_is_harmless(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "question": "q"} for n in range(8)))
    source, expected = open_source(path), read_dataset(path)
    path.unlink()
    assert_same_items(source, expected)


def test_a_temporary_stage_ends_with_its_source_and_a_stored_one_is_used_again(tmp_path):
    path, kept = tmp_path / "data.jsonl", FolderStore(tmp_path / "stages")
    path.write_bytes(as_jsonl({"question": f"q{n % 3}"} for n in range(8)))
    source = open_source(path)
    folder = Path(source.location)
    stored = source.stored_in(kept)
    del source
    assert not folder.exists()
    again = open_source(path, index=kept)
    assert again.location == stored.location
    assert list(again.slice(0, 8).ids) == list(stored.slice(0, 8).ids)
    path.write_bytes(as_jsonl({"question": f"q{n % 3}"} for n in range(9)))
    assert open_source(path, index=kept).location != stored.location
    assert open_source(path, index=kept, limit=2).location != stored.location


def test_a_damaged_stage_is_named_and_one_without_rows_is_made_anew(tmp_path):
    path, kept = tmp_path / "data.jsonl", FolderStore(tmp_path / "stages")
    path.write_bytes(as_jsonl({"question": f"q{n}"} for n in range(8)))
    source = open_source(path).stored_in(kept)
    for file in Path(source.location).glob("*.parquet"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"rows-00000-\w+.parquet is damaged; delete its folder and run"):
        source.slice(0, 1)
    source.delete_rows()
    assert [file.name for file in Path(source.location).iterdir()] == ["index.json"]
    assert open_source(path, index=kept).location != source.location


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_values_that_only_arrow_has_are_staged_as_they_are(suffix, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "id": [str(n) for n in range(7)],
            "when": pa.array(
                [dt.datetime(2024, 1, 1 + n, tzinfo=dt.UTC) for n in range(7)], pa.timestamp("ns", "UTC")
            ),
            "bytes": [b"a", None] * 3 + [b"b"],
            "grades": pa.array([[("d", n)] for n in range(7)], pa.map_(pa.string(), pa.int64())),
            "texts": pa.array([["x", "y"]] * 7, pa.list_(pa.dictionary(pa.int32(), pa.string()))),
            "big": pa.array([2**64 - 1] * 7, pa.uint64()),
        }
    )
    path = tmp_path / f"data.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as sink:
            sink.write_table(table, max_chunksize=2)
    assert is_staged(assert_same(path))


def test_a_chunk_reads_only_its_own_files(tmp_path, monkeypatch):
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_jsonl({"id": n, "question": "q"} for n in range(100)))
    source = open_source(path)
    read, files = [], Path(source.location)
    original = FolderStore.read
    monkeypatch.setattr(FolderStore, "read", lambda *of: read.append(of[1]) or original(*of))
    assert list(source.slice(50, 52).ids) == ["50", "51"]
    assert len(read) == 1 < len(list(files.glob("rows-*.parquet")))
