"""How many of the retrieved documents are relevant."""

from typing import Any

from haystack import component

from thresher.kernels.retrieval.set_metrics import DENOMINATORS, precision
from thresher.metrics.options import check_choice, checked_options
from thresher.metrics.retrieval.ranking_metric import check_min_grade, check_options, evaluate
from thresher.results import MetricResult


@component
@checked_options
class PrecisionEvaluator:
    """Share of the retrieved documents that are relevant.

    Formula: hits / k (without a cutoff: hits / retrieved)
    Source: trec_eval, `P` and `set_P`.

    With a cutoff the denominator is k, however short the list: a retriever that finds one relevant
    document and nothing else has a precision@5 of 0.2. `denominator="retrieved"` divides by the documents
    that there are. A document retrieved twice is credited once and counted twice. A query without relevant
    documents is undefined, since no retriever can score on it; an empty list scores 0.

    Args:
        top_k: only the first k retrieved documents count; None for all. The measure is then called
            `precision@k`, unless it has a name of its own.
        document_comparison_field: what Documents are compared by: `content`, `id` or `meta.<key>`
            (dots lead into nested keys). One that is missing or empty matches nothing. Plain ids are
            compared as texts. Beside Documents, ids that match none but equal another field are refused.
        document_grade_field: where a relevant Document keeps its grade: `score` or `meta.<key>`; None to
            ignore grades. A Document without one has grade 1; 0 or below is judged and not relevant.
        ties: `input-order` takes retrieved documents as they stand, best first; `stable-score` sorts by
            score, equal ones in the order given; `trec` sorts as trec_eval does.
        min_grade: the grade from which on a document is relevant; None for any above 0.
        denominator: of precision@k: `top_k`, or `retrieved` for lists shorter than k.
        no_relevant: a query without relevant documents is `undefined`, or scores `zero`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length,
            entries that cannot be read, or ids that Documents hold in another field.

    ```python
    evaluator = PrecisionEvaluator(top_k=5)
    outputs = evaluator.run(ground_truth_documents=[["a", "b"]], retrieved_documents=[["c", "a"]])
    outputs["score"]  # 0.2
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
        denominator: str = "top_k",
        no_relevant: str = "undefined",
        name: str = "precision",
    ) -> None:
        self.top_k = top_k
        self.document_comparison_field = document_comparison_field
        self.document_grade_field = document_grade_field
        self.ties = ties
        self.min_grade = min_grade
        self.denominator = denominator
        self.no_relevant = no_relevant
        self.name = name
        check_options(self)
        check_min_grade(min_grade)
        check_choice("denominator", denominator, DENOMINATORS)

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
            lambda ranked: precision(ranked.at_least(self.min_grade), self.top_k, self.denominator),
        )
