import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results import FrozenColumn

runs = st.dictionaries(
    st.text("qr", min_size=1, max_size=3),
    st.dictionaries(st.text("ab\u00e9", min_size=1, max_size=3), st.floats(-5, 5), max_size=4),
    max_size=6,
)


def retrieved(run):
    rows = [(query, document, score) for query, found in run.items() for document, score in found.items()]
    return judged_run(
        IdRows(*map(list, zip(*rows, strict=True))), IdRows(["q"], ["a"], [1]), "trec"
    ).retrieved


@given(runs)
def test_ranked_ids_survive_arrow(run):
    if not any(run.values()):
        return
    column = retrieved(run)
    again = ScoredIds.from_arrow(column.to_arrow(), column.order)
    assert list(again) == list(column)
    assert again.order == column.order
    assert list(again.take([0])) == list(column.take([0]))


@given(runs, st.integers(0, 6))
def test_shards_of_ranked_ids_make_the_whole(run, cut):
    if not any(run.values()):
        return
    column = retrieved(run)
    shards = [ScoredIds.from_arrow(part.to_arrow(), part.order) for part in (column[:cut], column[cut:])]
    whole = ScoredIds.concatenate(shards)
    assert isinstance(whole, ScoredIds)
    assert list(whole) == list(column)


def test_a_missing_list_is_not_an_empty_one():
    column = retrieved({"q": {"a": 1.0}, "r": {"b": 2.0}})
    holed = ScoredIds(column.lists, column.names, present=column.present & [True, False])
    assert list(ScoredIds.from_arrow(holed.to_arrow(), "input-order"))[1] is None


def test_columns_of_other_kinds_are_put_together_entry_by_entry():
    column = retrieved({"q": {"a": 1.0}})
    mixed = ScoredIds.concatenate([column, FrozenColumn([None])])
    assert list(mixed) == [[("a", 1.0)], None]


def test_the_content_tells_columns_apart():
    columns = [retrieved({"q": {"a": 1.0}}), retrieved({"q": {"a": 2.0}}), retrieved({"q": {"b": 1.0}})]
    assert len({b"".join(column.content()) for column in columns}) == 3
    assert b"".join(columns[0].content()) == b"".join(retrieved({"q": {"a": 1.0}}).content())


@pytest.mark.parametrize("chunk_size", [1, 2, 10])
def test_a_stored_run_reads_back_its_rankings(tmp_path, chunk_size):
    from thresher import Dataset, evaluate, open_run

    run = {"q": {"a": 1.0, "b": 2.0}, "r": {"c": 2.0}, "s": {"a": 3.0}}
    rows = [(query, document, score) for query, found in run.items() for document, score in found.items()]
    pair = judged_run(
        IdRows(*map(list, zip(*rows, strict=True))),
        IdRows(["q", "s"], ["a", "a"], [1, 1]),
        "trec",
    )
    columns = {"retrieved_documents": pair.retrieved, "ground_truth_documents": pair.judged}
    fresh = evaluate(
        ["retrieval_recall"], Dataset(pair.queries, columns), out=tmp_path / "run", chunk_size=chunk_size
    )
    stored = open_run(tmp_path / "run")
    assert list(stored.inputs["retrieved_documents"]) == list(pair.retrieved)
    assert stored.metrics["retrieval_recall"].value == fresh.metrics["retrieval_recall"].value == 1.0
