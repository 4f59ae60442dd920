"""Whether the retrieved contexts are about the question."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, prompt
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "valor/context_relevance"
_COUNTS = ("relevant", "contexts")


@component
@checked_options
class ValorContextRelevanceEvaluator:
    """The share of retrieved contexts of which some part is relevant to the question.

    Formula: relevant contexts / contexts
    Source: Valor, text generation metrics, "Context Relevance".

    One call an item, about all contexts.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_contexts: an item without contexts scores `zero` (Valor's value) or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_contexts: str = "zero",
        name: str = "context_relevance",
    ) -> None:
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], contexts: list[list[str]]) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "ContextRelevance")

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "relevant", question=question))
