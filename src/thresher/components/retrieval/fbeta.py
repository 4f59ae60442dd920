"""Weighted harmonic mean of precision and recall."""

from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.kernels.retrieval.set_metrics import fbeta
from thresher.metrics import MinGrade, Positive, RankingMetric, TopK, metric


@metric
class RetrievalFBetaEvaluator(RankingMetric):
    """Weighted harmonic mean of precision and recall; beta = 1 gives F1.

    With a cutoff, precision divides by k, even if fewer documents were retrieved. A document retrieved twice
    counts once. A query without relevant documents is undefined; an empty list scores 0.

    Formula: (1 + beta^2) * hits / (beta^2 * relevant + k) (without a cutoff: retrieved for k)
    Source: van Rijsbergen (1979), Information Retrieval; trec_eval, `set_F`.

    Args:
        beta: weight of recall relative to precision; above 0.

    ```python
    evaluator = RetrievalFBetaEvaluator(beta=1)
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["c", "a"]])
    outputs["score"]  # 0.5
    ```
    """

    beta: Positive = 1.0
    top_k: TopK = None
    min_grade: MinGrade = None
    name: str = "retrieval_fbeta"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return fbeta(ranked.at_least(self.min_grade), self.beta, self.top_k)
