"""How far up the first relevant document stands."""

from typing import Any

from haystack import component

from thresher.kernels.retrieval.rank_metrics import reciprocal_rank
from thresher.metrics.options import checked_options
from thresher.metrics.retrieval.ranking_metric import check_min_grade, check_options, evaluate
from thresher.results import MetricResult


@component
@checked_options
class ReciprocalRankEvaluator:
    """1 / rank of the first relevant document; the mean over queries is the mean reciprocal rank (MRR).

    Formula: 1 / rank of the first relevant document; 0 if none was retrieved
    Source: Voorhees (1999), The TREC-8 Question Answering Track Report; trec_eval, `recip_rank`.

    A query without relevant documents is undefined; an empty list of retrieved documents scores 0.

    Args:
        top_k: only the first k retrieved documents count; None for all. The measure is then called
            `reciprocal_rank@k`, unless it has a name of its own.
        document_comparison_field: what Documents are compared by: `content`, `id` or `meta.<key>`
            (dots lead into nested keys). One that is missing or empty matches nothing. Plain ids are
            compared as texts. Beside Documents, ids that match none but equal another field are refused.
        document_grade_field: where a relevant Document keeps its grade: `score` or `meta.<key>`; None to
            ignore grades. A Document without one has grade 1; 0 or below is judged and not relevant.
        ties: `input-order` takes retrieved documents as they stand, best first; `stable-score` sorts by
            score, equal ones in the order given; `trec` sorts as trec_eval does.
        min_grade: the grade from which on a document is relevant; None for any above 0.
        no_relevant: a query without relevant documents is `undefined`, or scores `zero`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length,
            entries that cannot be read, or ids that Documents hold in another field.

    ```python
    evaluator = ReciprocalRankEvaluator()
    evaluator.run(ground_truth_documents=[["a"]], retrieved_documents=[["c", "a"]])["score"]  # 0.5
    ```
    """

    def __init__(
        self,
        top_k: int | None = None,
        document_comparison_field: str = "content",
        *,
        document_grade_field: str | None = "score",
        ties: str = "input-order",
        min_grade: float | None = None,
        no_relevant: str = "undefined",
        name: str = "reciprocal_rank",
    ) -> None:
        self.top_k = top_k
        self.document_comparison_field = document_comparison_field
        self.document_grade_field = document_grade_field
        self.ties = ties
        self.min_grade = min_grade
        self.no_relevant = no_relevant
        self.name = name
        check_options(self)
        check_min_grade(min_grade)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truth_documents: list[Any], retrieved_documents: list[Any]) -> dict[str, Any]:
        """Score each query.

        Args:
            ground_truth_documents: per item the relevant documents: a list of Documents, of ids or of
                (id, grade) pairs, or a mapping from ids to grades; None leaves the item out as missing.
            retrieved_documents: per item the retrieved documents, best first: a list of Documents, of
                ids or of (id, score) pairs; None leaves the item out as missing.

        Returns:
            `score`: mean over the queries; `individual_scores`: 0 to 1; `result`.
        """
        return evaluate(
            self,
            retrieved_documents,
            ground_truth_documents,
            lambda ranked: reciprocal_rank(ranked.at_least(self.min_grade), self.top_k),
        )
