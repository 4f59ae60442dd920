import csv
import io

import pytest
from haystack import Document
from hypothesis import given
from hypothesis import strategies as st

from thresher import EvaluationResults
from thresher.errors import InputError
from thresher.reports.labels import draw
from thresher.reports.labels.sampling import proportional


@pytest.fixture
def run():
    inputs = {
        "id": [f"q{item}" for item in range(200)],
        "question": [f"What is {item}?" for item in range(200)],
        "contexts": [["one", "two"]] * 200,
        "language": ["de"] * 150 + ["en"] * 50,
    }
    scores = [None if item % 2 else item / 200 for item in range(200)]
    return EvaluationResults.from_dict(
        {"inputs": inputs, "metrics": [{"name": "good", "scores": scores}]}, name="main"
    )


def test_a_sheet_shows_inputs_and_empty_labels_but_no_scores(run):
    table = draw(run, 20, seed=4)
    assert table.columns == ("id", "label", "question", "contexts", "language", "drawn")
    assert set(table["label"]) == {None}
    assert table[0]["contexts"] == "one\n\ntwo"
    assert table["question"] == [f"What is {key[1:]}?" for key in table["id"]]
    assert set(table["drawn"]) == {"20 of 200 items at random, seed 4"}
    assert "good" in draw(run, 20, with_scores=True).columns


def test_the_draw_is_random_repeatable_and_goes_on_where_it_ended(run):
    first = draw(run, 20)["id"]
    assert first == draw(run, 20)["id"]
    assert first != draw(run, 20, seed=1)["id"]
    assert first != sorted(first)
    assert draw(run, 50)["id"][:20] == first
    assert len(draw(run, 1000)) == 200


def test_only_items_that_a_metric_scored(run):
    table = draw(run, 1000, metric="good")
    assert len(table) == 100
    assert all(int(key[1:]) % 2 == 0 for key in table["id"])
    assert table["drawn"][0] == "100 of 100 items scored by good at random, seed 0"


def test_each_entry_of_a_column_has_its_share(run):
    table = draw(run, 40, by="language")
    assert (table["language"].count("de"), table["language"].count("en")) == (30, 10)
    assert table["language"][:30].count("en") > 0  # mixed, not one after the other
    assert "each language with its share" in table["drawn"][0]


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), max_size=8), st.integers(0, 300))
def test_shares_add_up_and_never_exceed_what_is_there(sizes, number):
    shares = proportional(sizes, number) if sum(sizes.values()) else {}
    assert sum(shares.values()) == min(number, sum(sizes.values()))
    assert all(shares[name] <= sizes[name] for name in shares)


def test_several_raters_have_columns_of_their_own(run):
    assert draw(run, 5, raters=2).columns[:3] == ("id", "label_1", "label_2")


def test_documents_show_their_text():
    run = EvaluationResults.from_dict(
        {"inputs": {"id": ["a"], "found": [[Document(content="text")]], "data": [{"k": 1}]}, "metrics": []}
    )
    row = draw(run)[0]
    assert row["found"] == "text"
    assert '"k": 1' in row["data"]


def test_no_text_becomes_a_formula_in_a_spreadsheet():
    run = EvaluationResults.from_dict(
        {"inputs": {"id": ["-1"], "answer": ['=HYPERLINK("x")'], "n": [-3]}, "metrics": []}
    )
    (row,) = csv.DictReader(io.StringIO(draw(run).to_csv()))
    assert (row["id"], row["answer"], row["n"]) == ("-1", '\'=HYPERLINK("x")', "-3")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number": 0}, "0 items for 1 rater cannot be drawn"),
        ({"raters": 0}, "cannot be drawn"),
        ({"metric": "bad"}, "no metric 'bad'"),
        ({"by": "topic"}, "no input column 'topic'"),
    ],
)
def test_impossible_draws_are_refused(run, options, message):
    with pytest.raises(InputError, match=message):
        draw(run, **options)


def test_an_input_called_label_is_refused():
    run = EvaluationResults.from_dict({"inputs": {"id": ["a"], "label": ["x"]}, "metrics": []})
    with pytest.raises(InputError, match="'label' has the name of a column of the sheet"):
        draw(run)
