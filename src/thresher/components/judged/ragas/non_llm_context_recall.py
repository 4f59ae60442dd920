"""How many reference contexts were retrieved, going by resemblance."""

from typing import Any

from thresher.components.judged.ragas._rows import Row, outputs_of
from thresher.components.judged.ragas._steps import Compat
from thresher.components.judged.ragas._strings import NO_REFERENCES, Distance, similarities
from thresher.metrics import Share, metric, read_inputs


@metric
class RagasNonLlmContextRecallEvaluator:
    """The share of the reference contexts that a retrieved context resembles.

    Formula: reference contexts whose highest similarity to a retrieved context reaches the threshold /
        reference contexts
    Source: ragas, "Context Recall" with reference contexts (NonLLMContextRecall).
    Calls: none.
    Differs: the threshold itself counts as reached, as it does in ragas' precision, while ragas' recall
        wants more; an item without contexts scores 0, where ragas raises an error.

    Args:
        distance: `levenshtein`, `hamming`, `jaro` or `jaro_winkler`; similarity is 1 - distance over
            characters, normalised.
        threshold: the similarity from which on a reference context counts as retrieved.
        compat: `ragas-0.4` wants more than the threshold, `none` the threshold.

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

    def run(self, contexts: list[list[str]], ground_truth_contexts: list[list[str]]) -> dict[str, Any]:
        """Compare the contexts of each item."""
        items, entries = read_inputs(contexts=contexts, ground_truth_contexts=ground_truth_contexts)
        return outputs_of(self, items, [self._row(*entry) for entry in entries], ("found", "references"))

    def _row(self, contexts: list[str], references: list[str]) -> Row | str:
        if not references:
            return NO_REFERENCES
        closest = similarities(contexts, references, self.distance).max(axis=0, initial=-1.0)
        reached = closest > self.threshold if self.compat == "ragas-0.4" else closest >= self.threshold
        found = int(reached.sum())
        told = {"similarities": [None if best < 0 else best for best in closest.tolist()]}
        return Row(found / len(references), {"found": found, "references": len(references)}, told)
