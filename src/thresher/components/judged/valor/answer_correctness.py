"""How far the statements of an answer and of a reference answer agree."""

from collections.abc import Sequence

from thresher.components.judged._comparison import comparison, comparison_prompt
from thresher.judges import Flow, JudgeVerdict, extract, judge_each, prompt, together
from thresher.kernels.verdicts import f1_of_statements
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    Undefined,
    ZeroOrSkip,
    combine_references,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_STATEMENTS = "valor/statements"
_COUNTS = ("true_positive", "false_positive", "false_negative")


@metric
class ValorAnswerCorrectnessEvaluator(JudgedMetric):
    """F1 of an answer's statements against those of a reference answer.

    1 call per item and 2 per reference: the statements of both are extracted, then compared. If one side
    states nothing, there are no true positives, and the comparison is skipped.

    Formula: tp / (tp + (fp + fn) / 2), 0 without true positives; the best of several references
    Source: Valor, text generation metrics, "Answer Correctness": tp and fp are statements of the answer that
        the reference does and does not support, fn statements of the reference that the answer lacks.

    Args:
        undefined: score if neither the answer nor the reference states anything: `zero` (as in Valor),
            `one`, or none (`skip`).
        no_references: score of an item without references: `zero` (as in Valor, which makes one call for
            it first), or none (`skip`).

    ```python
    evaluator = ValorAnswerCorrectnessEvaluator()
    evaluator.run(
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=[["48 metres", "157 feet"]],
        questions=["How high is the tower?"],  # may be left out
    )
    ```
    """

    references: BestOrMean = "max"
    undefined: Undefined = "zero"
    no_references: ZeroOrSkip = "zero"
    name: str = "valor_answer_correctness"

    @judged
    def run(
        self,
        *,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn,
        questions: TextColumn | None = None,
    ) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing. Without this input, the
                statements are compared without a question, as in Valor's documentation.
        """
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        prompts = (_STATEMENTS, comparison_prompt(asked=questions is not None))
        return JudgeJob(items, flows, prompts, _COUNTS, "AnswerCorrectness")

    run_async = judged_async(run)

    def _flow(self, question: str | None, answer: str, references: list[str]) -> Flow[JudgedItem]:
        if not references:
            return score_by_policy(self.no_references, "there are no references", _COUNTS)
        statements = prompt(_STATEMENTS)
        stated, *expected = yield from together(
            *(extract(statements, "statements", part) for part in (answer, *references))
        )
        compared = yield from together(
            *(self._compared(question, stated, reference) for reference in expected)
        )
        return combine_references(compared, self.references)

    def _compared(
        self, question: str | None, stated: Sequence[str], expected: Sequence[str]
    ) -> Flow[JudgedItem]:
        if not stated and not expected:
            return score_by_policy(self.undefined, "neither answer nor reference states anything", _COUNTS)
        answer = {f"a{place}": part for place, part in enumerate(stated, 1)}
        reference = {f"r{place}": part for place, part in enumerate(expected, 1)}
        verdicts: dict[str, JudgeVerdict] = {}
        if stated and expected:
            verdicts = yield from judge_each(comparison(question, answer, reference))
        supported = {id_ for id_, verdict in verdicts.items() if verdict.label == "yes"}
        tp, fn = len(supported & answer.keys()), len(reference.keys() - supported)
        counts = {"true_positive": tp, "false_positive": len(answer) - tp, "false_negative": fn}
        evidence = {
            "answer": verdict_evidence(answer, verdicts),
            "reference": verdict_evidence(reference, verdicts),
        }
        return JudgedItem(f1_of_statements(*counts.values()), counts, evidence)
