"""Ids kept as arrays go through the components without becoming lists."""

import numpy as np
import pytest
from haystack import Pipeline

from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import RetrievalReciprocalRankEvaluator
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.metrics.retrieval import ranking
from thresher.results import FrozenColumn, MetricResult, Status


@pytest.fixture
def pair():
    rng = np.random.default_rng(3)
    run = IdRows(rng.integers(0, 30, 400), rng.integers(0, 25, 400), rng.integers(0, 9, 400) / 8)
    return judged_run(
        run, IdRows(rng.integers(0, 40, 150), rng.integers(0, 25, 150), rng.integers(0, 3, 150))
    )


@pytest.mark.parametrize("ties", ["input-order", "trec", "stable-score"])
@pytest.mark.parametrize(
    "evaluator", [RetrievalNdcgEvaluator, RetrievalRecallEvaluator, RetrievalReciprocalRankEvaluator]
)
def test_arrays_and_the_same_as_lists_score_alike(pair, evaluator, ties):
    from_arrays = evaluator(top_k=5, ties=ties).run(pair.judged, pair.retrieved)
    lists = FrozenColumn(list(pair.judged)), FrozenColumn(list(pair.retrieved))
    from_lists = evaluator(top_k=5, ties=ties).run(*lists)
    np.testing.assert_array_equal(from_arrays["individual_scores"], from_lists["individual_scores"])
    assert from_arrays["result"].status.tolist() == from_lists["result"].status.tolist()
    assert from_arrays["result"].reasons == from_lists["result"].reasons


def test_no_list_is_made_on_the_way(monkeypatch):
    pair = judged_run(IdRows(["q"], ["a"], [1.0]), IdRows(["q"], ["a"], [1]))

    def refuse(*_):
        raise AssertionError("an entry was made")

    monkeypatch.setattr(ScoredIds, "__getitem__", refuse)
    monkeypatch.setattr(ranking.DocumentReader, "read", refuse)
    pipeline = Pipeline()
    pipeline.add_component("recall", RetrievalRecallEvaluator())
    pipeline.add_component("ndcg", RetrievalNdcgEvaluator(top_k=10))
    outputs = pipeline.run({"ground_truth_documents": pair.judged, "retrieved_documents": pair.retrieved})
    assert [outputs[name]["score"] for name in ("recall", "ndcg")] == [1.0, 1.0]


def test_judged_and_not_retrieved_counts_and_retrieved_and_not_judged_is_missing():
    run = IdRows(["q1", "q3"], ["a", "a"], [1.0, 1.0])
    pair = judged_run(run, IdRows(["q1", "q2"], ["a", "b"], [1, 1]))
    outputs = RetrievalRecallEvaluator().run(pair.judged, pair.retrieved)
    assert outputs["score"] == 0.5
    assert outputs["result"].status.tolist() == [Status.SCORED, Status.SCORED, Status.MISSING]
    assert outputs["result"].reasons == {
        1: "nothing was retrieved",
        2: "no entry in ground_truth_documents",
    }


def test_chunks_put_together_are_the_whole(pair):
    whole = RetrievalNdcgEvaluator(top_k=5).run(pair.judged, pair.retrieved)["result"]
    chunks = [
        (pair.judged[start : start + 7], pair.retrieved[start : start + 7]) for start in range(0, 40, 7)
    ]
    parts = [RetrievalNdcgEvaluator(top_k=5).run(*chunk)["result"] for chunk in chunks]
    together = MetricResult.concatenate(parts)
    np.testing.assert_array_equal(together.item_scores(), whole.item_scores())
    assert dict(together.reasons) == dict(whole.reasons)
