"""What entries of the two sockets may look like, and what is compared."""

import numpy as np
import pytest
from haystack import Document

from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import RetrievalReciprocalRankEvaluator
from thresher.errors import InputError
from thresher.results import FrozenColumn, Status


def recall(truth, retrieved, **options):
    return RetrievalRecallEvaluator(**options).run([truth], [retrieved])["score"]


@pytest.mark.parametrize("field", ["content", "id", "meta.file", "meta.source.url"])
def test_documents_are_compared_by_the_chosen_field(field):
    def document(value, other):
        fields = {"content": f"text {other}", "id": f"id {other}"}
        if field in fields:
            return Document(**{**fields, field: value})
        meta = {"file": value} if field == "meta.file" else {"source": {"url": value}}
        return Document(**fields, meta=meta)

    truth, retrieved = [document("same", 1), document("other", 2)], [document("same", 3)]
    assert recall(truth, retrieved, document_comparison_field=field) == 0.5


@pytest.mark.parametrize(
    "entry",
    [["a", "b"], ("a", "b"), [("a", 1.0), ["b", 0.5]], FrozenColumn(["a", "b"])],
    ids=["list", "tuple", "pairs", "column"],
)
def test_ids_come_in_several_forms(entry):
    assert recall(entry, entry) == 1.0


def test_whole_numbers_are_ids_too():
    assert recall([0, 7], [np.int64(7), 0]) == 1.0


def test_documents_are_read_as_they_serialise():
    document = Document(content="a", meta={"file": "f"}, score=1.0)
    for serialised in (document.to_dict(), document.to_dict(flatten=False)):
        for field in ("content", "id", "meta.file"):
            assert recall([document], [serialised], document_comparison_field=field) == 1.0


@pytest.mark.parametrize("missing", [None, "", float("nan")])
def test_a_missing_field_matches_nothing_not_even_another_missing_one(missing):
    empty, full = Document(id="1", meta={"key": missing}), Document(id="2", meta={"key": "x"})
    evaluator = RetrievalReciprocalRankEvaluator(document_comparison_field="meta.key")
    assert evaluator.run([[empty, full]], [[empty, full]])["score"] == 0.5


def test_relevant_documents_that_all_lack_the_field_leave_the_item_out_as_missing():
    evaluator = RetrievalRecallEvaluator(document_comparison_field="meta.key")
    result = evaluator.run([[Document(content="a")]], [[Document(content="a")]])["result"]
    assert result.status.tolist() == [Status.MISSING]
    assert result.reasons[0] == "no relevant document has meta.key"


@pytest.mark.parametrize("value", [["a", 1], {"page": [1, 2]}, {"x", "y"}, [{"k": {"n": [None]}}]])
def test_values_that_cannot_be_hashed_are_compared_by_what_they_hold(value):
    import copy

    truth, same = Document(id="1", meta={"k": value}), Document(id="2", meta={"k": copy.deepcopy(value)})
    other = Document(id="3", meta={"k": ["else"]})
    options = {"document_comparison_field": "meta.k"}
    assert recall([truth, other], [same], **options) == 0.5


def test_a_relevant_document_given_twice_counts_once_with_its_highest_grade():
    twice = [("a", 1), ("a", 3), ("b", 2)]
    once = [("a", 3), ("b", 2)]
    assert recall(twice, ["a"]) == 0.5
    run = RetrievalNdcgEvaluator().run
    assert run([twice], [["b", "a"]])["score"] == run([once], [["b", "a"]])["score"] < 1


def test_grades_come_from_the_score_a_meta_field_or_nowhere():
    def graded(name, grade):
        return Document(content=name, score=grade, meta={"grade": grade})

    truth = [graded("a", 0.0), graded("b", 2.0)]
    assert recall(truth, [Document(content="a")]) == 0.0
    assert recall(truth, [Document(content="b")], document_grade_field="meta.grade") == 1.0
    assert recall(truth, [Document(content="a")], document_grade_field=None) == 0.5


def test_a_mapping_of_grades_says_what_is_not_relevant():
    assert recall({"a": 1, "b": 0, "c": -1}, ["b", "c", "a"]) == 1.0
    assert recall({"a": 2, "b": 1}, ["b"], min_grade=2) == 0.0


def test_scores_rank_documents_under_a_tie_rule():
    run = RetrievalReciprocalRankEvaluator(ties="trec").run
    assert run([["a"]], [{"c": 0.5, "a": 0.5, "b": 0.1}])["score"] == 0.5
    documents = [Document(content="b", score=0.1), Document(content="a", score=0.9)]
    assert run([["a"]], [documents])["score"] == 1.0
    assert RetrievalReciprocalRankEvaluator().run([["a"]], [documents])["score"] == 0.5


@pytest.mark.parametrize(
    ("truth", "retrieved", "options", "message"),
    [
        ("a", ["a"], {}, r"ground_truth_documents\[0\] is str; give a list of Documents, ids, or"),
        (["a"], {"a", "b"}, {}, r"retrieved_documents\[0\] is set; give a list"),
        (["a"], ["a", 0.5], {}, r"retrieved_documents\[0\]\[1\] is float; give Documents, ids"),
        (["a"], [None], {}, r"retrieved_documents\[0\]\[0\] is NoneType; give"),
        ([("a", float("nan"))], ["a"], {}, r"ground_truth_documents\[0\]\[0\] has the score or grade nan"),
        ([("a", "high")], ["a"], {}, r"has the score or grade 'high'; give a finite number"),
        (["a"], {"a": 1.0}, {}, r"retrieved_documents\[0\] is a mapping, which has no order: set ties"),
        (["a"], ["a"], {"ties": "trec"}, r"has documents without a score: set ties to input-order"),
    ],
)
def test_what_cannot_be_read_is_named(truth, retrieved, options, message):
    with pytest.raises(InputError, match=message) as caught:
        recall(truth, retrieved, **options)
    assert "\n" not in str(caught.value)


def test_a_value_that_cannot_be_compared_is_named():
    class Odd:
        __hash__ = None

    documents = [Document(content="x", meta={"k": [Odd()]})]
    with pytest.raises(InputError, match=r"retrieved_documents\[0\]\[0\] has a Odd to compare"):
        recall(["a"], documents, document_comparison_field="meta.k")
