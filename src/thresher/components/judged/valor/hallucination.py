"""Whether an answer contradicts its contexts."""

from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, judge_each, prompt
from thresher.judges.claim_verdicts import ClaimVerdicts
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    ClaimMetric,
    JudgedItem,
    JudgeJob,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    claim_evidence,
    count_label,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)
from thresher.metrics.claims import span_characters

_VERDICTS = "valor/hallucination"
_COUNTS = ("contradicted", "contexts")
_LABELS = ("contradicted", "compatible")
_CHARACTERS = ("contradicted_characters", "characters")


@metric
class ValorHallucinationEvaluator(ClaimMetric):
    """Share of contexts that an answer contradicts; lower is better.

    One call per item, about all contexts.

    Formula: contradicted contexts / contexts; with `spans="characters"`, characters of the answer that
        contradict a context / characters of the answer
    Source: Valor, text generation metrics, "Hallucination". A claim that no context mentions is not a
        contradiction; faithfulness detects invented claims.

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`; Valor raises an error).

    ```python
    evaluator = ValorHallucinationEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 84 m high."])
    ```
    """

    undefined: ZeroOrSkip = "skip"
    name: str = "valor_hallucination"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (self._prompt,), self._counts, "Hallucination", "lower")

    run_async = judged_async(run)

    @property
    def _prompt(self) -> str:
        return f"{_VERDICTS}.spans" if self.spans else _VERDICTS

    @property
    def _counts(self) -> tuple[str, ...]:
        return (*_COUNTS, *_CHARACTERS) if self.spans == "characters" else _COUNTS

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.undefined, "there are no contexts", self._counts)
        if not self.spans:
            return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "contradicted", text=answer))
        return (yield from self._located(contexts, answer))

    def _located(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        """The score with the words of the answer that contradict each context."""
        passages, counted = numbered(contexts), self.spans == "characters"
        form = ClaimVerdicts(tuple(passages), _LABELS, answer=answer if counted else "", unquoted=(1,))
        verdicts = yield from judge_each(prompt(self._prompt).ask(form, contexts=passages, text=answer))
        entries = claim_evidence(passages, verdicts, answer, contexts)
        counts = parts = count_label(verdicts, _LABELS[0]), len(contexts)
        if counted:
            contradicting = [entry for entry in entries if entry["verdict"] == _LABELS[0]]
            parts = span_characters(contradicting, answer, _LABELS[0])[0], len(answer)
        numbers = dict(zip(self._counts, (*counts, *parts), strict=False))
        score = float(share(*parts)) if parts[0] else 0.0  # an empty answer contradicts nothing
        return JudgedItem(score, numbers, {"contexts": entries})
