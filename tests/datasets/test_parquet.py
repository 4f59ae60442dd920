import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.datasets import read_dataset


@pytest.fixture
def parquet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(columns, **options):
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, "data.parquet", **options)
        return "data.parquet"

    return write


def test_lists_structs_and_nulls_are_read(parquet):
    dataset = read_dataset(
        parquet(
            {
                "question": ["q1", "q2"],
                "contexts": [["a", "b"], None],
                "recorded_scores": [{"faithfulness": 0.5}, {"faithfulness": float("nan")}],
                "reference": [["x"], []],
            }
        )
    )
    assert {name: list(column) for name, column in dataset.columns.items()} == {
        "questions": ["q1", "q2"],
        "contexts": [["a", "b"], None],
        "ground_truth_answers": [["x"], []],
        "faithfulness": [0.5, None],
    }


def test_numbers_dates_and_truth_values_stay_what_they_are(parquet):
    day = dt.date(2026, 1, 2)
    dataset = read_dataset(
        parquet({"a": [1, None], "b": [Decimal("1.5"), Decimal("2.0")], "c": [day, day], "d": [True, None]})
    )
    assert [dataset.columns[name] for name in "abcd"] == [[1, None], [1.5, 2], [day, day], [True, None]]


def test_an_arrow_map_is_grades_by_document(parquet):
    grades = pa.array([[("d1", 2), ("d2", 0)]], pa.map_(pa.string(), pa.int64()))
    dataset = read_dataset(parquet(pa.table({"expected_ids": grades})))
    assert dataset.columns["ground_truth_documents"] == [{"d1": 2, "d2": 0}]


def test_keys_that_arrow_adds_to_a_struct_are_no_grades(parquet):
    dataset = read_dataset(parquet({"expected_ids": [{"d1": 2}, {"d2": 1}]}))
    assert dataset.columns["ground_truth_documents"] == [{"d1": 2}, {"d2": 1}]


def test_limit_reads_across_row_groups_and_stops(parquet):
    path = parquet({"a": list(range(10))}, row_group_size=3)
    assert read_dataset(path, limit=5).columns["a"] == [0, 1, 2, 3, 4]
    assert len(read_dataset(path, limit=50)) == 10


def test_the_nameless_index_of_pandas_is_no_column_and_a_named_one_is(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"question": ["a", "b"]}, index=[5, 7])
    frame.to_parquet("data.parquet")
    assert list(read_dataset("data.parquet").columns) == ["questions"]
    frame.rename_axis("id").to_parquet("data.parquet")
    assert read_dataset("data.parquet").ids == ["5", "7"]


def test_a_wrong_type_is_named_by_row(parquet, refusal):
    assert refusal(parquet({"question": ["q", "r"], "contexts": [[1], [2]]})) == (
        "data.parquet, row 1: contexts holds a list whose entry 1 is the number 1; expected a list of texts; "
        "fix the row, or name its meaning with read_dataset(..., mapping={'contexts': 'NAME'})"
    )


def test_files_that_are_no_parquet_hold_no_rows_or_a_name_twice_are_refused(write, parquet, refusal):
    assert refusal(write("data.parquet", "x")).startswith("data.parquet cannot be read as Parquet: ")
    assert refusal(parquet({"a": pa.array([], pa.int64())})) == "data.parquet has no rows; give at least one"
    twice = pa.table([[1], [2]], names=["a", "a"])
    assert refusal(parquet(twice)) == "data.parquet has two columns called 'a'; rename one"
