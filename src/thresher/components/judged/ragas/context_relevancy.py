"""How much of the retrieved contexts is needed to answer the question."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.ragas._quotes import Quotes
from thresher.components.judged.ragas._sentences import sentences
from thresher.judges import Flow, answered, prompt
from thresher.kernels.verdicts import share
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_QUOTES = "ragas/context_relevancy"
_COUNTS = ("relevant", "sentences")


@component
@checked_options
class RagasContextRelevancyEvaluator:
    """The share of the contexts' sentences that are needed to answer the question.

    Formula: relevant sentences / sentences of all contexts
    Source: ragas up to 0.1, "Context Relevancy": the judge copies the relevant sentences out of the contexts.
    Calls: 1 an item.
    Differs: ragas counts the sentences of the reply, whatever they are; here each must stand in a context
        and is counted once, or is asked for again, and the item has no score if it stays invented. That
        nothing is relevant is an empty list, where ragas has a phrase that must be repeated to the letter.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_contexts: an item without contexts scores `zero`, or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = RagasContextRelevancyEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is old. It is 48 m high.", "The town has a moat."]],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_contexts: str = "zero",
        name: str = "ragas_context_relevancy",
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
        return JudgeJob(items, flows, (_QUOTES,), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        found = tuple(sentence for context in contexts for sentence in sentences(context))
        if not found:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        ask = prompt(_QUOTES).ask(Quotes(found), question=question, contexts=contexts)
        relevant = yield from answered(ask)
        counts = {"relevant": len(relevant), "sentences": len(found)}
        quoted = [found[place] for place in sorted(relevant)]
        return JudgedItem(float(share(*counts.values())), counts, {"relevant": quoted})
