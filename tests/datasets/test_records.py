"""Objects of other libraries, iterables, and open files: recognised by their form."""

import collections
import dataclasses
import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace

import attrs
import msgspec
import pandas as pd
import pydantic
import pytest

from thresher import evaluate
from thresher.datasets import read_dataset, read_labels
from thresher.errors import DataWarning

ROW = {"input": "q", "actual_output": "a", "expected_output": "b"}
READ = {"questions": ["q"], "predicted_answers": ["a"], "ground_truth_answers": ["b"]}


@dataclasses.dataclass
class AsDataclass:
    input: str
    actual_output: str
    expected_output: str
    context: list[str] | None = None
    comments: str | None = None
    _identifier: str = "x"


class AsPydantic(pydantic.BaseModel):
    input: str
    actual_output: str | None = None
    expected_output: str | None = pydantic.Field(default=None, serialization_alias="expectedOutput")
    comments: str | None = None


@attrs.define
class AsAttrs:
    input: str
    actual_output: str
    expected_output: str


AsTuple = collections.namedtuple("AsTuple", list(ROW))  # noqa: PYI024  (a named tuple as users write it)


class AsPlain:
    limit = "of the class"

    def __init__(self, **fields):
        self.__dict__.update(fields, _private=1)


class AsSlots:
    __slots__ = ("_more", "actual_output", "expected_output", "input")

    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


AsStruct = msgspec.defstruct("AsStruct", [*ROW])


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items() if any(column)}


@pytest.mark.parametrize(
    "kind", [AsDataclass, AsPydantic, AsAttrs, AsTuple, AsStruct, SimpleNamespace, AsPlain, AsSlots]
)
def test_objects_with_named_fields_are_rows(kind):
    assert columns(read_dataset([kind(**ROW)])) == READ
    assert columns(read_dataset(iter([kind(**ROW)]))) == READ


def test_private_and_empty_fields_are_left_out_and_known_names_stay():
    assert list(read_dataset([AsDataclass(**ROW)]).columns) == [*READ]
    assert list(read_dataset([AsPydantic(input="q")]).columns) == [*READ]


def test_objects_inside_of_objects_become_plain():
    @dataclasses.dataclass
    class Tool:
        name: str

    @dataclasses.dataclass
    class Case:
        input: str
        used_tools: list[Tool]

    dataset = read_dataset([Case("q", [Tool("search")])])
    assert dataset.columns["used_tools"][0] == [{"name": "search"}]
    assert len(dataset.fingerprint()) == 66


def test_test_cases_of_a_deepeval_data_set_are_read_and_its_goldens_without_them():
    class EvaluationDataset:
        def __init__(self, test_cases, goldens):
            self.test_cases, self.goldens = test_cases, goldens

    assert columns(read_dataset(EvaluationDataset([AsPydantic(**ROW)], []))) == READ
    golden = AsPydantic(input="q", expected_output="b")
    assert columns(read_dataset(EvaluationDataset([], [golden]))) == {
        "questions": ["q"],
        "ground_truth_answers": ["b"],
    }


def test_an_object_around_rows_is_read_as_the_dict_would_be():
    class Examples(pydantic.BaseModel):
        examples: list[AsPydantic]

    with pytest.warns(DataWarning, match="rows are those of 'examples'"):
        assert columns(read_dataset(Examples(examples=[AsPydantic(**ROW)]))) == READ


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, 3], "the data, row 2: holds the number 3, not a dict; give one dict per row"),
        ([object()], "the data, row 1: holds a object, not a dict; give one dict per row"),
        (iter(["{}"]), "the data, row 1: holds the text '{}', not a dict; give one dict per row"),
        ([pydantic.RootModel([1])], "the data, row 1: holds a RootModel, not a dict; give one dict per row"),
        ([AsDataclass], "the data, row 1: holds a type, not a dict; give one dict per row"),
    ],
)
def test_rows_that_are_no_objects_are_named(refusal, rows, message):
    assert refusal(rows) == message


def test_iterables_are_read_as_far_as_the_limit():
    def endless():
        while True:
            yield dict(ROW)

    assert len(read_dataset(endless(), limit=3)) == 3
    assert len(read_dataset(dict(ROW) for _ in range(2))) == 2
    assert len(read_dataset({"a": dict(ROW)}.values())) == 1
    assert len(read_dataset(iter([dict(ROW)]), limit=2**70)) == 1


def test_sets_are_refused_since_they_have_no_order(refusal):
    assert refusal({1, 2}).startswith("a data set cannot be read from a set; give a path, an open file")


