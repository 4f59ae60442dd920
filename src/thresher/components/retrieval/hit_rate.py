"""Whether any relevant document was retrieved."""

from thresher.kernels.retrieval.rank_metrics import hit_rate
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics import MinGrade, RankingMetric, TopK, metric


@metric
class RetrievalHitRateEvaluator(RankingMetric):
    """1 if at least one relevant document was retrieved, else 0 ("single hit").

    A query without relevant documents is undefined; an empty list of retrieved documents scores 0.

    Formula: 1 if hits > 0 else 0
    Source: trec_eval, `success`.

    ```python
    evaluator = RetrievalHitRateEvaluator(top_k=1)
    outputs = evaluator.run(ground_truth_documents=[["a"], ["b"]], retrieved_documents=[["a"], ["c", "b"]])
    outputs["score"]  # 0.5
    ```
    """

    top_k: TopK = None
    min_grade: MinGrade = None
    name: str = "retrieval_hit_rate"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return hit_rate(ranked.at_least(self.min_grade), self.top_k)
