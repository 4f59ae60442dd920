"""How far an answer states what a reference answer states."""

from collections.abc import Sequence

from thresher.components._renamed import RENAMED, SKIP
from thresher.components.judged._comparison import comparison, comparison_prompt
from thresher.judges import Flow, JudgeVerdict, extract, judge_each, prompt, together
from thresher.kernels.verdicts import f1_of_statements
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Undefined,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_STATEMENTS = "valor/statements"
_COUNTS = ("true_positive", "false_positive", "false_negative")


@RENAMED.options({"no_statements": "undefined"}, values=SKIP)
@metric
class ValorAnswerCorrectnessEvaluator(JudgedMetric):
    """F1 of an answer's statements against those of a reference answer.

    1 + 2 calls for each reference: the statements of both are extracted, then compared. Where a side states
    nothing there is no true positive, and the comparison is not asked for.

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
        predicted_answers: list[str],
        ground_truth_answers: list[str] | list[list[str]],
        questions: list[str] | None = None,
    ) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing. Not connected, the statements
                are compared without a question, as Valor's documentation has it.
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
        said, *expected = yield from together(
            *(extract(statements, "statements", part) for part in (answer, *references))
        )
        compared = yield from together(*(self._compared(question, said, stated) for stated in expected))
        best = max(compared, key=lambda one: one.score)
        mean = sum(one.score for one in compared) / len(compared)
        score = best.score if self.references == "max" else mean
        return JudgedItem(score, best.counts, {"references": [dict(one.evidence) for one in compared]})

    def _compared(self, question: str | None, said: Sequence[str], stated: Sequence[str]) -> Flow[JudgedItem]:
        if not said and not stated:
            return score_by_policy(self.undefined, "neither answer nor reference states anything", _COUNTS)
        answer = {f"a{place}": part for place, part in enumerate(said, 1)}
        reference = {f"r{place}": part for place, part in enumerate(stated, 1)}
        verdicts: dict[str, JudgeVerdict] = {}
        if said and stated:
            verdicts = yield from judge_each(comparison(question, answer, reference))
        supported = {id_ for id_, verdict in verdicts.items() if verdict.label == "yes"}
        tp, fn = len(supported & answer.keys()), len(reference.keys() - supported)
        counts = {"true_positive": tp, "false_positive": len(answer) - tp, "false_negative": fn}
        evidence = {
            "answer": verdict_evidence(answer, verdicts),
            "reference": verdict_evidence(reference, verdicts),
        }
        return JudgedItem(f1_of_statements(*counts.values()), counts, evidence)
