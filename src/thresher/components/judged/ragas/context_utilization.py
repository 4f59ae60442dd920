"""Whether the contexts that the answer uses are ranked first; needs no reference answer."""

from thresher.components.judged.ragas._ranking import COUNTS, ranked
from thresher.components.judged.ragas._steps import has_text
from thresher.judges import Flow, Verdicts, prompt
from thresher.judges.prompt import numbered
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
    score_by_policy,
)

_VERDICTS = "ragas/context_utilization"


@metric
class RagasContextUtilizationEvaluator(JudgedMetric):
    """Average precision of the retrieved contexts, each judged useful or not for the predicted answer.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: ragas, "Context Precision" without a reference ("Context Utilization"). It measures the rank
        of the contexts that the answer uses, not whether the answer is correct.
    Calls: 1 per item, about all contexts; ragas makes one per context, sequentially.
    Differs: a verdict is yes or no; in ragas other numbers count too and lead to scores above 1.

    Args:
        undefined: score of an item without a useful context: `zero`, or none (`skip`).

    ```python
    evaluator = RagasContextUtilizationEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        predicted_answers=["It is 48 m high."],
    )
    ```
    """

    undefined: ZeroOrSkip = "zero"
    no_contexts: ZeroOrSkip = "zero"
    name: str = "ragas_context_utilization"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge the contexts of each item."""
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not has_text(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", COUNTS)
        passages = numbered(contexts)
        form = Verdicts(tuple(passages))
        ask = prompt(_VERDICTS).ask(form, question=question, answer=answer, contexts=passages)
        return (yield from ranked(passages, [ask], "any", self.undefined))
