"""How much of a reference answer the retrieved contexts contain."""

from collections.abc import Mapping

from thresher.components.judged.ragas._sentences import sentences
from thresher.components.judged.ragas._steps import has_text, require_references
from thresher.judges import Ask, Flow, JudgeVerdict, Unanswered, Verdicts, judge_each, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    combine_references,
    count_label,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)
from thresher.results import Status

_VERDICTS = "ragas/context_recall"
_UNASKED = f"{_VERDICTS}.unasked"
_COUNTS = ("attributable", "sentences")


@metric
class RagasContextRecallEvaluator(JudgedMetric):
    """Share of a reference answer's sentences that can be attributed to the contexts.

    Formula: attributable sentences / sentences; the best of several references
    Source: ragas, "Context Recall" (LLMContextRecall).
    Calls: 1 per reference.
    Differs: in ragas the judge splits the reference, and so sets the denominator; here the sentences are
        split without a judge, and each has a verdict.

    Args:
        references: with several references the highest score counts (`max`), or the `mean`; blank ones are
            skipped.
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = RagasContextRecallEvaluator()
    evaluator.run(
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        ground_truth_answers=["It is 48 m high. It was built in 1480."],
        questions=["How high is the tower?"],  # may be left out
    )
    ```
    """

    references: BestOrMean = "max"
    undefined: ZeroOrSkip = "zero"
    name: str = "ragas_context_recall"

    @judged
    def run(
        self,
        *,
        contexts: TextListColumn,
        ground_truth_answers: ReferenceColumn,
        questions: TextColumn | None = None,
    ) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing. Without this input, sentences
                are judged without a question.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_UNASKED if questions is None else _VERDICTS,), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str | None, contexts: list[str], references: list[str]) -> Flow[JudgedItem]:
        require_references(references)
        split_references = [parts for reference in references if (parts := sentences(reference))]
        if not split_references:
            raise Unanswered(Status.UNDEFINED, "the reference says nothing")
        if not has_text(contexts):
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        recalls = yield from together(*(_recall(question, contexts, parts) for parts in split_references))
        return combine_references(recalls, self.references)


def _ask(question: str | None, contexts: list[str], parts: Mapping[str, str]) -> Ask[dict[str, JudgeVerdict]]:
    form = Verdicts(tuple(parts))
    if question is None:
        return prompt(_UNASKED).ask(form, contexts=contexts, sentences=parts)
    return prompt(_VERDICTS).ask(form, question=question, contexts=contexts, sentences=parts)


def _recall(question: str | None, contexts: list[str], reference: list[str]) -> Flow[JudgedItem]:
    """The recall of the sentences of one reference."""
    parts = numbered(reference)
    verdicts = yield from judge_each(_ask(question, contexts, parts))
    counts = {"attributable": count_label(verdicts, "yes"), "sentences": len(parts)}
    return JudgedItem(
        float(share(*counts.values())), counts, {"sentences": verdict_evidence(parts, verdicts)}
    )
