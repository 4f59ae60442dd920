"""Against trec_eval itself, on random runs full of ties, unjudged, negative and missing documents."""

import numpy as np
import pytest
import pytrec_eval

from thresher.kernels.retrieval.column_matching import match_columns
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.rank_metrics import average_precision, hit_rate, ndcg, reciprocal_rank
from thresher.kernels.retrieval.set_metrics import fbeta, precision, r_precision, recall

EXACT = {
    "map": average_precision,
    "map_cut_3": lambda ranked: average_precision(ranked, 3),
    "recip_rank": reciprocal_rank,
    "P_3": lambda ranked: precision(ranked, 3),
    "set_P": precision,
    "recall_3": lambda ranked: recall(ranked, 3),
    "set_recall": recall,
    "set_F": fbeta,
    "Rprec": r_precision,
    "success_1": lambda ranked: hit_rate(ranked, 1),
}
NEARLY = {
    "ndcg": ndcg,
    "ndcg_cut_3": lambda ranked: ndcg(ranked, 3),
}


def random_rows(rng, queries, depth, documents):
    """Rows (query, document, number) with each document at most once per query."""
    rows = np.unique(rng.integers(0, [queries, documents], (queries * depth, 2)), axis=0)
    rng.shuffle(rows)
    return rows[:, 0], rows[:, 1]


def nested(query_ids, document_ids, numbers):
    found = {}
    for query, document, number in zip(query_ids, document_ids, numbers, strict=True):
        found.setdefault(query, {})[document] = number
    return found


@pytest.fixture(scope="module", params=["many ties", "float32 ties", "distinct"])
def both(request):
    """A run and judgements of about 12,000 queries: 36,000 over all three."""
    rng = np.random.default_rng(7)
    queries = 12_000
    run_queries, run_documents = random_rows(rng, queries, 8, 40)
    judged_queries, judged_documents = random_rows(rng, queries, 5, 40)
    scores = {
        "many ties": rng.integers(-3, 3, len(run_queries)) / 2,
        "float32 ties": 1 + rng.integers(0, 4, len(run_queries)) * 1e-8,
        "distinct": rng.normal(size=len(run_queries)),
    }[request.param]
    # Numbers as texts: trec_eval orders 10 before 9.
    run = (
        [f"q{query}" for query in run_queries],
        [f"{document}" for document in run_documents],
        scores.tolist(),
    )
    grades = rng.integers(-1, 4, len(judged_queries)).tolist()
    qrels = (
        [f"q{query}" for query in judged_queries],
        [f"{document}" for document in judged_documents],
        grades,
    )
    return run, qrels


@pytest.mark.slow
def test_random_queries_to_the_last_bit(both):
    run, qrels = both
    evaluator = pytrec_eval.RelevanceEvaluator(nested(*qrels), {*EXACT, *NEARLY})
    theirs = evaluator.evaluate(nested(*run))
    pair = judged_run(IdRows(*run), IdRows(*qrels))
    ranked = match_columns(pair.retrieved, pair.judged)
    compared = np.array([query in theirs for query in pair.queries])
    assert compared.sum() == len(theirs) > 11_000
    for measure, kernel in (EXACT | NEARLY).items():
        expected = np.array([theirs[query][measure] for query in pair.queries if query in theirs])
        difference = np.abs(np.nan_to_num(kernel(ranked))[compared] - expected).max()
        assert difference <= (0 if measure in EXACT else 1e-15), measure


def test_queries_that_trec_eval_drops_stay(both):
    run, qrels = both
    pair = judged_run(IdRows(*run), IdRows(*qrels))
    assert set(pair.queries) == {*run[0], *qrels[0]}
    ranked = match_columns(pair.retrieved, pair.judged)
    retrieved = set(run[0])
    not_retrieved = np.array([query not in retrieved for query in pair.queries])
    values = recall(ranked)[not_retrieved & (ranked.relevant > 0)]
    assert len(values) == np.count_nonzero(values == 0) > 0
