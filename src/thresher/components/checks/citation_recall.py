"""Share of sentences with a citation."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.kernels.checks.citations import cited_numbers
from thresher.kernels.checks.sentences import sentences
from thresher.metrics import RatioOfSums, TextColumn, TextListColumn, metric, read_inputs, settings
from thresher.metrics.options import Count
from thresher.results import Measure, Signature


@metric
class CitationRecallEvaluator:
    """Share of the sentences of an answer that cite a context of the item.

    Citations are as in `citation_precision`; one after the full stop belongs to the sentence before it, and
    a dangling one does not count. A second measure, `<name>_micro`, is the share over all sentences.

    Formula: sentences with a citation of a context / sentences; undefined for an answer without a sentence
    Source: the numbers of the contexts, in their order

    Args:
        first_number: number of the first context.

    ```python
    evaluator = CitationRecallEvaluator()
    evaluator.run(predicted_answers=["Blue. [1] Wet."], contexts=[["It is blue."]])["score"]  # 0.5
    ```
    """

    first_number: Count = 1
    name: str = "citation_recall"

    def run(self, predicted_answers: TextColumn, contexts: TextListColumn) -> dict[str, Any]:
        """Check the sentences of each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers, contexts=contexts)
        rows = [self._row(answer, len(passages)) for answer, passages in entries]
        parts = RatioOfSums((("with_citation", 1.0),), (("sentences", 1.0),))
        micro = Measure(Signature.of(f"{self.name}_micro", settings(self)), parts, item_score=None)
        return row_outputs(self, items, rows, ("with_citation", "sentences"), micro)

    def _row(self, answer: str, passages: int) -> Row | str:
        parts = sentences(answer)
        if not parts:
            return "the answer has no sentence"
        known = range(self.first_number, self.first_number + passages)
        without = [part for part in parts if not any(number in known for number in cited_numbers(part))]
        cited = len(parts) - len(without)
        counts = {"with_citation": cited, "sentences": len(parts)}
        return Row(cited / len(parts), counts, {"without_citation": without})
