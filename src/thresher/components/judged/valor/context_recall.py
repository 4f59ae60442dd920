"""Whether the contexts contain what the reference answer states."""

from thresher.judges import Flow, Unanswered, Verdicts, extract, judge_each, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextListColumn,
    Undefined,
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

_STATEMENTS, _VERDICTS = "valor/statements", "valor/context_recall"
_COUNTS = ("attributable", "statements")


@metric
class ValorContextRecallEvaluator(JudgedMetric):
    """Share of a reference answer's statements that can be attributed to the retrieved contexts.

    Two calls per reference: its statements are extracted, then judged together with all contexts. A reference
    that states nothing is skipped (Valor crashes); an item whose references all state nothing is undefined.

    Formula: attributable statements / statements of the reference; the best of several references
    Source: Valor, text generation metrics, "Context Recall".

    Args:
        undefined: score of an item with neither contexts nor references: `one` (as in Valor), `zero`, or
            none (`skip`).

    ```python
    evaluator = ValorContextRecallEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], ground_truth_answers=["It is 48 m high, of brick."])
    ```
    """

    references: BestOrMean = "max"
    no_contexts: ZeroOrSkip = "zero"
    no_references: ZeroOrSkip = "zero"
    undefined: Undefined = "one"
    name: str = "valor_context_recall"

    @judged
    def run(self, contexts: TextListColumn, ground_truth_answers: ReferenceColumn) -> JudgeJob:
        """Judge the contexts of each item."""
        items, entries = read_inputs(contexts=contexts, ground_truth_answers=ground_truth_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_STATEMENTS, _VERDICTS), _COUNTS, "ContextRecall")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], references: list[str]) -> Flow[JudgedItem]:
        if not contexts and not references:
            return score_by_policy(self.undefined, "there are neither contexts nor references", _COUNTS)
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        if not references:
            return score_by_policy(self.no_references, "there are no references", _COUNTS)
        recalls = yield from together(*(_recall(contexts, reference) for reference in references))
        defined = [recall for recall in recalls if recall is not None]
        if not defined:
            raise Unanswered(Status.UNDEFINED, "no reference states anything")
        return combine_references(defined, self.references)


def _recall(contexts: list[str], reference: str) -> Flow[JudgedItem | None]:
    """The recall of one reference; None if it states nothing."""
    stated = yield from extract(prompt(_STATEMENTS), "statements", reference)
    if not stated:
        return None
    statements = numbered(stated)
    ask = prompt(_VERDICTS).ask(Verdicts(tuple(statements)), contexts=contexts, statements=statements)
    verdicts = yield from judge_each(ask)
    attributable = count_label(verdicts, "yes")
    counts = {"attributable": attributable, "statements": len(statements)}
    return JudgedItem(
        float(share(attributable, len(statements))),
        counts,
        {"statements": verdict_evidence(statements, verdicts)},
    )
