"""Whether the contexts support the claims of an answer."""

from typing import Literal

from thresher.components._renamed import RENAMED, SKIP
from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Undefined,
    ZeroOrSkip,
    count_label,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_VERDICTS = "valor/faithfulness"
_COUNTS = ("supported", "claims")


@RENAMED.options({"no_claims": "undefined"}, values=SKIP)
@metric
class ValorFaithfulnessEvaluator(JudgedMetric):
    """Share of an answer's claims that its contexts support.

    Two calls per item: the claims are extracted, then judged together with all contexts.

    Formula: supported claims / claims
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
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (f"valor/{self.claims}", _VERDICTS), _COUNTS, "Faithfulness")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        extracted = yield from extract(prompt(f"valor/{self.claims}"), self.claims, answer)
        if not extracted:
            return score_by_policy(self.undefined, "the answer claims nothing", _COUNTS)
        claims = numbered(extracted)
        ask = prompt(_VERDICTS).ask(Verdicts(tuple(claims)), contexts=contexts, claims=claims)
        verdicts = yield from judge_each(ask)
        supported = count_label(verdicts, "yes")
        counts = {"supported": supported, "claims": len(claims)}
        return JudgedItem(
            float(share(supported, len(claims))), counts, {"claims": verdict_evidence(claims, verdicts)}
        )
