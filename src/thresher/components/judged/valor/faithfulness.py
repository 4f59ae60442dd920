"""Whether the contexts support the claims of an answer."""

from typing import Literal

from thresher.components.judged._support import Support, support_ask, support_counts, support_prompt
from thresher.judges import Flow, extract, judge_each, prompt
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

_COUNTS = ("supported", "claims")


@metric
class ValorFaithfulnessEvaluator(ClaimMetric):
    """Share of an answer's claims that its contexts support.

    Two calls per item: the claims are extracted, then judged together with all contexts.

    Formula: supported claims / claims; with `spans="characters"`, characters of supported claims / characters
        of claims
    Source: Valor, text generation metrics, "Faithfulness". A claim that the contexts do not mention counts
        as not supported (DeepEval counts it as supported).

    Args:
        claims: judge the answer's factual `claims`, as Valor does, or all its `statements`, which the
            answer relevance extracts too, so that both together need one call less per item.
        undefined: score of an answer that claims nothing: `one` (as in Valor), `zero`, or none (`skip`).

    ```python
    evaluator = ValorFaithfulnessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    claims: Literal["claims", "statements"] = "claims"
    undefined: Undefined = "one"
    no_contexts: ZeroOrSkip = "zero"
    name: str = "valor_faithfulness"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        prompts = (f"valor/{self.claims}", support_prompt(self.spans))
        return JudgeJob(items, flows, prompts, support_counts(_COUNTS, self.spans), "Faithfulness")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        counts = support_counts(_COUNTS, self.spans)
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", counts)
        extracted = yield from extract(prompt(f"valor/{self.claims}"), self.claims, answer)
        if not extracted:
            return score_by_policy(self.undefined, "the answer claims nothing", counts)
        claims = numbered(extracted)
        verdicts = yield from judge_each(support_ask(contexts, claims, answer, self.spans))
        support = Support.of(claims, verdicts, answer, contexts, self.spans)
        return JudgedItem(support.score, support.counts(_COUNTS), {"claims": support.evidence})
