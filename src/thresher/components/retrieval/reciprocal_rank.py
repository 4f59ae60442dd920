"""Reciprocal rank of the first relevant document."""

from thresher.kernels.retrieval.rank_metrics import reciprocal_rank
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics import MinGrade, RankingMetric, TopK, metric


@metric
class RetrievalReciprocalRankEvaluator(RankingMetric):
    """1 / rank of the first relevant document; the mean over queries is the mean reciprocal rank (MRR).

    A query without relevant documents is undefined; an empty list of retrieved documents scores 0.

    Formula: 1 / rank of the first relevant document; 0 if none was retrieved
    Source: Voorhees (1999), The TREC-8 Question Answering Track Report; trec_eval, `recip_rank`.

    ```python
    evaluator = RetrievalReciprocalRankEvaluator()
    evaluator.run(ground_truth_documents=[["a"]], retrieved_documents=[["c", "a"]])["score"]  # 0.5
    ```
    """

    top_k: TopK = None
    min_grade: MinGrade = None
    name: str = "retrieval_reciprocal_rank"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return reciprocal_rank(ranked.at_least(self.min_grade), self.top_k)