LINES = json.dumps(ROW) + "\n" + json.dumps(ROW) + "\n"


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (LINES, {}),
        (json.dumps(ROW), {}),
        (json.dumps([ROW, ROW], indent=1), {}),
        (json.dumps({name: [value] for name, value in ROW.items()}, indent=1), {}),
        ("\ufeff" + LINES, {}),
        ("input,actual_output,expected_output\nq,a,b\n", {"format": "csv"}),
    ],
)
@pytest.mark.parametrize("wrapped", [io.StringIO, lambda text: io.BytesIO(text.encode())])
def test_open_files_are_read_by_what_they_hold(content, options, wrapped):
    dataset = read_dataset(wrapped(content), **options)
    assert columns(dataset) == {name: column * len(dataset) for name, column in READ.items()}


def test_an_object_around_rows_on_one_line_of_an_open_file_is_its_rows():
    with pytest.warns(DataWarning, match="rows are those of 'data'"):
        assert columns(read_dataset(io.StringIO(json.dumps({"data": [ROW]})))) == READ


def test_open_files_are_known_by_their_suffix_and_named_in_messages(write, refusal):
    path = write("answers.csv", "input,actual_output,expected_output\nq,a,b\n")
    for mode in ("r", "rb"):
        with Path(path).open(mode) as file:
            dataset = read_dataset(file)
        assert (columns(dataset), dataset.name) == (READ, "answers")
    packed = write("answers.jsonl.gz", LINES)
    with Path(packed).open("rb") as file:
        assert len(read_dataset(file)) == 2
    with gzip.open(packed, "rt") as file:
        assert len(read_dataset(file)) == 2
    pd.DataFrame([ROW]).to_parquet("answers.parquet")
    with Path("answers.parquet").open("rb") as file:
        assert columns(read_dataset(file)) == READ
    with Path(write("bad.jsonl", '{"input": "q"}\n{"input": [1]}\n')).open() as file:
        assert refusal(file).startswith("bad.jsonl:2: 'input' (read as questions) holds a list")


def test_open_files_that_cannot_be_read_are_named(refusal, write):
    message = refusal(io.StringIO("question,answer\n"))
    assert message.startswith("the open file: cannot infer a format from the suffix ''; use one of .jsonl")
    with Path(write("new.jsonl", "")).open("a") as file:
        assert refusal(file).startswith("new.jsonl cannot be read: not readable; open it for reading")


class Frame:
    """A frame like polars' own, which keeps whole numbers with gaps whole."""

    __module__ = "polars.dataframe.frame"
    columns = ("input", "response")

    def __init__(self, data):
        self.data = data

    def head(self, n):
        return Frame({name: column[:n] for name, column in self.data.items()})

    def to_pandas(self):
        raise AssertionError("pandas turns whole numbers with gaps into decimals")

    def to_dict(self, *, as_series):
        assert not as_series
        return self.data


class LazyFrame:
    def __init__(self, data):
        self.data = data

    def collect_schema(self):
        return {}

    def head(self, n):
        return LazyFrame({name: column[:n] for name, column in self.data.items()})

    def collect(self):
        return Frame(self.data)


@pytest.mark.filterwarnings("ignore:numbers in 'response'")
@pytest.mark.parametrize("kind", [Frame, LazyFrame])
def test_frames_of_polars_are_read_lazy_or_not(kind):
    frame = kind({"input": ["q", "r"], "response": [4, None]})
    assert {name: list(column) for name, column in read_dataset(frame).columns.items()} == {
        "questions": ["q", "r"],
        "predicted_answers": ["4", None],
    }
    assert len(read_dataset(frame, limit=1)) == 1
    with pytest.warns(DataWarning):
        assert len(read_dataset({"train": frame, "test": frame}, split="test")) == 2


def test_polars_itself():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"question": ["q"], "response": ["a"], "contexts": [["c"]]})
    for source in (frame, frame.lazy()):
        assert read_dataset(source).columns["contexts"] == [["c"]]


def test_labels_are_read_from_iterators_and_open_files_which_can_be_read_once():
    rows = [{"y_true": 0, "y_score": 0.25}, {"y_true": 1, "y_score": 0.75}]
    lines = "\n".join(map(json.dumps, rows))
    for source in (iter(rows), io.StringIO(lines)):
        assert read_labels(source).columns["predictions"] == [{"1": 0.25, "0": 0.75}, {"1": 0.75, "0": 0.25}]
    assert evaluate("classification", iter(rows)).metrics["classification_accuracy"].value == 1.0
    assert len(read_labels({"train": rows, "test": rows}, split="test")) == 2
