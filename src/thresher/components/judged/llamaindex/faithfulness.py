"""Whether an answer as a whole is supported by its contexts."""

from thresher.components.judged.llamaindex._packs import TokenBudget, packs
from thresher.components.judged.llamaindex._verdicts import PACKS, Compat, without_contexts, yes_in_any
from thresher.judges import Flow
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
)

_PROMPT = "llamaindex/faithfulness"


@metric
class LlamaIndexFaithfulnessEvaluator(JudgedMetric):
    """Whether the contexts support an answer: 1 if they do, 0 if not.

    Formula: 1 if the judge says that the contexts support the whole answer, else 0
    Source: LlamaIndex, `FaithfulnessEvaluator`: one yes or no about the answer as a whole; contexts that
        exceed the context window are judged in packs, and a yes to one pack is sufficient.
    Calls: 1 if the contexts fit `max_context_tokens`, otherwise up to one per pack, sequentially; 0 without
        contexts.
    Differs: the reply is parsed completely; in LlamaIndex any reply with the letters "yes" passes, e.g. "no,
        as of yesterday". Packs do not overlap, and the first yes ends the calls. Prompts of later packs say
        what earlier packs support; in LlamaIndex they say only yes or no.

    Args:
        compat: `llamaindex-0.14` passes every reply with the letters "yes".
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = LlamaIndexFaithfulnessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    max_context_tokens: TokenBudget = 16_000
    undefined: ZeroOrSkip = "zero"
    compat: Compat = "none"
    name: str = "llama_index_faithfulness"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer.

        Returns:
            `score`: share of answers that are supported; `individual_scores`: 0 or 1; `result`, with
            evidence.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT, f"{_PROMPT}.refine"), (PACKS,))

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return without_contexts(self.undefined)
        packed = packs(contexts, self.max_context_tokens)
        return (yield from yes_in_any(_PROMPT, packed, self.compat, information=answer))
