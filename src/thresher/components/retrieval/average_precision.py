"""Precision at every relevant document, averaged."""

from thresher.kernels.retrieval.rank_metrics import average_precision
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics import MinGrade, RankingMetric, TopK, metric


@metric
class RetrievalAveragePrecisionEvaluator(RankingMetric):
    """Mean of the precisions at the ranks of the relevant documents; over queries, the MAP.

    Relevant documents that were not retrieved count as 0, also with a cutoff. A document
    retrieved twice counts once. A query without relevant documents is undefined; an empty list of
    retrieved documents scores 0.

    Formula: sum of hits@r / r over the ranks r of relevant documents, divided by relevant
    Source: Buckley and Voorhees (2000), Evaluating Evaluation Measure Stability; trec_eval, `map`, `map_cut`.

    ```python
    evaluator = RetrievalAveragePrecisionEvaluator()
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["a", "c", "b"]])
    outputs["score"]  # 0.8333
    ```
    """

    top_k: TopK = None
    min_grade: MinGrade = None
    name: str = "retrieval_average_precision"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return average_precision(ranked.at_least(self.min_grade), self.top_k)
