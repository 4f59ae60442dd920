"""Rows inside of something: objects around them, splits, and the files of single frameworks."""

import json

import pandas as pd
import pytest

from thresher import evaluate
from thresher.datasets import read_dataset
from thresher.errors import DataWarning

ROWS = [
    {"question": "q", "answer": "a", "ground_truth": "a"},
    {"question": "r", "answer": "b", "ground_truth": "c"},
]
COLUMNS = ["questions", "predicted_answers", "ground_truth_answers"]

quiet = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")


def both(write, content):
    """The object itself, and as a JSON file."""
    return [content, write("file.json", json.dumps(content))]


@quiet
@pytest.mark.parametrize(
    "content",
    [
        {"data": ROWS},
        {"examples": ROWS},
        {"whatever": ROWS},
        {"version": "1.0", "data": ROWS, "info": {"by": "us"}},
        {"data": ROWS, "tags": ["x", "y", "z"]},
        {"results": {"version": 3, "results": ROWS}},
        {"rows": ROWS, "features": [{"name": "question"}, {"name": "answer"}, {"name": "ground_truth"}]},
    ],
)
def test_an_object_around_one_list_of_rows_is_its_rows(write, content):
    for source in both(write, content):
        dataset = read_dataset(source)
        assert list(dataset.columns) == COLUMNS
        assert dataset == read_dataset(ROWS)
        assert evaluate(["exact_match"], dataset).metrics["exact_match"].value == 0.5


def test_what_is_beside_the_rows_is_named():
    with pytest.warns(DataWarning, match="'data'; other keys are ignored: 'version', 'info'"):
        read_dataset({"version": "1.0", "data": ROWS, "info": {}})


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ({"question": ["q", "r"], "data": [{"x": 1}, {"x": 2}]}, ["questions", "x"]),
        ({"predictions": [{"cat": 0.5}], "ground_truths": ["cat"]}, ["predictions", "ground_truths"]),
        ({"predictions": [{"cat": 0.5}]}, ["predictions"]),
        ({"train": ["q", "r"], "test": ["s", "t"]}, ["train", "test"]),
        ({"data": [1, 2], "rows": ["a", "b"]}, ["data", "rows"]),
        ({"data": []}, ["data"]),
    ],
)
def test_dicts_of_columns_stay_what_they_are(content, columns):
    assert list(read_dataset(content).columns) == columns


def test_a_key_that_is_mapped_is_a_column():
    content = {"data": [{"1": "bad"}, {"1": "good"}]}
    assert list(read_dataset(content, mapping={"data": "rubrics"}).columns) == ["rubrics"]


def test_several_lists_of_objects_are_refused_by_name_and_split_chooses_one(write, refusal):
    content = {"first": ROWS, "second": ROWS[:1]}
    for source, name in zip(both(write, content), ("the data", "file.json"), strict=True):
        message = refusal(source)
        assert message.startswith(
            f"{name}: 'first', 'second' each hold a list of objects; give one list of rows"
        )
        assert "split='first' (--split first)" in message
        assert len(read_dataset(source, split="second")) == 1


SPLITS = {"train": ROWS, "test": ROWS[:1]}


class DatasetDict(dict):
    """Like that of Hugging Face: a dict of data sets, which are no lists."""


class HuggingFace:
    def __init__(self, rows):
        self.rows = rows
        self.column_names = list(rows[0])
        self.features = {}

    def to_pandas(self):
        return pd.DataFrame(self.rows)


@pytest.mark.parametrize(
    "splits",
    [
        SPLITS,
        {name: {key: [row[key] for row in rows] for key in rows[0]} for name, rows in SPLITS.items()},
        {name: pd.DataFrame(rows) for name, rows in SPLITS.items()},
        DatasetDict({name: HuggingFace(rows) for name, rows in SPLITS.items()}),
        {"first": pd.DataFrame(ROWS), "second": pd.DataFrame(ROWS[:1])},
        {"train": ROWS, "test": ROWS[:1], "validation": []},
    ],
)
def test_splits_ask_which_one_and_are_never_zipped(refusal, splits):
    names = list(splits)
    message = refusal(splits)
    assert message.startswith(
        f"the data: there are {len(names)} splits; choose one of {', '.join(names)} with"
    )
    assert f"(--split {names[-1]})" in message
    assert read_dataset(splits, split=names[0]) == read_dataset(ROWS)
    assert len(read_dataset(splits, split=names[1])) == 1
    assert refusal(splits, split="dev") == (
        f"the data: split='dev' is unknown; choose one of {', '.join(names)}"
    )


