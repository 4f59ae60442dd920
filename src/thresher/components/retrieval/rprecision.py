"""Precision at rank R, the number of relevant documents."""

from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.kernels.retrieval.set_metrics import r_precision
from thresher.metrics import MinGrade, RankingMetric, metric


@metric
class RetrievalRPrecisionEvaluator(RankingMetric):
    """Share of the first R retrieved documents that are relevant, with R the query's relevant documents.

    Precision and recall are equal at that rank. The denominator is R also for shorter lists. A query without
    relevant documents is undefined, since no retriever can score on it; an empty list scores 0.

    Formula: hits among the first R / R
    Source: trec_eval, `Rprec`; Buckley and Voorhees 2000, "Evaluating Evaluation Measure Stability".

    ```python
    evaluator = RetrievalRPrecisionEvaluator()
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["c", "a", "b"]])
    outputs["score"]  # 0.5
    ```
    """

    min_grade: MinGrade = None
    name: str = "retrieval_rprecision"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return r_precision(ranked.at_least(self.min_grade))
