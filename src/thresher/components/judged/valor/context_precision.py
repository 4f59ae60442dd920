"""Whether the contexts that are useful for the answer are ranked first."""

from typing import Literal

from thresher.judges import Flow, JudgeVerdict, Verdicts, judge_each, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import context_precision
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    TextListColumn,
    Undefined,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_VERDICTS = "valor/context_precision"
_COUNTS = ("useful", "contexts")


@metric
class ValorContextPrecisionEvaluator(JudgedMetric):
    """Average precision of the retrieved contexts, each judged useful or not for the reference answer.

    One call per reference, about all contexts in their order.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: Valor, text generation metrics, "Context Precision". With several references a context is useful
        if it is useful for any of them.

    Args:
        references: a context is useful if it is useful for `any` reference (as in Valor); or the highest
            precision over the references counts (`max`).
        neither: score of an item with neither contexts nor references: `one` (as in Valor), `zero`, or
            none (`skip`).
        undefined: score of an item without a useful context: `zero`, or none (`skip`).

    ```python
    evaluator = ValorContextPrecisionEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    references: Literal["any", "max"] = "any"
    undefined: ZeroOrSkip = "zero"
    no_contexts: ZeroOrSkip = "zero"
    no_references: ZeroOrSkip = "zero"
    neither: Undefined = "one"
    name: str = "valor_context_precision"

    @judged
    def run(
        self,
        questions: TextColumn,
        contexts: TextListColumn,
        ground_truth_answers: ReferenceColumn,
    ) -> JudgeJob:
        """Judge the contexts of each item."""
        items, entries = read_inputs(
            questions=questions, contexts=contexts, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "ContextPrecision")

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], references: list[str]) -> Flow[JudgedItem]:
        if not contexts and not references:
            return score_by_policy(self.neither, "there are neither contexts nor references", _COUNTS)
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        if not references:
            return score_by_policy(self.no_references, "there are no references", _COUNTS)
        passages = numbered(contexts)
        form = Verdicts(tuple(passages))
        asks = (
            prompt(_VERDICTS).ask(form, question=question, reference=reference, contexts=passages)
            for reference in references
        )
        verdicts = yield from together(*map(judge_each, asks))
        return self._score(passages, verdicts)

    def _score(self, passages: dict[str, str], verdicts: list[dict[str, JudgeVerdict]]) -> JudgedItem:
        useful = [[by_context[id_].label == "yes" for id_ in passages] for by_context in verdicts]
        of_any = [any(column) for column in zip(*useful, strict=True)]
        if not any(of_any) and self.undefined == "skip":
            return score_by_policy(self.undefined, "no context is useful", _COUNTS)
        rows = [of_any] if self.references == "any" else useful
        score = max((context_precision(row) for row in rows if any(row)), default=0.0)
        evidence = {"references": [verdict_evidence(passages, by_context) for by_context in verdicts]}
        return JudgedItem(score, {"useful": sum(of_any), "contexts": len(passages)}, evidence)
