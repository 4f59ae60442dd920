import pytest
from haystack import Document
from hypothesis import given
from hypothesis import strategies as st

from thresher.components.judged.ragas.id_based_context_precision import RagasIdBasedContextPrecisionEvaluator
from thresher.components.judged.ragas.id_based_context_recall import RagasIdBasedContextRecallEvaluator
from thresher.errors import InputError
from thresher.results import Status


def precision(relevant, retrieved, **options):
    return RagasIdBasedContextPrecisionEvaluator(**options).run([relevant], [retrieved])["result"]


def recall(relevant, retrieved, **options):
    return RagasIdBasedContextRecallEvaluator(**options).run([relevant], [retrieved])["result"]


def test_shares_of_distinct_ids():
    assert precision(["a", "b", "c"], ["a", "x", "a"]).score == 0.5
    assert recall(["a", "b", "c"], ["a", "x", "a"]).score == pytest.approx(1 / 3)
    assert precision(["a"], ["x", "a"]).evidence[0] == {"hits": ["a"]}


def test_a_number_and_its_text_are_the_same_id():
    assert precision([7], ["7"]).score == recall(["7"], [7]).score == 1.0


def test_documents_are_known_by_their_id_or_by_what_is_chosen():
    ours, theirs = Document(id="1", content="same"), Document(id="2", content="same")
    assert recall([ours], [theirs]).score == 0.0
    assert recall([ours], [theirs], document_comparison_field="content").score == 1.0


@pytest.mark.parametrize(("metric", "sides"), [(precision, (["a"], [])), (recall, ([], ["a"]))])
def test_the_share_of_nothing(metric, sides):
    assert metric(*sides).status.tolist() == [Status.UNDEFINED]
    assert metric(*sides, undefined="zero").score == 0.0


def test_an_entry_that_cannot_be_read_is_named():
    with pytest.raises(InputError, match=r"^retrieved_documents\[0\] is int; give a list of"):
        precision(["a"], 7)


ids = st.lists(st.integers(0, 6), min_size=1, max_size=6)


@given(ids, ids)
def test_precision_and_recall_are_each_other_with_sides_swapped(relevant, retrieved):
    expected = len(set(relevant) & set(retrieved)) / len(set(retrieved))
    assert precision(relevant, retrieved).score == pytest.approx(expected)
    assert recall(retrieved, relevant).score == pytest.approx(expected)
