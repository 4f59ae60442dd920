import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.kernels.retrieval import column_matching, order
from thresher.kernels.retrieval.column_matching import match_columns
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.matching import match
from thresher.kernels.retrieval.order import TIE_RULES, ranking
from thresher.results import FrozenColumn

NAMES = ["a", "b", "é", "10", "9", "zz", "\U0001f600"]
rows_of = st.lists(
    st.tuples(
        st.integers(0, 6), st.sampled_from(NAMES), st.sampled_from([-1.0, 0.0, -0.0, 0.5, 1.0, 1 + 1e-8])
    )
)


def rows(entries):
    return IdRows(*(list(column) for column in zip(*entries, strict=True))) if entries else IdRows([], [], [])


@pytest.mark.slow
@given(rows_of, rows_of, st.sampled_from(TIE_RULES), st.sampled_from([1, 3, 1 << 18]))
@settings(max_examples=300, deadline=None)
def test_columns_say_what_lists_say(run, qrels, ties, at_once):
    """Duplicates, empty lists, unjudged queries and any size of a chunk included."""
    pair = judged_run(rows(run), rows(qrels), ties)
    lists, judged = [], []
    for query in map(int, pair.queries):
        mine = [(name, score) for q, name, score in run if q == query]
        names = [name for name, _ in mine]
        lists.append([names[place] for place in ranking([score for _, score in mine], names, ties)])
        grades = {}
        for _, name, grade in (entry for entry in qrels if entry[0] == query):
            grades[name] = max(grade, grades.get(name, grade))
        judged.append(grades)
    assert [[name for name, _ in entry] for entry in pair.retrieved] == lists
    assert [dict(entry or {}) for entry in pair.judged] == judged
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_matching, "_ROWS_AT_ONCE", at_once)
        patch.setattr(order, "_ROWS_AT_ONCE", at_once)
        ours = match_columns(pair.retrieved, pair.judged)
    expected = match(lists, judged)
    for column in ("retrieved", "owner", "ranks", "gains", "ideal_owner", "ideal_gains"):
        np.testing.assert_array_equal(getattr(ours, column), getattr(expected, column), err_msg=column)


@pytest.fixture
def pair():
    run = IdRows(["q1", "q1", "q2", "q4"], ["b", "a", "x", "a"], [0.5, 0.9, 0.1, 1.0])
    return judged_run(run, IdRows(["q1", "q2", "q3"], ["a", "y", "z"], [2, 1, 0]))


def test_a_column_reads_as_a_list_of_pairs_per_query(pair):
    assert pair.queries == ("q1", "q2", "q3", "q4")
    assert list(pair.retrieved) == [[("a", 0.9), ("b", 0.5)], [("x", 0.1)], [], [("a", 1.0)]]
    assert list(pair.judged) == [[("a", 2)], [("y", 1)], [("z", 0)], None]
    assert (None in pair.judged, None in pair.retrieved) == (True, False)
    assert [("y", 1)] in pair.judged
    assert pair.judged[-1] is None
    with pytest.raises(IndexError):
        pair.judged[4]


def test_a_column_is_a_frozen_column(pair):
    import copy

    column = pair.retrieved
    assert isinstance(column, FrozenColumn)
    assert copy.deepcopy(column) is column
    assert column == FrozenColumn(list(column)) == column
    assert column != column[1:]
    assert hash(column) == hash(column)
    assert repr(column) == "ScoredIds(4 items, 4 ids)"


def test_parts_of_a_column_are_columns(pair):
    assert list(pair.judged[2:]) == [[("z", 0)], None]
    assert list(pair.retrieved.take([3, 0])) == [[("a", 1.0)], [("a", 0.9), ("b", 0.5)]]
    assert list(pickle.loads(pickle.dumps(pair.retrieved))) == list(pair.retrieved)  # noqa: S301


def test_columns_with_names_of_their_own_are_matched_by_name(pair):
    other = judged_run(IdRows(["q9"], ["c"], [1.0]), IdRows(["q1", "q1"], ["x", "a"], [3, 1]), queries=["q1"])
    ranked = match_columns(pair.retrieved[:1], other.judged)
    assert (ranked.ranks.tolist(), ranked.gains.tolist(), ranked.ideal_gains.tolist()) == (
        [1],
        [1.0],
        [3.0, 1.0],
    )


def test_queries_may_be_chosen(pair):
    run, qrels = IdRows(["p", "q"], ["a", "a"], [1.0, 1.0]), IdRows(["q"], ["a"], [1])
    chosen = judged_run(run, qrels, queries=["q", "r"])
    assert list(chosen.retrieved) == [[("a", 1.0)], []]
    assert list(chosen.judged) == [[("a", 1)], None]


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda ids: np.array(ids, dtype=object),
        pa.array,
        lambda ids: pa.array(ids).dictionary_encode(),
        lambda ids: pa.chunked_array([ids[:1], ids[1:]], pa.string()),
        lambda ids: pa.chunked_array([ids[:1], ids[1:]], pa.string()).dictionary_encode(),
        lambda ids: pa.chunked_array([pa.array(["a", name]).dictionary_encode()[1:] for name in ids]),
    ],
)
def test_ids_come_in_several_kinds_of_columns(make):
    pair = judged_run(
        IdRows(make(["q", "q"]), make(["a", "b"]), [1, 2]), IdRows(make(["q"]), make(["b"]), [1])
    )
    assert list(pair.retrieved) == [[("b", 2.0), ("a", 1.0)]]


def test_whole_numbers_are_ids_by_their_text():
    run = IdRows(np.array([7, 7]), np.array([9, 10]), [1.0, 1.0])
    pair = judged_run(run, IdRows(["7"], ["10"], [1]))
    assert list(pair.retrieved) == [[("9", 1.0), ("10", 1.0)]]
    assert match_columns(pair.retrieved, pair.judged).ranks.tolist() == [2]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (IdRows(["q"], ["a", "b"], [1.0]), "columns of the run have unequal lengths"),
        (
            IdRows(["q"], ["a"], [float("nan")]),
            "row 0 of the run has the number nan; give a finite one",
        ),
        (IdRows(["q"], ["a"], ["high"]), "numbers of the run are <U4; give scores or grades"),
        (IdRows(["q"], [None], [1.0]), "document ids of the run are null, or some are missing"),
        (
            IdRows(["q", "q"], ["a", None], [1.0, 1.0]),
            "document ids of the run are string, or some are missing",
        ),
        (IdRows(["q"], [1.5], [1.0]), "document ids of the run are double"),
        (
            IdRows(["q", "q"], ["a", 1], [1.0, 1.0]),
            "document ids of the run are neither all strings nor all integers",
        ),
    ],
)
def test_columns_that_cannot_be_used_are_named(run, message):
    with pytest.raises(InputError, match=message):
        judged_run(run, IdRows(["q"], ["a"], [1]))


def test_input_columns_are_not_touched():
    scores, documents = np.array([0.1, 0.9]), np.array(["a", "b"])
    judged_run(IdRows(["q", "q"], documents, scores), IdRows(["q"], ["a"], [1]), ties="input-order")
    scores[0] = 5.0
    assert scores.tolist() == [5.0, 0.9]
