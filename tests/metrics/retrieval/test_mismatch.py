"""Different things on the two sides never score 0 without a word."""

import pytest
from haystack import Document

from thresher.components import metric_class
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.errors import InputError

METRICS = (
    "retrieval_average_precision",
    "retrieval_fbeta",
    "retrieval_hit_rate",
    "retrieval_ndcg",
    "retrieval_precision",
    "retrieval_recall",
    "retrieval_reciprocal_rank",
)
PARIS = Document(
    id="d1", content="Paris is a city.", meta={"file": "paris.txt", "source": {"url": "p"}, "page": 3}
)
ROME = Document(
    id="d2", content="Rome is a city.", meta={"file": "rome.txt", "source": {"url": "r"}, "page": 4}
)


def recall(truth, retrieved, field="content"):
    return RetrievalRecallEvaluator(document_comparison_field=field).run([truth], [retrieved])["score"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("swapped", [False, True])
def test_ids_beside_documents_compared_by_content_are_refused(metric, swapped):
    sides = [["d1"], [ROME, PARIS]]
    truth, retrieved = sides[::-1] if swapped else sides
    with pytest.raises(InputError) as caught:
        metric_class(metric)().run([["x"], truth], [["x"], retrieved])
    plain, other = ("retrieved", "ground_truth") if swapped else ("ground_truth", "retrieved")
    assert str(caught.value) == (
        f"{plain}_documents[1] holds 'd1', which is the id of a Document in {other}_documents[1], and "
        "Documents are compared by their content: set document_comparison_field='id', "
        "or give ids on both sides"
    )
    assert metric_class(metric)(document_comparison_field="id").run([truth], [retrieved])["score"] > 0


@pytest.mark.parametrize(
    ("truth", "field", "remedy"),
    [
        (["paris.txt"], "content", "meta.file"),
        (["paris.txt"], "id", "meta.file"),
        (["p"], "meta.file", "meta.source.url"),
        (["Paris is a city."], "id", "content"),
        (["d1"], "meta.fiel", "id"),
        ([3], "content", "meta.page"),
        ({"d1": 2}, "content", "id"),
        ([("d1", 2)], "content", "id"),
    ],
)
@pytest.mark.parametrize(
    "serialise", [lambda one: one, Document.to_dict, lambda one: one.to_dict(flatten=False)]
)
def test_the_message_names_the_field_that_fits(truth, field, remedy, serialise):
    retrieved = [serialise(ROME), serialise(PARIS)]
    with pytest.raises(InputError, match=f"set document_comparison_field='{remedy}'"):
        recall(truth, retrieved, field)
    assert recall(truth, retrieved, remedy) == 1.0


def test_texts_may_stand_beside_documents_with_that_content():
    assert recall(["Paris is a city."], [PARIS]) == 1.0
    assert recall([PARIS], ["Rome is a city.", "Paris is a city."]) == 1.0


def test_what_no_field_equals_was_just_not_found():
    assert recall(["d7"], [PARIS, ROME]) == 0.0
    assert recall(["d7"], [PARIS, ROME], "id") == 0.0


def test_a_number_in_meta_is_no_id_by_chance():
    assert recall(["3"], [PARIS, ROME], "id") == 0.0


def test_documents_on_both_sides_are_compared_as_told():
    assert recall([Document(id="d1", content="another")], [PARIS]) == 0.0


def test_a_document_without_the_field_is_not_passed_over_when_its_id_is_wanted():
    bare = Document(id="d1", content=None)
    with pytest.raises(InputError, match=r"'d1' in retrieved_documents\[0\] has no content.*field='id'"):
        recall([PARIS], [bare])
    assert recall([PARIS], [bare], "id") == 1.0
    assert recall([PARIS], [Document(id="d3", content=None)]) == 0.0


@pytest.mark.parametrize(
    ("truth", "retrieved"),
    [(["1"], [1]), ([1], ["1"]), ([1.0], [1]), (["1"], [(1, 0.5)]), ({1: 2}, ["1"])],
)
def test_numbers_and_their_texts_are_one_id(truth, retrieved):
    assert recall(truth, retrieved) == 1.0


def test_numbers_in_documents_and_their_texts_are_one():
    assert recall(["3"], [PARIS], "meta.page") == 1.0
    assert recall(["03"], [PARIS], "meta.page") == 0.0


def test_the_refusal_does_not_depend_on_the_other_items():
    """An item without a match is looked at alone, so chunks change no number."""
    good, bad = (["Paris is a city."], [PARIS]), (["d2"], [ROME])
    for items in ([good, bad], [bad, good], [bad]):
        with pytest.raises(InputError, match=rf"ground_truth_documents\[{items.index(bad)}\]"):
            RetrievalRecallEvaluator().run(*map(list, zip(*items, strict=True)))
