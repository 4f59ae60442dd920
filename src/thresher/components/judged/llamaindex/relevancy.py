"""Whether an answer, as an answer to its question, is in line with its contexts."""

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

_PROMPT = "llamaindex/relevancy"


@metric
class LlamaIndexRelevancyEvaluator(JudgedMetric):
    """Whether question and answer are in line with the contexts: 1 if they are, 0 if not.

    Formula: 1 if the judge says that the answer to this question is in line with the contexts, else 0
    Source: LlamaIndex, `RelevancyEvaluator`; contexts that exceed the context window are judged in packs,
        and a yes to one pack is sufficient.
    Calls: 1 if the contexts fit `max_context_tokens`, otherwise up to one per pack, sequentially; 0 without
        contexts.
    Differs: the reply is parsed completely; in LlamaIndex any reply with the letters "yes" passes. Packs do
        not overlap, the first yes ends the calls, and the prompt of a later pack contains the findings in
        earlier packs.

    Args:
        compat: `llamaindex-0.14` passes every reply with the letters "yes".
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = LlamaIndexRelevancyEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high."]],
        predicted_answers=["It is 48 m high."],
    )
    ```
    """

    max_context_tokens: TokenBudget = 16_000
    undefined: ZeroOrSkip = "zero"
    compat: Compat = "none"
    name: str = "llama_index_relevancy"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer.

        Returns:
            `score`: share of answers that are in line; `individual_scores`: 0 or 1; `result`, with
            evidence.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT, f"{_PROMPT}.refine"), (PACKS,))

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return without_contexts(self.undefined)
        packed = packs(contexts, self.max_context_tokens)
        return (yield from yes_in_any(_PROMPT, packed, self.compat, question=question, answer=answer))
