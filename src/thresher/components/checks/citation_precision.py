"""Share of citations that point to a given context."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.kernels.checks.citations import cited_numbers
from thresher.metrics import RatioOfSums, TextColumn, TextListColumn, metric, read_inputs, settings
from thresher.metrics.options import Count
from thresher.results import Measure, Signature


@metric
class CitationPrecisionEvaluator:
    """Share of the citations in an answer that point to a context of the item.

    Citations are numbers in brackets: `[1]`, `[2, 3]`, `[4-6]`, `[doc 7]`. Whether the context supports the
    sentence is not checked; that needs a judge. The evidence lists dangling numbers. A second measure,
    `<name>_micro`, is the share over the citations of all items.

    Formula: cited numbers that are numbers of contexts / cited numbers; undefined without a citation
    Source: the numbers of the contexts, in their order

    Args:
        first_number: number of the first context.

    ```python
    evaluator = CitationPrecisionEvaluator()
    evaluator.run(predicted_answers=["It is blue [1][3]."], contexts=[["Blue.", "It rains."]])["score"]  # 0.5
    ```
    """

    first_number: Count = 1
    name: str = "citation_precision"

    def run(self, predicted_answers: TextColumn, contexts: TextListColumn) -> dict[str, Any]:
        """Check the citations of each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers, contexts=contexts)
        rows = [self._row(answer, len(passages)) for answer, passages in entries]
        parts = RatioOfSums((("existing", 1.0),), (("cited", 1.0),))
        micro = Measure(Signature.of(f"{self.name}_micro", settings(self)), parts, item_score=None)
        return row_outputs(self, items, rows, ("existing", "cited"), micro)

    def _row(self, answer: str, passages: int) -> Row | str:
        cited = cited_numbers(answer)
        if not cited:
            return "the answer has no citation"
        known = range(self.first_number, self.first_number + passages)
        existing = sum(number in known for number in cited)
        evidence = {"cited": cited, "dangling": sorted(set(cited) - set(known))}
        return Row(existing / len(cited), {"existing": existing, "cited": len(cited)}, evidence)
