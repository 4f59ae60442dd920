"""Metrics over the same frozen columns match the documents once."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from thresher.components.retrieval.hit_rate import RetrievalHitRateEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import RetrievalReciprocalRankEvaluator
from thresher.errors import InputError
from thresher.metrics.retrieval import sharing
from thresher.results import FrozenColumn


@pytest.fixture
def calls(monkeypatch):
    seen = []
    original = sharing.rank

    def counted(*arguments):
        seen.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(sharing, "rank", counted)
    return seen


def columns():
    return FrozenColumn([["a"], ["b", "c"]]), FrozenColumn([["a"], ["x", "b"]])


def test_frozen_columns_are_matched_once_for_all_metrics(calls):
    truth, retrieved = columns()
    assert RetrievalRecallEvaluator(top_k=1).run(truth, retrieved)["individual_scores"] == [1.0, 0.0]
    assert RetrievalRecallEvaluator().run(truth, retrieved)["individual_scores"] == [1.0, 0.5]
    assert RetrievalHitRateEvaluator().run(truth, retrieved)["individual_scores"] == [1.0, 1.0]
    assert RetrievalReciprocalRankEvaluator().run(truth, retrieved)["individual_scores"] == [1.0, 0.5]
    assert len(calls) == 1


def test_plain_lists_may_change_and_are_matched_each_time(calls):
    truth, retrieved = [["a"]], [["x"]]
    assert RetrievalRecallEvaluator().run(truth, retrieved)["score"] == 0.0
    retrieved[0][0] = "a"
    assert RetrievalRecallEvaluator().run(truth, retrieved)["score"] == 1.0
    assert len(calls) == 2


def test_other_settings_or_other_columns_are_matched_anew(calls):
    truth, retrieved = columns()
    for options in ({}, {"document_comparison_field": "id"}, {"document_grade_field": None}):
        RetrievalRecallEvaluator(**options).run(truth, retrieved)
    RetrievalRecallEvaluator().run(columns()[0], retrieved)
    RetrievalRecallEvaluator().run(truth, columns()[1])
    assert len(calls) == 5


def test_nothing_is_kept_beyond_the_columns(calls):
    truth, retrieved = columns()
    RetrievalRecallEvaluator().run(truth, retrieved)
    calls.clear()
    gone = weakref.ref(retrieved), weakref.ref(truth)
    kept = len(sharing._rankings)
    del truth, retrieved
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert len(sharing._rankings) == kept - 1


def test_settings_kept_per_pair_of_columns_are_few():
    truth, retrieved = columns()
    for key in "abcdefghij":
        RetrievalRecallEvaluator(document_comparison_field=f"meta.{key}").run(truth, retrieved)
    assert len(sharing._rankings[retrieved][truth]) == sharing._MOST_SETTINGS


def test_threads_share_one_matching(calls):
    truth, retrieved = columns()
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(RetrievalRecallEvaluator(top_k=k).run, truth, retrieved) for k in range(1, 9)]
    assert [run.result()["individual_scores"][1] for run in runs] == [0.0] + [0.5] * 7
    assert len(calls) == 1


def test_an_entry_that_cannot_be_read_is_an_error_for_every_metric():
    truth, retrieved = FrozenColumn([["a"]]), FrozenColumn([[0.5]])
    for _ in range(2):
        with pytest.raises(InputError, match=r"retrieved_documents\[0\]\[0\] is float"):
            RetrievalRecallEvaluator().run(truth, retrieved)
