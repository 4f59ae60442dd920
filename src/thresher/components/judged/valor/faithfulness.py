"""Whether the contexts support what an answer claims."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import (
    JudgedItem,
    JudgeJob,
    count_label,
    judged,
    judged_async,
    score_by_policy,
    verdict_evidence,
)
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "valor/faithfulness"
_COUNTS = ("supported", "claims")


@component
@checked_options
class ValorFaithfulnessEvaluator:
    """The share of an answer's claims that its contexts support.

    Formula: supported claims / claims
    Source: Valor, text generation metrics, "Faithfulness". A claim that the contexts do not mention counts
        as not supported (DeepEval lets it pass).

    Two calls an item: the claims are extracted, then judged together against all contexts.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        claims: judge the answer's factual `claims`, as Valor does, or all its `statements`, which the
            answer relevance extracts too: one call an item less when both are computed.
        no_claims: an answer that claims nothing scores `one` (Valor's value) or `zero`, or is `undefined`.
        no_contexts: an item without contexts scores `zero` (Valor's value) or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorFaithfulnessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        claims: str = "claims",
        no_claims: str = "one",
        no_contexts: str = "zero",
        name: str = "faithfulness",
    ) -> None:
        check_choice("claims", claims, ["claims", "statements"])
        check_choice("no_claims", no_claims, ["one", "zero", "undefined"])
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.claims = claims
        self.no_claims = no_claims
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (f"valor/{self.claims}", _VERDICTS), _COUNTS, "Faithfulness")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        found = yield from extract(prompt(f"valor/{self.claims}"), self.claims, answer)
        if not found:
            return score_by_policy(self.no_claims, "the answer claims nothing", _COUNTS)
        claims = numbered(found)
        ask = prompt(_VERDICTS).ask(Verdicts(tuple(claims)), contexts=contexts, claims=claims)
        verdicts = yield from judge_each(ask)
        supported = count_label(verdicts, "yes")
        counts = {"supported": supported, "claims": len(claims)}
        return JudgedItem(
            float(share(supported, len(claims))), counts, {"claims": verdict_evidence(claims, verdicts)}
        )
