"""Numbers in columns of texts become texts, by one rule for every source."""

import io
import json
import warnings

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher import evaluate
from thresher.datasets import read_dataset
from thresher.datasets._values import as_text
from thresher.errors import DataWarning

pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")

TABLE = "question,answer,ground_truth\n2+2?,4,4\n3+3?,6,7\n"
GAPS = "question,answer,ground_truth\na,4,0.5\nb,,2.25\nc,12,-3\n"
TRUTHS = "question,answer,ground_truth\na,true,false\nb,false,true\n"
MIXED = "question,answer,ground_truth\na,4,four\nb,no,5\n"
NUMBERED = "question,answer,ground_truth\n1,4,4\n2,x,y\n"


def texts(source):
    return {name: list(column) for name, column in read_dataset(source).columns.items()}


@pytest.mark.parametrize("text", [TABLE, GAPS, TRUTHS, MIXED, NUMBERED])
def test_one_table_gives_the_same_texts_from_every_source(write, text):
    path = write("data.csv", text)
    frame = pd.read_csv(io.StringIO(text))
    records = frame.to_dict("records")
    frame.to_parquet("data.parquet")
    pq.write_table(pa.Table.from_pandas(frame.convert_dtypes()), "whole.parquet")
    jsonl = write(
        "data.jsonl",
        frame.to_json(orient="records", lines=True),
    )
    listed = write("data.json", json.dumps(json.loads(frame.to_json(orient="records"))))
    expected = texts(path)
    for source in (
        frame,
        frame.convert_dtypes(),
        records,
        frame.to_dict("list"),
        "data.parquet",
        "whole.parquet",
        jsonl,
        listed,
    ):
        assert texts(source) == expected
    assert read_dataset(frame).fingerprint() == read_dataset(path).fingerprint()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (4, "4"),
        (4.0, "4"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-7, "1e-07"),
        (2.0**53, "9007199254740992.0"),
        (10**20, "100000000000000000000"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_number_becomes_a_text_that_reads_back_equal(number, text):
    assert as_text(number) == text
    assert json.loads(text) == number
    assert read_dataset([{"response": number}]).columns["predicted_answers"] == [text]


def test_scores_of_numbers_are_those_of_the_file(write):
    path = write("data.csv", TABLE)
    for source in (path, pd.read_csv(path), [{"question": "6*7?", "answer": "42", "ground_truth": 42}]):
        value = evaluate(["exact_match"], read_dataset(source)).metrics["exact_match"].value
        assert value == (1.0 if isinstance(source, list) else 0.5)


def test_one_note_names_the_columns_and_how_to_keep_texts_as_written():
    frame = pd.read_csv(io.StringIO("question,response,reference\na,4,0.50\n"))
    with pytest.warns(DataWarning, match="numbers in 'response', 'reference' are read as texts"):
        dataset = read_dataset(frame)
    assert len(dataset.notes) == 1
    assert "such as '0.5'" in dataset.notes[0]
    assert "dtype=str" in dataset.notes[0]


def test_texts_of_a_file_stay_as_written_and_need_no_note(write):
    path = write("data.csv", "question,response,reference\na,3.10,007\n")
    with warnings.catch_warnings(action="error"):
        assert texts(path) == {
            "questions": ["a"],
            "predicted_answers": ["3.10"],
            "ground_truth_answers": ["007"],
        }


@pytest.mark.parametrize("column", ["response", "reference", "contexts"])
def test_lists_of_numbers_are_refused(refusal, column):
    assert "list" in refusal([{column: [4, 5]}])
