"""Whatever is given is read, or refused with one line."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.datasets import KNOWN_NAMES, Dataset, read_beir, read_beir_documents, read_dataset, read_trec
from thresher.errors import InputError
from thresher.results import VOCABULARY

pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
COLUMNS = sorted({known.column for known in KNOWN_NAMES} | set(VOCABULARY) | {"note", "a b"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(COLUMNS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.sampled_from(["text", "content", "id"]), inner, max_size=3)
    ),
    max_leaves=5,
)
ROWS = st.lists(st.dictionaries(st.sampled_from(COLUMNS), JSON, max_size=3), min_size=1, max_size=3)


def read_or_refused(*given, **options):
    try:
        dataset = read_dataset(*given, **options)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  # a data set is the other fine end
    else:
        assert len(dataset.fingerprint()) == 66
        assert all(len(column) == len(dataset) for column in dataset.columns.values())


@given(source=JSON)
def test_any_json_is_a_data_set_or_refused(source):
    read_or_refused(source)


@given(rows=ROWS)
def test_any_rows_under_known_names_are_read_or_refused(rows):
    read_or_refused(rows)
    read_or_refused({name: [row.get(name) for row in rows] for row in rows for name in row})


@settings(max_examples=40)
@given(rows=ROWS, cells=st.lists(st.lists(st.text(max_size=4), min_size=2, max_size=2), max_size=3))
def test_any_file_is_read_or_refused(rows, cells):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        read_or_refused(path)
        for separator, suffix in ((",", "csv"), ("\t", "tsv")):
            path = Path(folder) / f"data.{suffix}"
            lines = [separator.join(["question", "answer"]), *(separator.join(row) for row in cells)]
            path.write_bytes("\n".join(lines).encode(errors="surrogatepass"))
            read_or_refused(path)


@pytest.mark.parametrize("option", ["mapping", "name", "limit", "format", "empty_cells"])
@given(value=JSON)
def test_any_value_of_an_option_is_taken_or_refused(option, value):
    read_or_refused({"question": ["a"], "note": ["b"]}, **{option: value})


@given(mapping=st.dictionaries(st.sampled_from(["question", "note"]), JSON, max_size=2))
def test_any_mapping_is_taken_or_refused(mapping):
    read_or_refused({"question": ["a"], "note": ["b"]}, mapping=mapping)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: read_trec(None, "q"), "a run cannot be read from nothing; give a path"),
        (lambda: read_beir(3), "a BEIR folder cannot be read from the number 3; give a path"),
        (lambda: list(read_beir_documents(None)), "a BEIR folder cannot be read from nothing"),
        (lambda: Dataset(["a"], None), "columns are NoneType; give a dict of lists"),
        (lambda: Dataset(None, {}), "column 'ids' is NoneType; give a list"),
        (lambda: Dataset(["a"], {"x": 3}), "column 'x' is int; give a list"),
        (lambda: Dataset(["a"], {3: ["x"]}), "the column name 3 is not a text"),
        (lambda: Dataset(["a"], {}).chunks(1.5), "chunk size 1.5 must be a whole number"),
        (lambda: Dataset(["a"], {}).head("x"), r"head\('x'\): give a number of items"),
        (lambda: Dataset(["a"], {}).column(["x"]), r"has no column \['x'\]"),
        (lambda: read_dataset({"question": ["a"]}, mapping=["a"]), "must be a dict of column -> socket"),
        (lambda: read_dataset({"question": ["a"]}, name=3), "name=3 must be a text"),
    ],
)
def test_arguments_of_a_wrong_kind_get_one_line(ask, message):
    with pytest.raises(InputError, match=message) as caught:
        ask()
    assert "\n" not in str(caught.value)
