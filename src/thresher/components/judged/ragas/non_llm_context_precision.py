"""Whether the contexts that are similar to reference contexts are ranked first."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.components.judged.ragas._strings import NO_REFERENCES, Distance, similarities
from thresher.kernels.verdicts import context_precision
from thresher.metrics import Share, TextListColumn, ZeroOrSkip, metric, read_inputs


@metric
class RagasNonLlmContextPrecisionEvaluator:
    """Average precision of the retrieved contexts; one is useful if it is similar to a reference context.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts; useful if
        the highest similarity to a reference context reaches the threshold
    Source: ragas, "Context Precision" with reference contexts (NonLLMContextPrecisionWithReference).
    Calls: none.
    Differs: an item without reference contexts is undefined; in ragas it raises an error.

    Args:
        distance: `levenshtein`, `hamming`, `jaro` or `jaro_winkler`; similarity is 1 - distance over
            characters, normalised.
        threshold: lowest similarity of a useful context.
        undefined: score of an item without a useful context: `zero`, or none (`skip`).

    ```python
    evaluator = RagasNonLlmContextPrecisionEvaluator()
    evaluator.run(
        contexts=[["A moat surrounds the town.", "The tower is 48 m high."]],
        ground_truth_contexts=[["The tower is 48 m tall."]],
    )["score"]  # 0.5
    ```
    """

    distance: Distance = "levenshtein"
    threshold: Share = 0.5
    undefined: ZeroOrSkip = "zero"
    name: str = "ragas_non_llm_context_precision"

    def run(self, contexts: TextListColumn, ground_truth_contexts: TextListColumn) -> dict[str, Any]:
        """Compare the contexts of each item."""
        items, entries = read_inputs(contexts=contexts, ground_truth_contexts=ground_truth_contexts)
        return row_outputs(self, items, [self._row(*entry) for entry in entries], ("useful", "contexts"))

    def _row(self, contexts: list[str], references: list[str]) -> Row | str:
        if not references:
            return NO_REFERENCES
        closest = similarities(contexts, references, self.distance).max(axis=1)
        useful = (closest >= self.threshold).tolist()
        if not any(useful) and self.undefined == "skip":
            return "no context is useful"
        score = context_precision(useful) if any(useful) else 0.0
        counts = {"useful": sum(useful), "contexts": len(contexts)}
        return Row(score, counts, {"similarities": closest.tolist(), "useful": useful})
