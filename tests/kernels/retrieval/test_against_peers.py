"""Every kernel against numbers that other packages gave; where they mean something else, the test says so."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.retrieval.matching import match
from thresher.kernels.retrieval.order import ranking
from thresher.kernels.retrieval.rank_metrics import average_precision, hit_rate, ndcg, reciprocal_rank
from thresher.kernels.retrieval.set_metrics import fbeta, precision, recall

GOLDEN = Path(__file__).parents[2] / "golden" / "retrieval"


def cases(peer):
    loaded = json.loads((GOLDEN / f"{peer}.json").read_text())["cases"]
    return [pytest.param(case, id=case["id"]) for case in loaded if "run" in case["input"]]


def ranked_gains(case, queries, ties):
    """The case's queries, ranked by score."""
    run, qrels = case["input"]["run"], case["input"]["qrels"]
    lists = []
    for query in queries:
        documents = [document for document, _ in run.get(query, [])]
        scores = [score for _, score in run.get(query, [])]
        lists.append([documents[place] for place in ranking(scores, documents, ties)])
    return match(lists, [qrels[query] for query in queries])


TREC = {
    "map": average_precision,
    "map_cut_3": lambda ranked: average_precision(ranked, 3),
    "map_cut_10": lambda ranked: average_precision(ranked, 10),
    "recip_rank": reciprocal_rank,
    "ndcg": ndcg,
    **{f"P_{k}": lambda ranked, k=k: precision(ranked, k) for k in (1, 3, 5, 10)},
    **{f"recall_{k}": lambda ranked, k=k: recall(ranked, k) for k in (1, 3, 5, 10)},
    **{f"ndcg_cut_{k}": lambda ranked, k=k: ndcg(ranked, k) for k in (1, 3, 5, 10)},
    **{f"success_{k}": lambda ranked, k=k: hit_rate(ranked, k) for k in (1, 5, 10)},
}


@pytest.mark.parametrize("case", cases("trec"))
def test_trec_eval_to_the_last_bit(case):
    queries = list(case["expected"])
    ranked = ranked_gains(case, queries, "trec")
    for measure, kernel in TREC.items():
        # trec_eval scores a query without relevant documents 0, where our kernels say 0/0.
        ours = np.nan_to_num(kernel(ranked)).tolist()
        assert ours == [case["expected"][query][measure] for query in queries], measure
    counts = [[case["expected"][query][name] for query in queries] for name in ("num_ret", "num_rel")]
    assert [ranked.retrieved.tolist(), ranked.relevant.tolist()] == counts


RANX = {
    "map": average_precision,
    "map@3": lambda ranked: average_precision(ranked, 3),
    "mrr": reciprocal_rank,
    "mrr@1": lambda ranked: reciprocal_rank(ranked, 1),
    "ndcg": ndcg,
    "ndcg@3": lambda ranked: ndcg(ranked, 3),
    "ndcg@10": lambda ranked: ndcg(ranked, 10),
    "ndcg_burges": lambda ranked: ndcg(ranked, gain="exponential"),
    "recall@3": lambda ranked: recall(ranked, 3),
    "recall@10": lambda ranked: recall(ranked, 10),
    "precision@3": lambda ranked: precision(ranked, 3),
    "precision@10": lambda ranked: precision(ranked, 10),
    "hit_rate@1": lambda ranked: hit_rate(ranked, 1),
    "hit_rate@10": lambda ranked: hit_rate(ranked, 10),
    "f1@10": lambda ranked: fbeta(ranked, 1, 10),
    "hits@10": lambda ranked: ranked.hits(10),
}


@pytest.mark.parametrize("case", cases("ranx"))
def test_ranx_keeps_tied_documents_in_the_order_given(case):
    expected = case["expected"]
    ranked = ranked_gains(case, expected["queries"], "stable-score")
    stable = [ranx_sorts_stably(case["input"]["run"].get(query, [])) for query in expected["queries"]]
    for measure, kernel in RANX.items():
        ours, theirs = np.nan_to_num(kernel(ranked))[stable], np.array(expected[measure])[stable]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15, err_msg=measure)


def ranx_sorts_stably(documents):
    """Its quicksort turns to insertion sort, which is stable, for up to 15 documents."""
    return len(documents) <= 15 or len({score for _, score in documents}) == len(documents)


@pytest.mark.parametrize("case", cases("llamaindex"))
def test_llama_index_which_knows_no_grades(case):
    expected = case["expected"]
    queries = [query for query in expected if not isinstance(expected[query]["mrr"], str)]
    ranked = ranked_gains(case, queries, "stable-score")
    binary = replace(ranked, gains=np.ones_like(ranked.gains), ideal_gains=np.ones_like(ranked.ideal_gains))
    same = {"hit_rate": hit_rate, "mrr": reciprocal_rank, "precision": precision, "recall": recall}
    for measure, kernel in {**same, "ap": average_precision, "ndcg": ndcg}.items():
        theirs = [expected[query][measure] for query in queries]
        np.testing.assert_allclose(kernel(binary), theirs, rtol=0, atol=1e-15, err_msg=measure)
