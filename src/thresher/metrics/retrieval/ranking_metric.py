"""The base of metrics that compare retrieved with relevant documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from haystack import Document

from thresher.kernels.retrieval.order import TieRule
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics.items import Items, outputs, settings
from thresher.metrics.options import ZeroOrSkip, document_field
from thresher.metrics.retrieval.ranking import Matching
from thresher.metrics.retrieval.sharing import shared_rank
from thresher.results import Measure, Signature, Status

ComparedField = Annotated[str, document_field("content", "id")]
DocumentLists = (
    Iterable[list[Document] | None]
    | Iterable[list[str] | None]
    | Iterable[list[int] | None]
    | Iterable[list[tuple[Any, Any]] | None]
    | Iterable[list[dict[Any, Any]] | None]
    | Iterable[dict[Any, Any] | None]
)
"""Documents of many queries, in each form that `DocumentReader` reads. Not `list[...]`: see `column_type`."""


@dataclass(eq=False, repr=False, kw_only=True)
class RankingMetric:
    """Base of ranking metrics; a derived class has `score_queries`, and `@metric` completes it.

    Its own options, e.g. `top_k: TopK = None`, come first. With a `top_k` that is not None the measure is
    called `<name>@<top_k>`, unless the user gives a name.

    Attributes:
        document_comparison_field: what Documents are compared by.
        document_grade_field: where a relevant Document has its grade.
        ties: the order of retrieved documents.
        undefined: score of a query without relevant documents.
        name: name of the measure; a derived class gives the default.
    """

    document_comparison_field: ComparedField = "content"
    document_grade_field: Annotated[str | None, document_field("score")] = "score"
    ties: TieRule = "input-order"
    undefined: ZeroOrSkip = "skip"
    name: str

    def run(
        self, ground_truth_documents: DocumentLists, retrieved_documents: DocumentLists
    ) -> dict[str, Any]:
        """Score each query."""
        return self._outputs(ground_truth_documents, retrieved_documents)

    def score_queries(self, ranked: RankedGains) -> Floats:
        """One score per query, NaN for a query without relevant documents."""
        raise NotImplementedError(f"{type(self).__name__} must define score_queries")

    def _outputs(self, relevant: Any, retrieved: Any) -> dict[str, Any]:
        items = Items(retrieved_documents=retrieved, ground_truth_documents=relevant)
        matching = Matching(self.document_comparison_field, self.document_grade_field, self.ties)
        ranking = shared_rank(retrieved, relevant, matching)
        for item in ranking.incomparable:
            items.leave_out(item, Status.MISSING, f"no relevant document has {matching.field}")
        scores = self.score_queries(ranking.gains)
        if self.undefined == "zero":
            scores = np.nan_to_num(scores)
        for item in np.flatnonzero(np.isnan(scores)).tolist():
            items.leave_out(item, Status.UNDEFINED, "no document is relevant")
        for item in np.flatnonzero(ranking.gains.retrieved == 0).tolist():
            items.reasons.setdefault(item, "nothing was retrieved")
        measure = Measure(Signature.of(self._measure_name(), settings(self)))
        return outputs(items.result([measure], {"score": scores[items.present]}))

    def _measure_name(self) -> str:
        """The default name with the cutoff; a name that the user chose stays as it is."""
        top_k = getattr(self, "top_k", None)
        return (
            self.name
            if top_k is None or self.name != getattr(type(self), "name", None)
            else f"{self.name}@{top_k}"
        )
