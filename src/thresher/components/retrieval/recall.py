"""Share of the relevant documents that were retrieved."""

from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.kernels.retrieval.set_metrics import recall
from thresher.metrics import MinGrade, RankingMetric, TopK, metric


@metric
class RetrievalRecallEvaluator(RankingMetric):
    """Share of the relevant documents that were retrieved ("multi hit").

    A document retrieved twice counts once. A query without relevant documents is undefined (0/0); an
    empty list of retrieved documents scores 0.

    Formula: hits / relevant
    Source: trec_eval, `recall` and `set_recall`.

    ```python
    evaluator = RetrievalRecallEvaluator(top_k=5)
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["c", "a"]])
    outputs["score"]  # 0.5
    ```
    """

    top_k: TopK = None
    min_grade: MinGrade = None
    name: str = "retrieval_recall"

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query."""
        return recall(ranked.at_least(self.min_grade), self.top_k)
