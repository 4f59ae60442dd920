"""Claims of an answer that a reference supports, and claims of the reference that the answer covers."""

from typing import Literal

from thresher.components.judged._support import INFERENCE, Support, support_counts, support_prompt
from thresher.components.judged.ragas._steps import Compat, inferred, require_references
from thresher.errors import InputError
from thresher.judges import Flow, extract, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import f_beta
from thresher.metrics import (
    BestOrMean,
    ClaimMetric,
    JudgedItem,
    JudgeJob,
    Positive,
    ReferenceColumn,
    TextColumn,
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

_COUNTS = ("supported", "claims", "covered", "reference_claims")
_DECIMALS = 2


@metric
class RagasFactualCorrectnessEvaluator(ClaimMetric):
    """Precision, recall or F-beta of an answer's claims with respect to a reference answer.

    Formula: precision = supported claims / claims of the answer; recall = covered claims / claims of the
        reference; F-beta = (1 + b^2) p r / (b^2 p + r); the best of several references. With
        `spans="characters"`, precision = characters of supported claims / characters of claims
    Source: ragas, "Factual Correctness": a claim is supported if it can be inferred from the reference, and
        covered if it can be inferred from the answer.
    Calls: `precision`: 1 per item and 1 per reference; `recall`: 2 per reference; `f1`: 1 per item and 3 per
        reference. ragas makes 4 for recall.
    Differs: recall in ragas is supported claims of the answer / (those + claims of the reference that the
        answer lacks), which is not a share of one set; here it is the covered share of the reference. ragas
        rounds to two decimals.

    Args:
        mode: `precision`, `recall` or `f1`.
        beta: weight of recall relative to precision, for `f1`.
        atomicity: `low` leaves related facts in one claim, `high` splits them.
        coverage: `low` extracts the main claims, `high` all claims.
        undefined: score of an item without the claims of the denominator (of the answer for precision, of the
            reference for recall, of both for f1): `zero`, or none (`skip`).
        compat: `ragas-0.4` computes recall and rounds as ragas does.

    ```python
    evaluator = RagasFactualCorrectnessEvaluator(mode="precision")
    evaluator.run(predicted_answers=["The tower is 48 m high."], ground_truth_answers=["48 metres"])
    ```
    """

    mode: Literal["precision", "recall", "f1"] = "f1"
    beta: Positive = 1.0
    atomicity: Literal["low", "high"] = "low"
    coverage: Literal["low", "high"] = "low"
    references: BestOrMean = "max"
    undefined: ZeroOrSkip = "zero"
    compat: Compat = "none"
    name: str = "ragas_factual_correctness"

    def check_spans(self) -> None:
        """Raise `InputError` if another option excludes spans."""
        if self.spans and self.mode == "recall":
            raise InputError(
                f"spans={self.spans!r} locates claims of the answer, which mode='recall' does not judge: "
                "choose mode='precision' or mode='f1'"
            )
        if self.spans == "characters" and self.compat != "none":
            raise InputError(f"spans='characters' scores other than ragas: leave out compat={self.compat!r}")

    @judged
    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(
            predicted_answers=predicted_answers, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        used = (support_prompt(self.spans), *([INFERENCE] if self._sides[1] else []))
        prompts = (self._extraction[0], *dict.fromkeys(used))
        return JudgeJob(items, flows, prompts, support_counts(_COUNTS, self.spans))

    run_async = judged_async(run)

    @property
    def _extraction(self) -> tuple[str, str]:
        """Prompt and key of the claims; all atomic claims of a text are its statements in other metrics."""
        if (self.atomicity, self.coverage) == ("high", "high"):
            return "valor/statements", "statements"
        return f"ragas/claims.{self.atomicity}_atomicity_{self.coverage}_coverage", "claims"

    @property
    def _sides(self) -> tuple[bool, bool]:
        """Whether the claims of the answer are needed, and those of the references."""
        shared = self.compat == "ragas-0.4"
        return shared or self.mode != "recall", self.mode != "precision"

    def _flow(self, answer: str, references: list[str]) -> Flow[JudgedItem]:
        require_references(references)
        of_answer, of_references = self._sides
        name, key = self._extraction
        texts = [answer] * of_answer + references * of_references
        extracted = yield from together(*(extract(prompt(name), key, text) for text in texts))
        claims = extracted[0] if of_answer else ()
        expected = extracted[of_answer:] if of_references else [()] * len(references)
        scored = yield from together(
            *(
                self._compared((answer, claims), (reference, reference_claims), number)
                for number, (reference, reference_claims) in enumerate(
                    zip(references, expected, strict=True), 1
                )
            )
        )
        defined = [judged_item for judged_item in scored if judged_item is not None]
        if not defined:
            counts = support_counts(_COUNTS, self.spans)
            return score_by_policy(self.undefined, "nothing is claimed", counts)
        return combine_references(defined, self.references)

    def _compared(
        self, answer: tuple[str, tuple[str, ...]], reference: tuple[str, tuple[str, ...]], number: int
    ) -> Flow[JudgedItem | None]:
        """The score for one reference; None without any claims."""
        if not answer[1] and not reference[1]:
            return None
        claims, expected, texts = numbered(answer[1]), numbered(reference[1]), [reference[0]]
        verdicts, covered = yield from together(
            inferred(texts, claims, answer=answer[0], spans=self.spans), inferred([answer[0]], expected)
        )
        support = Support.of(claims, verdicts, answer[0], texts, self.spans, source="reference", first=number)
        hits = count_label(covered, "yes")
        counts = support.counts(_COUNTS[:2]) | dict(zip(_COUNTS[2:], (hits, len(expected)), strict=True))
        evidence = {"answer": support.evidence, "reference": verdict_evidence(expected, covered)}
        return JudgedItem(self._score(*support.parts, hits, len(expected)), counts, evidence)

    def _score(self, supported: int, claims: int, covered: int, reference_claims: int) -> float:
        as_ragas = self.compat == "ragas-0.4"
        denominator = supported + reference_claims - covered if as_ragas else reference_claims
        precision = supported / claims if claims else 0.0
        recall = (supported if as_ragas else covered) / denominator if denominator else 0.0
        score = {"precision": precision, "recall": recall, "f1": f_beta(precision, recall, self.beta)}
        return round(score[self.mode], _DECIMALS) if as_ragas else score[self.mode]
