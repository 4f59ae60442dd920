"""Share of the retrieved documents that are relevant."""

from typing import Literal

from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.kernels.retrieval.set_metrics import precision
from thresher.metrics import MinGrade, RankingMetric, TopK, metric


@metric
class RetrievalPrecisionEvaluator(RankingMetric):
    """Share of the retrieved documents that are relevant.

    With a cutoff the denominator is k, even if fewer documents were retrieved: a list of one relevant
    document has a precision@5 of 0.2. `denominator="retrieved"` divides by the number of retrieved documents.
    A document retrieved twice counts once as a hit and twice in the denominator. A query without relevant
    documents is undefined, since no retriever can score on it; an empty list scores 0.

    Formula: hits / k (without a cutoff: hits / retrieved)
    Source: trec_eval, `P` and `set_P`.

    Args:
        denominator: denominator of precision@k: `top_k`, or `retrieved` for lists shorter than k.

    ```python
    evaluator = RetrievalPrecisionEvaluator(top_k=5)
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["c", "a"]])
    outputs["score"]  # 0.2
    ```
    """

    top_k: TopK = None
    min_grade: MinGrade = None
    denominator: Literal["top_k", "retrieved"] = "top_k"
    name: str = "retrieval_precision"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return precision(ranked.at_least(self.min_grade), self.top_k, self.denominator)
