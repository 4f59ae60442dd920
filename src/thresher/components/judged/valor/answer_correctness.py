"""How far an answer states what a reference answer states."""

from collections.abc import Sequence

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged._comparison import comparison, comparison_prompt
from thresher.judges import Flow, Verdict, extract, judge_each, prompt, together
from thresher.kernels.verdicts import f1_of_statements
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import (
    JudgedItem,
    JudgeJob,
    judged,
    judged_async,
    score_by_policy,
    verdict_evidence,
)
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_STATEMENTS = "valor/statements"
_COUNTS = ("true_positive", "false_positive", "false_negative")


@component
@checked_options
class ValorAnswerCorrectnessEvaluator:
    """F1 of an answer's statements against those of a reference answer.

    Formula: tp / (tp + (fp + fn) / 2), 0 without true positives; the best of several references
    Source: Valor, text generation metrics, "Answer Correctness": tp and fp are statements of the answer that
        the reference does and does not support, fn statements of the reference that the answer lacks.

    1 + 2 calls for each reference: the statements of both are extracted, then compared. Where a side states
    nothing there is no true positive, and the comparison is not asked for.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        references: of several references the `max` counts (Valor's way), or the `mean` over them.
        no_statements: an answer and a reference that both state nothing score `zero` (Valor's value) or
            `one`, or are `undefined`.
        no_references: an item without references scores `zero` (Valor's value, after one call that is not
            made here) or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorAnswerCorrectnessEvaluator()
    evaluator.run(
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=[["48 metres", "157 feet"]],
        questions=["How high is the tower?"],  # may be left out
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        references: str = "max",
        no_statements: str = "zero",
        no_references: str = "zero",
        name: str = "answer_correctness",
    ) -> None:
        check_choice("references", references, ["max", "mean"])
        check_choice("no_statements", no_statements, ["zero", "one", "undefined"])
        check_choice("no_references", no_references, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.references = references
        self.no_statements = no_statements
        self.no_references = no_references
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
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
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_answers: per item a text or several; None leaves the item out as missing.
            questions: one text per item; None leaves the item out as missing. Not connected, the statements
                are compared without a question, as Valor's documentation has it.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
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
            return score_by_policy(
                self.no_statements, "neither answer nor reference states anything", _COUNTS
            )
        answer = {f"a{place}": part for place, part in enumerate(said, 1)}
        reference = {f"r{place}": part for place, part in enumerate(stated, 1)}
        verdicts: dict[str, Verdict] = {}
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
