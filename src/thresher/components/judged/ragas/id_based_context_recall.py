"""Share of the relevant documents that were retrieved, by their ids."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.components.judged.ragas._ids import Ids, read
from thresher.metrics import ComparedField, DocumentLists, ZeroOrSkip, metric


@metric
class RagasIdBasedContextRecallEvaluator:
    """Share of the relevant ids that were retrieved.

    Formula: retrieved and relevant / relevant, over distinct ids
    Source: ragas, "ID Based Context Recall". RetrievalRecallEvaluator has cutoffs and grades.
    Calls: none.

    Args:
        document_comparison_field: field with the id of Documents: `id`, `content` or `meta.<key>`. Plain ids
            are compared as texts: 7 equals "7".
        undefined: score of an item without relevant documents: `zero`, or none (`skip`; NaN in ragas).

    ```python
    evaluator = RagasIdBasedContextRecallEvaluator()
    evaluator.run(ground_truth_documents=[["d1"]], retrieved_documents=[["d1", "d7"]])["score"]  # 1.0
    ```
    """

    document_comparison_field: ComparedField = "id"
    undefined: ZeroOrSkip = "skip"
    name: str = "ragas_id_based_context_recall"

    def run(
        self, ground_truth_documents: DocumentLists, retrieved_documents: DocumentLists
    ) -> dict[str, Any]:
        """Compare the ids of each item.

        Args:
            ground_truth_documents: per item the relevant documents, as Documents or ids; None leaves the
                item out as missing.
            retrieved_documents: per item the retrieved documents, as Documents or ids; None leaves the item
                out as missing.
        """
        items, pairs = read(retrieved_documents, ground_truth_documents, self.document_comparison_field)
        return row_outputs(self, items, [self._row(*pair) for pair in pairs], ("hits", "relevant"))

    def _row(self, retrieved: Ids, relevant: Ids) -> Row | str:
        if not relevant and self.undefined == "skip":
            return "no document is relevant"
        hits = retrieved & relevant
        score = len(hits) / len(relevant) if relevant else 0.0
        return Row(score, {"hits": len(hits), "relevant": len(relevant)}, {"hits": sorted(hits)})
