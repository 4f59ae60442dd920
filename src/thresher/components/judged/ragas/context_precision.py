"""Whether the contexts that led to the reference answer were ranked first."""

from collections.abc import Mapping
from typing import ClassVar

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.ragas._material import References
from thresher.components.judged.ragas._ranking import COUNTS, ranked
from thresher.components.judged.ragas._steps import needed, says_something
from thresher.judges import Flow, Verdicts, prompt
from thresher.judges.prompt import numbered
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "valor/context_precision"
_UNREFERENCED = "valor/context_relevance"
"""Without a reference: does the context help to answer the question? Valor asks the same."""


@component
@checked_options
class RagasContextPrecisionEvaluator:
    """Average precision of the retrieved contexts, each judged useful or not for the reference answer.

    Without references, as the first versions of ragas computed it, each context is judged useful or not for
    answering the question.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: ragas, "Context Precision" with a reference, and of version 0.0 without one.
        RagasContextUtilizationEvaluator is the one that judges by the predicted answer.
    Calls: 1 for each reference, about all contexts, and the same that ValorContextPrecisionEvaluator makes,
        without references 1, the same that ValorContextRelevanceEvaluator makes; ragas makes one for each
        context, one after the other.
    Differs: a verdict is yes or no; in ragas other numbers count as such and lead to scores above 1.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        references: a context is useful if it is for `any` reference; or the precision is computed for each
            and the `max` counts.
        none_useful: an item without a useful context scores `zero`, or is `undefined`.
        no_contexts: an item without contexts scores `zero`, or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = RagasContextPrecisionEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    judged_without: ClassVar[Mapping[str, str]] = {
        "ground_truth_answers": "contexts are judged by the question alone"
    }
    """Optional socket -> what its absence means; evaluating warns of it, as a column may be forgotten."""

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        references: str = "any",
        none_useful: str = "zero",
        no_contexts: str = "zero",
        name: str = "ragas_context_precision",
    ) -> None:
        check_choice("references", references, ["any", "max"])
        check_choice("none_useful", none_useful, ["zero", "undefined"])
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.references = references
        self.none_useful = none_useful
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(
        self,
        questions: list[str],
        contexts: list[list[str]],
        ground_truth_answers: References = None,
    ) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages, best first; None leaves the item out as missing.
            ground_truth_answers: per item a text or several; None and none leave the item out as missing. Not
                connected, contexts are judged by the question alone.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        used = _UNREFERENCED if ground_truth_answers is None else _VERDICTS
        return JudgeJob(items, flows, (used,), COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], references: list[str] | None) -> Flow[JudgedItem]:
        if references is not None:
            needed(references)
        if not says_something(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", COUNTS)
        passages = numbered(contexts)
        form = Verdicts(tuple(passages))
        if references is None:
            asks = [prompt(_UNREFERENCED).ask(form, question=question, contexts=passages)]
        else:
            asks = [
                prompt(_VERDICTS).ask(form, question=question, reference=reference, contexts=passages)
                for reference in references
            ]
        return (yield from ranked(passages, asks, self.references, self.none_useful))
