"""Which claims of an answer a reference answer supports, and which of the reference's the answer does."""

from typing import Literal

from thresher.components._renamed import RENAMED, SKIP
from thresher.components.judged.ragas._steps import (
    INFERENCE,
    Compat,
    inferred,
    needed,
    over_references,
)
from thresher.judges import Flow, extract, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import f_beta
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Positive,
    ZeroOrSkip,
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


@RENAMED.options({"no_claims": "undefined"}, values=SKIP)
@metric
class RagasFactualCorrectnessEvaluator(JudgedMetric):
    """Precision, recall or F-beta of an answer's claims against those of a reference answer.

    Formula: precision = supported claims / claims of the answer; recall = covered claims / claims of the
        reference; F-beta = (1 + b^2) p r / (b^2 p + r); the best of several references
    Source: ragas, "Factual Correctness": a claim is supported if it can be inferred from the reference, and
        covered if it can be inferred from the answer.
    Calls: `precision`: 1 + 1 for each reference; `recall`: 2 for each; `f1`: 1 + 3 for each. ragas makes 4
        for recall.
    Differs: ragas divides supported claims of the answer by themselves plus claims of the reference that
        the answer lacks, which is no share of anything; recall here is the share of the reference. ragas
        rounds to two decimals.

    Args:
        mode: `precision`, `recall` or `f1`.
        beta: with `f1`, how many times as much recall counts as precision.
        atomicity: `low` keeps in one claim what belongs together, `high` takes claims apart.
        coverage: `low` takes the main claims, `high` all.
        undefined: score of an item without the claims that the share is taken of (of the answer for
            precision, of the reference for recall, of both for f1): `zero`, or none (`skip`).
        compat: `ragas-0.4` gives the recall and the rounding of ragas; `none` does not.

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

    @judged
    def run(
        self, predicted_answers: list[str], ground_truth_answers: list[str] | list[list[str]]
    ) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(
            predicted_answers=predicted_answers, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (self._extraction[0], INFERENCE), _COUNTS)

    run_async = judged_async(run)

    @property
    def _extraction(self) -> tuple[str, str]:
        """Prompt and key of the claims. All single claims of a text are what elsewhere are its statements."""
        if (self.atomicity, self.coverage) == ("high", "high"):
            return "valor/statements", "statements"
        return f"ragas/claims.{self.atomicity}_atomicity_{self.coverage}_coverage", "claims"

    @property
    def _sides(self) -> tuple[bool, bool]:
        """Whether the claims of the answer are needed, and those of the references."""
        shared = self.compat == "ragas-0.4"
        return shared or self.mode != "recall", self.mode != "precision"

    def _flow(self, answer: str, references: list[str]) -> Flow[JudgedItem]:
        needed(references)
        of_answer, of_references = self._sides
        name, key = self._extraction
        wanted = [answer] * of_answer + references * of_references
        found = yield from together(*(extract(prompt(name), key, part) for part in wanted))
        said = found[0] if of_answer else ()
        expected = found[of_answer:] if of_references else [()] * len(references)
        scored = yield from together(
            *(
                self._compared((answer, said), (reference, stated))
                for reference, stated in zip(references, expected, strict=True)
            )
        )
        defined = [one for one in scored if one is not None]
        if not defined:
            return score_by_policy(self.undefined, "nothing is claimed", _COUNTS)
        return over_references(defined, self.references)

    def _compared(
        self, answer: tuple[str, tuple[str, ...]], reference: tuple[str, tuple[str, ...]]
    ) -> Flow[JudgedItem | None]:
        """The score against one reference; None if there is nothing to take a share of."""
        if not answer[1] and not reference[1]:
            return None
        said, expected = numbered(answer[1]), numbered(reference[1])
        supported, covered = yield from together(
            inferred([reference[0]], said), inferred([answer[0]], expected)
        )
        hits = count_label(supported, "yes"), count_label(covered, "yes")
        counts = (hits[0], len(said), hits[1], len(expected))
        evidence = {
            "answer": verdict_evidence(said, supported),
            "reference": verdict_evidence(expected, covered),
        }
        return JudgedItem(self._score(*counts), dict(zip(_COUNTS, counts, strict=True)), evidence)

    def _score(self, supported: int, claims: int, covered: int, reference_claims: int) -> float:
        as_ragas = self.compat == "ragas-0.4"
        wanted = supported + reference_claims - covered if as_ragas else reference_claims
        precision = supported / claims if claims else 0.0
        recall = (supported if as_ragas else covered) / wanted if wanted else 0.0
        score = {"precision": precision, "recall": recall, "f1": f_beta(precision, recall, self.beta)}
        return round(score[self.mode], _DECIMALS) if as_ragas else score[self.mode]
