"""Share of reference contexts that were retrieved, by string similarity."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.components.judged.ragas._steps import Compat
from thresher.components.judged.ragas._strings import NO_REFERENCES, Distance, similarities
from thresher.metrics import Share, TextListColumn, metric, read_inputs


@metric
class RagasNonLlmContextRecallEvaluator:
    """Share of the reference contexts that are similar to a retrieved context.

    Formula: reference contexts whose highest similarity to a retrieved context reaches the threshold /
        reference contexts
    Source: ragas, "Context Recall" with reference contexts (NonLLMContextRecall).
    Calls: none.
    Differs: a similarity equal to the threshold reaches it, as in ragas' precision; ragas' recall requires
        more. An item without contexts scores 0; ragas raises an error.

    Args:
        distance: `levenshtein`, `hamming`, `jaro` or `jaro_winkler`; similarity is 1 - distance over
            characters, normalised.
        threshold: lowest similarity of a retrieved reference context.
        compat: `ragas-0.4` requires a similarity above the threshold.

    ```python
    evaluator = RagasNonLlmContextRecallEvaluator()
    evaluator.run(
        contexts=[["The tower is 48 m high."]],
        ground_truth_contexts=[["The tower is 48 m tall.", "It has a bronze clock."]],
    )["score"]  # 0.5
    ```
    """

    distance: Distance = "levenshtein"
    threshold: Share = 0.5
    compat: Compat = "none"
    name: str = "ragas_non_llm_context_recall"

    def run(self, contexts: TextListColumn, ground_truth_contexts: TextListColumn) -> dict[str, Any]:
        """Compare the contexts of each item."""
        items, entries = read_inputs(contexts=contexts, ground_truth_contexts=ground_truth_contexts)
        return row_outputs(self, items, [self._row(*entry) for entry in entries], ("found", "references"))

    def _row(self, contexts: list[str], references: list[str]) -> Row | str:
        if not references:
            return NO_REFERENCES
        closest = similarities(contexts, references, self.distance).max(axis=0, initial=-1.0)
        reached = closest > self.threshold if self.compat == "ragas-0.4" else closest >= self.threshold
        retrieved = int(reached.sum())
        evidence = {"similarities": [None if best < 0 else best for best in closest.tolist()]}
        return Row(retrieved / len(references), {"found": retrieved, "references": len(references)}, evidence)
