"""Whether the contexts that are useful for the reference answer are ranked first."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from thresher.components.judged.ragas._ranking import COUNTS, ranked
from thresher.components.judged.ragas._steps import has_text, require_references
from thresher.judges import Flow, Verdicts, prompt
from thresher.judges.prompt import numbered
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_VERDICTS = "valor/context_precision"
_UNREFERENCED = "valor/context_relevance"
"""Without a reference: does the context help to answer the question? The prompt is Valor's."""


@metric
class RagasContextPrecisionEvaluator(JudgedMetric):
    """Average precision of the retrieved contexts, each judged useful or not for the reference answer.

    Without references, as in the first versions of ragas, each context is judged useful or not for answering
    the question.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: ragas, "Context Precision"; without a reference, the metric of ragas 0.0.
        RagasContextUtilizationEvaluator judges by the predicted answer.
    Calls: 1 per reference, about all contexts, shared with ValorContextPrecisionEvaluator; without references
        1, shared with ValorContextRelevanceEvaluator. ragas makes one per context, sequentially.
    Differs: a verdict is yes or no; in ragas other numbers count too and lead to scores above 1.

    Args:
        references: a context is useful if it is useful for `any` reference; or the highest precision over
            the references counts (`max`).
        undefined: score of an item without a useful context: `zero`, or none (`skip`).

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
    """Optional input -> what its absence means; `evaluate` warns, because a column may be forgotten."""

    references: Literal["any", "max"] = "any"
    undefined: ZeroOrSkip = "zero"
    no_contexts: ZeroOrSkip = "zero"
    name: str = "ragas_context_precision"

    @judged
    def run(
        self,
        questions: TextColumn,
        contexts: TextListColumn,
        ground_truth_answers: ReferenceColumn | None = None,
    ) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            ground_truth_answers: per item a text, or a list of texts; None and an empty list leave the item
                out as missing. Without this input, contexts are judged by the question alone.
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
            require_references(references)
        if not has_text(contexts):
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
        return (yield from ranked(passages, asks, self.references, self.undefined))
