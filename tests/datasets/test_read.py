import csv
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.datasets import read_dataset

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "question": texts,
            "predicted_answer": texts,
            "contexts": st.lists(texts, max_size=3),
            "retrieved_documents": st.lists(st.text("abc019-", min_size=1, max_size=4), max_size=3),
            "score": st.none() | st.floats(allow_nan=False) | st.integers(-(2**40), 2**40),
        }
    ),
    min_size=1,
    max_size=5,
)


def as_jsonl(path, items):
    path.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in items), encoding="utf-8")


def as_json(path, items):
    path.write_text(json.dumps(items, indent=1), encoding="utf-8")


def as_csv(path, items):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(
            file, items[0], quoting=csv.QUOTE_ALL, delimiter="\t" if path.suffix == ".tsv" else ","
        )
        writer.writeheader()
        for item in items:
            written = {
                key: json.dumps(value) if isinstance(value, list) else value for key, value in item.items()
            }
            writer.writerow(written)


def as_parquet(path, items):
    score = pa.array(
        [item["score"] if item["score"] is None else float(item["score"]) for item in items], pa.float64()
    )
    names = [name for name in items[0] if name != "score"]
    lists = {"contexts", "retrieved_documents"}
    arrays = [
        pa.array([item[name] for item in items], pa.list_(pa.string()) if name in lists else pa.string())
        for name in names
    ]
    pq.write_table(pa.table([*arrays, score], names=[*names, "score"]), path)


FORMATS = {"jsonl": as_jsonl, "json": as_json, "csv": as_csv, "tsv": as_csv, "parquet": as_parquet}


@settings(deadline=None)  # files are written
@given(rows)
def test_every_format_gives_back_what_was_written_under_one_fingerprint(items):
    expected = read_dataset(items)
    with tempfile.TemporaryDirectory() as folder:
        for suffix, write in FORMATS.items():
            path = Path(folder) / f"data.{suffix}"
            write(path, items)
            found = read_dataset(path, empty_cells="text")
            assert found == expected, suffix
            assert found.fingerprint() == expected.fingerprint(), suffix
            assert read_dataset(path, limit=1, empty_cells="text") == expected.head(1), suffix


def test_a_csv_file_that_pandas_wrote_is_read(write, tmp_path):
    pd = pytest.importorskip("pandas")
    items = [{"user_input": "q", "retrieved_contexts": ["it's", 'say "x"'], "faithfulness": None}]
    pd.DataFrame(items).to_csv(tmp_path / write("data.csv", ""), index=False)
    assert {name: list(column) for name, column in read_dataset("data.csv").columns.items()} == {
        "questions": ["q"],
        "contexts": [["it's", 'say "x"']],
        "faithfulness": [None],
    }


def test_a_jsonl_file_with_recorded_scores_is_read_whole(write):
    row = {
        "id": "q000",
        "question": "q",
        "contexts": ["a", "b"],
        "ground_truth_answer": "r",
        "predicted_answer": "p",
        "recorded_scores": {"context_relevance": 1.0, "faithfulness": None, "sas": 0.25},
    }
    dataset = read_dataset(write("data.jsonl", [row]))
    assert dataset.ids == ["q000"]
    assert {name: column[0] for name, column in dataset.columns.items()} == {
        "questions": "q",
        "contexts": ["a", "b"],
        "ground_truth_answers": "r",
        "predicted_answers": "p",
        "context_relevance": 1.0,
        "faithfulness": None,
        "sas": 0.25,
    }


def test_the_format_may_be_given_and_paths_may_be_path_objects(write):
    path = Path(write("data.txt", '{"question": "q"}'))
    assert len(read_dataset(path, format="jsonl", name="mine")) == 1
    assert read_dataset(path, format="jsonl").name == "data"
    assert read_dataset(write("DATA.CSV", "a\n1\n")).columns["a"] == [1]


def test_files_that_are_not_there_or_of_no_known_format_are_refused(write, refusal, tmp_path):
    known = write("data.jsonl", '{"a": 1}')
    assert (
        refusal("no.csv") == f"no.csv does not exist; give the path of a data file (looked from {tmp_path})"
    )
    assert refusal("no\0.csv").startswith(r"no\x00.csv does not exist;")
    assert refusal("x" * 5000).endswith(
        f"does not exist; give the path of a data file (looked from {tmp_path})"
    )
    assert refusal(tmp_path) == f"{tmp_path} is a directory; give the path of one data file"
    message = refusal(write("data.txt", "x"))
    assert message.startswith("data.txt: cannot infer a format from the suffix '.txt'; use one of .jsonl, ")
    assert message.endswith(", or give format=")
    message = refusal(write("found.PKL", "x"))
    assert message.startswith(
        "found.PKL is a pickle by its suffix, which runs code when it is read; write its"
    )
    assert refusal(known, format="xml").startswith(
        "format='xml' is unknown; choose one of jsonl, json, csv, tsv, parquet"
    )
    assert refusal({"a": [1]}, format="csv") == "format='csv' is for files; leave it out for an object"


@pytest.mark.parametrize("limit", [0, -1, True, 1.5])
def test_a_limit_is_a_whole_number_of_at_least_one(refusal, limit):
    assert refusal({"a": [1]}, limit=limit) == (
        f"limit={limit!r} must be a whole number of at least 1, or None for all rows"
    )


def test_a_file_that_may_not_be_read_is_refused(write, refusal, monkeypatch):
    path = write("data.jsonl", '{"a": 1}')

    def forbidden(*_):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(Path, "open", forbidden)
    assert refusal(path) == "data.jsonl cannot be read: Permission denied"
