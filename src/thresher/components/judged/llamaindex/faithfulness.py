"""Whether an answer as a whole is supported by its contexts."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._packs import check_budget, packs
from thresher.components.judged.llamaindex._verdicts import COMPAT, PACKS, nothing_to_read, yes_in_any
from thresher.judges import Flow
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPT = "llamaindex/faithfulness"


@component
@checked_options
class LlamaIndexFaithfulnessEvaluator:
    """Whether the contexts support an answer: 1 if they do, 0 if not.

    Formula: 1 if the judge says that the contexts support the whole answer, else 0
    Source: LlamaIndex, `FaithfulnessEvaluator`: one yes or no about the answer as a whole; contexts that do
        not fit a judge's window are read in packs, and a yes to one of them is enough.
    Calls: 1 if the contexts fit `max_context_tokens`, else up to one a pack, one after the other; 0 without
        contexts.
    Differs: the reply is read whole; in LlamaIndex any reply with the letters "yes" in it passes, "no, as of
        yesterday" among them. Packs do not overlap, and the first yes ends the asking. A later pack is judged
        knowing what the packs before supported; in LlamaIndex only their yes or no is told.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        max_context_tokens: about how many tokens of contexts one prompt may hold.
        no_contexts: an item without contexts scores `zero` (LlamaIndex's value) or is `undefined`.
        compat: `llamaindex-0.14` passes every reply with the letters "yes" in it; `none` does not.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = LlamaIndexFaithfulnessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        max_context_tokens: int = 16_000,
        no_contexts: str = "zero",
        compat: str = "none",
        name: str = "llama_index_faithfulness",
    ) -> None:
        check_budget(max_context_tokens)
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        check_choice("compat", compat, COMPAT)
        self.chat_generator = chat_generator
        self.max_context_tokens = max_context_tokens
        self.no_contexts = no_contexts
        self.compat = compat
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

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
            return nothing_to_read(self.no_contexts)
        packed = packs(contexts, self.max_context_tokens)
        return (yield from yes_in_any(_PROMPT, packed, self.compat, information=answer))