def test_splits_in_a_file_are_chosen_too(write, refusal):
    path = write("data.json", json.dumps(SPLITS))
    assert refusal(path).startswith("data.json: there are 2 splits; choose one of train, test")
    dataset = read_dataset(path, split="test")
    assert (len(dataset), dataset.name) == (1, "data")


def test_the_only_split_is_read_and_a_note_says_so():
    with pytest.warns(DataWarning, match="read 'train', the only split"):
        assert read_dataset({"train": ROWS}) == read_dataset(ROWS)


@pytest.mark.parametrize("source", [ROWS, {"question": ["q"]}, pd.DataFrame(ROWS), {"data": ROWS}])
def test_a_split_of_data_without_splits_is_refused(refusal, source):
    if isinstance(source, dict) and "data" in source:
        assert "choose one of data" in refusal(source, split="test")
    else:
        assert refusal(source, split="test") == "the data: there are no splits; leave out split='test'"


def test_a_split_of_a_file_without_splits_is_refused(write, refusal):
    path = write("data.csv", "question\nq\n")
    assert refusal(path, split="test") == "data.csv: there are no splits; leave out split='test'"
    assert refusal(path, split=3) == "split=3 must be a text: the name of one split, or None"


SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Paris",
            "paragraphs": [
                {
                    "context": "Paris is the capital.",
                    "qas": [
                        {"id": "1", "question": "q", "answers": [{"text": "Paris", "answer_start": 0}]},
                        {"id": "2", "question": "r", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        },
        {
            "title": "Rome",
            "paragraphs": [{"context": "c", "qas": [{"id": "3", "question": "s", "answers": []}]}],
        },
    ],
}


@quiet
def test_squad_files_are_one_row_per_question(write):
    for source in both(write, SQUAD):
        dataset = read_dataset(source)
        assert list(dataset.ids) == ["1", "2", "3"]
        assert {name: list(column) for name, column in dataset.columns.items()} == {
            "title": ["Paris", "Paris", "Rome"],
            "contexts": [["Paris is the capital."], ["Paris is the capital."], ["c"]],
            "questions": ["q", "r", "s"],
            "ground_truth_answers": [["Paris"], [], []],
            "is_impossible": [None, True, None],
        }
        assert len(read_dataset(source, limit=2)) == 2


def test_an_article_that_squad_would_not_write_is_named(refusal):
    content = {"data": [{"paragraphs": [{"context": "c"}]}]}
    assert refusal(content) == "the data, article 1: a paragraph lacks 'qas', a list of questions"


PAIRS = {
    "queries": {"q1": "first?", "q2": "second?"},
    "corpus": {"d1": "one", "d2": "two"},
    "relevant_docs": {"q1": ["d1", "d2"]},
    "mode": "text",
}


def test_embedding_pairs_of_llama_index_are_retrieval_data(write):
    for source in both(write, PAIRS):
        dataset = read_dataset(source)
        assert list(dataset.ids) == ["q1", "q2"]
        assert {name: list(column) for name, column in dataset.columns.items()} == {
            "questions": ["first?", "second?"],
            "ground_truth_documents": [["d1", "d2"], None],
            "ground_truth_contexts": [["one", "two"], None],
        }


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ({"q1": ["d9"]}, "the data: the corpus lacks 'd9', which is relevant for 'q1'; add it"),
        ({"q1": "d1"}, "the data: relevant_docs of 'q1' holds the text 'd1'; give a list of ids"),
    ],
)
def test_broken_embedding_pairs_are_named(refusal, relevant, message):
    assert refusal({**PAIRS, "relevant_docs": relevant}) == message


@quiet
def test_results_of_promptfoo_are_prompts_outputs_and_variables(write):
    row = {
        "id": "1",
        "prompt": {"raw": "Capital of France?", "label": "p"},
        "vars": {"country": "France", "reference": "Paris"},
        "response": {"output": "Paris", "tokenUsage": {}},
        "provider": {"id": "openai:x"},
        "score": 1,
        "success": True,
    }
    for source in both(write, {"evalId": "e", "results": {"version": 3, "results": [row]}, "config": {}}):
        dataset = read_dataset(source)
        assert {name: list(column) for name, column in dataset.columns.items()} == {
            "provider": ["openai:x"],
            "success": [True],
            "score": [1],
            "questions": ["Capital of France?"],
            "predicted_answers": ["Paris"],
            "country": ["France"],
            "ground_truth_answers": ["Paris"],
        }
