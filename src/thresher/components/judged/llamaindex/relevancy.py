"""Whether an answer, as an answer to its question, is in line with its contexts."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._packs import check_budget, packs
from thresher.components.judged.llamaindex._verdicts import COMPAT, PACKS, nothing_to_read, yes_in_any
from thresher.judges import Flow
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPT = "llamaindex/relevancy"


@component
@checked_options
class LlamaIndexRelevancyEvaluator:
    """Whether question and answer are in line with the contexts: 1 if they are, 0 if not.

    Formula: 1 if the judge says that the answer to this question is in line with the contexts, else 0
    Source: LlamaIndex, `RelevancyEvaluator`; contexts that do not fit a judge's window are read in packs,
        and a yes to one of them is enough.
    Calls: 1 if the contexts fit `max_context_tokens`, else up to one a pack, one after the other; 0 without
        contexts.
    Differs: the reply is read whole; in LlamaIndex any reply with the letters "yes" in it passes. Packs do
        not overlap, the first yes ends the asking, and a later pack is judged knowing what was found in
        those before.

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
    evaluator = LlamaIndexRelevancyEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high."]],
        predicted_answers=["It is 48 m high."],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        max_context_tokens: int = 16_000,
        no_contexts: str = "zero",
        compat: str = "none",
        name: str = "llama_index_relevancy",
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
    def run(self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

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
            return nothing_to_read(self.no_contexts)
        packed = packs(contexts, self.max_context_tokens)
        return (yield from yes_in_any(_PROMPT, packed, self.compat, question=question, answer=answer))
