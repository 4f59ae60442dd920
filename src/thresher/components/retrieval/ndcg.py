"""Normalised discounted cumulative gain of a ranking."""

from typing import Literal

from thresher.kernels.retrieval.rank_metrics import ndcg
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics import RankingMetric, TopK, metric


@metric
class RetrievalNdcgEvaluator(RankingMetric):
    """Normalised discounted cumulative gain: the gain of the ranking over that of the ideal ranking.

    The ideal ranking is all relevant documents, best first, up to k. A document retrieved twice counts
    once. A query without relevant documents is undefined; an empty list of retrieved documents scores 0.

    Formula: DCG / ideal DCG, where DCG = sum of gain(grade) / log2(rank + 1)
    Source: Järvelin and Kekäläinen (2002), Cumulated Gain-Based Evaluation of IR Techniques; trec_eval,
        `ndcg`, `ndcg_cut`. Exponential gains: Burges et al. (2005), Learning to Rank Using Gradient Descent.

    Args:
        gain: gain of a document: its grade (`linear`), or 2^grade - 1 (`exponential`).

    ```python
    evaluator = RetrievalNdcgEvaluator(top_k=10)
    outputs = evaluator.run(ground_truth_documents=[[("a", 3), ("b", 1)]], retrieved_documents=[["b", "a"]])
    outputs["score"]  # 0.7967
    ```
    """

    top_k: TopK = None
    gain: Literal["linear", "exponential"] = "linear"
    name: str = "retrieval_ndcg"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return ndcg(ranked, self.top_k, self.gain)
