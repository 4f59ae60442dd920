"""Against Haystack's own evaluators: equal where both mean the same, and what we do where they do not."""

import json
from pathlib import Path

import numpy as np
import pytest
from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)

from thresher.components.retrieval.average_precision import RetrievalAveragePrecisionEvaluator
from thresher.components.retrieval.hit_rate import RetrievalHitRateEvaluator
from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import RetrievalReciprocalRankEvaluator
from thresher.results import Status

GOLDEN = Path(__file__).parents[2] / "golden" / "retrieval" / "haystack.json"
CASES = [case for case in json.loads(GOLDEN.read_text())["cases"] if "run" in case["input"]]
SAME = {
    "mrr": RetrievalReciprocalRankEvaluator,
    "map": RetrievalAveragePrecisionEvaluator,
    "ndcg": RetrievalNdcgEvaluator,
    "recall_single_hit": RetrievalHitRateEvaluator,
    "recall_multi_hit": RetrievalRecallEvaluator,
}


def sockets(case):
    """Both sockets as Documents, relevant ones with their grade."""
    run, qrels = case["input"]["run"], case["input"]["qrels"]
    queries = case["expected"]["queries"]
    by_score = {query: sorted(run[query], key=lambda pair: -pair[1]) for query in queries}
    return {
        "ground_truth_documents": [
            [Document(content=name, score=float(grade)) for name, grade in qrels[query].items()]
            for query in queries
        ],
        "retrieved_documents": [[Document(content=name) for name, _ in by_score[query]] for query in queries],
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("measure", SAME)
def test_the_same_scores_as_haystack_with_undefined_queries_at_zero(case, measure):
    outputs = SAME[measure](undefined="zero").run(**sockets(case))
    expected = case["expected"][measure]
    np.testing.assert_allclose(
        outputs["individual_scores"], expected["individual_scores"], rtol=0, atol=1e-15
    )
    assert outputs["score"] == pytest.approx(expected["score"], abs=1e-15)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_without_grades_every_judged_document_counts_the_same(case):
    judged = sockets(case)
    judged["ground_truth_documents"] = [
        [document for document in documents if document.score > 0]
        for documents in judged["ground_truth_documents"]
    ]
    outputs = RetrievalNdcgEvaluator(document_grade_field=None, undefined="zero").run(**judged)
    expected = case["expected"]["ndcg_binary"]["individual_scores"]
    np.testing.assert_allclose(outputs["individual_scores"], expected, rtol=0, atol=1e-15)


def test_queries_without_relevant_documents_drag_their_mean_and_leave_ours():
    truth = [[Document(content="a")], []]
    retrieved = [[Document(content="a")], [Document(content="b")]]
    assert DocumentRecallEvaluator(mode="multi_hit").run(truth, retrieved)["score"] == 0.5
    outputs = RetrievalRecallEvaluator().run(truth, retrieved)
    assert outputs["score"] == 1.0
    assert outputs["result"].status.tolist() == [Status.SCORED, Status.UNDEFINED]


def test_a_negative_grade_turns_their_ndcg_negative_and_is_not_relevant_here():
    truth = [[Document(content="a", score=-1.0), Document(content="b", score=1.0)]]
    retrieved = [[Document(content="a"), Document(content="b")]]
    theirs = DocumentNDCGEvaluator().run(truth, retrieved)["score"]
    assert theirs < 0
    assert RetrievalNdcgEvaluator().run(truth, retrieved)["score"] == pytest.approx(1 / np.log2(3))
    assert RetrievalNdcgEvaluator().run(truth, [retrieved[0][:1]])["score"] == 0.0


def test_grades_and_documents_without_one_may_stand_side_by_side():
    truth = [[Document(content="a", score=2.0), Document(content="b")]]
    retrieved = [[Document(content="a"), Document(content="b")]]
    with pytest.raises(ValueError, match="Either none or all"):
        DocumentNDCGEvaluator().run(truth, retrieved)
    assert RetrievalNdcgEvaluator().run(truth, retrieved)["score"] == 1.0


def test_a_document_retrieved_twice_keeps_both_ranks_and_is_credited_once():
    truth = [[Document(content="a"), Document(content="b")]]
    retrieved = [[Document(content=content) for content in ("a", "a", "b")]]
    theirs = DocumentMAPEvaluator().run(truth, retrieved)["score"]
    assert (
        RetrievalAveragePrecisionEvaluator().run(truth, retrieved)["score"] == pytest.approx(theirs) == 5 / 6
    )
    assert RetrievalRecallEvaluator(top_k=2).run(truth, retrieved)["score"] == 0.5
    assert RetrievalNdcgEvaluator().run(truth, [retrieved[0][:2]])["score"] < 1.0


def test_lists_in_meta_stop_their_evaluators_and_are_compared_here():
    truth = [[Document(content="x", meta={"pages": [1, 2]})]]
    retrieved = [[Document(content="y", meta={"pages": [1, 2]})]]
    with pytest.raises(TypeError, match="unhashable"):
        DocumentRecallEvaluator(document_comparison_field="meta.pages").run(truth, retrieved)
    assert (
        RetrievalRecallEvaluator(document_comparison_field="meta.pages").run(truth, retrieved)["score"] == 1.0
    )
