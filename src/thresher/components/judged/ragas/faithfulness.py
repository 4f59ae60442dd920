"""Whether the contexts support the statements of an answer."""

from thresher.components.judged._support import Support, support_counts, support_prompt
from thresher.components.judged.ragas._steps import STATEMENTS, Compat, has_text, inferred, statements_of
from thresher.judges import Flow
from thresher.judges.prompt import numbered
from thresher.metrics import (
    ClaimMetric,
    JudgedItem,
    JudgeJob,
    TextColumn,
    TextListColumn,
    Undefined,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_COUNTS = ("supported", "statements")


@metric
class RagasFaithfulnessEvaluator(ClaimMetric):
    """Share of an answer's statements that its contexts support.

    Formula: supported statements / statements; with `spans="characters"`, characters of supported
        statements / characters of statements
    Source: ragas, "Faithfulness". A statement counts as supported if it can be inferred from the contexts.
    Calls: 2 per item: the statements are extracted with the question as context, then judged together with
        all contexts. RagasAnswerCorrectnessEvaluator and RagasNoiseSensitivityEvaluator share the extraction.
    Differs: ragas divides by the number of verdicts, so one verdict on three statements can score 1; here
        missing verdicts are requested again, and then leave the item without a score. Without contexts ragas
        calls the judge, or raises an error, depending on its version.

    Args:
        undefined: score of an answer that states nothing: `zero`, `one`, or none (`skip`; NaN in ragas).
        compat: `ragas-0.4` divides by the number of verdicts, `none` by the number of statements.

    ```python
    evaluator = RagasFaithfulnessEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high."]],
        predicted_answers=["48 m."],
    )
    ```
    """

    undefined: Undefined = "skip"
    no_contexts: ZeroOrSkip = "skip"
    compat: Compat = "none"
    name: str = "ragas_faithfulness"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        prompts = (STATEMENTS, support_prompt(self.spans))
        return JudgeJob(items, flows, prompts, support_counts(_COUNTS, self.spans))

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        counts = support_counts(_COUNTS, self.spans)
        if not has_text(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", counts)
        stated = yield from statements_of(question, answer)
        if not stated:
            return score_by_policy(self.undefined, "the answer states nothing", counts)
        statements, partial = numbered(stated), self.compat == "ragas-0.4"
        verdicts = yield from inferred(contexts, statements, partial=partial, answer=answer, spans=self.spans)
        support = Support.of(statements, verdicts, answer, contexts, self.spans)
        return JudgedItem(support.score, support.counts(_COUNTS), {"statements": support.evidence})
