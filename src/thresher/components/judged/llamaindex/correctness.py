"""How relevant and correct an answer is, on a scale from 1 to 5."""

from collections.abc import Mapping
from typing import ClassVar

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.judges import Flow, Unanswered, answered, prompt, together
from thresher.judges.scores import Score
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async
from thresher.metrics.options import check_choice, check_number, checked_options
from thresher.results import MetricResult, Status

_PROMPT = "llamaindex/correctness"
_UNREFERENCED = f"{_PROMPT}.unreferenced"
_SCALE = Score(1.0, 5.0)
_PASSING = (ExtraMeasure("passing", "passing"),)
References = list[str] | list[list[str]] | None


@component
@checked_options
class LlamaIndexCorrectnessEvaluator:
    """How relevant and correct an answer is: a judge's score from 1 to 5; it passes from 4 on.

    Formula: the score, decimals allowed; the best of several references; passing = score >= score_threshold
    Source: LlamaIndex, `CorrectnessEvaluator`: 1 is not relevant, 2 to 3 relevant with mistakes, 4 to 5
        relevant and fully correct.
    Calls: 1 for each reference; 1 without references.
    Differs: the score is found wherever it stands in the reply; LlamaIndex needs it alone in the first line,
        else the item has no score, or the run ends. A score off the scale is asked for again; there 9 counts.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        score_threshold: the lowest score that passes; the share that does is the measure `..._passing`.
        references: of several references the `max` counts, or the `mean` over them.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = LlamaIndexCorrectnessEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    judged_without: ClassVar[Mapping[str, str]] = {
        "ground_truth_answers": "answers are judged without references"
    }
    """Optional socket -> what its absence means; evaluating warns of it, as a column may be forgotten."""

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        score_threshold: float = 4.0,
        references: str = "max",
        name: str = "llama_index_correctness",
    ) -> None:
        check_number("score_threshold", score_threshold)
        check_choice("references", references, ["max", "mean"])
        self.chat_generator = chat_generator
        self.score_threshold = score_threshold
        self.references = references
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(
        self, questions: list[str], predicted_answers: list[str], ground_truth_answers: References = None
    ) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing.
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_answers: per item a text or several; None leaves the item out as missing. Not
                connected, answers are judged without references.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 1 to 5; `result`, with evidence.
        """
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        used = _UNREFERENCED if ground_truth_answers is None else _PROMPT
        return JudgeJob(items, flows, (used,), ("passing",), bounds=(1.0, 5.0), measures=_PASSING)

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str, references: list[str] | None) -> Flow[JudgedItem]:
        if references is None:
            asks = [prompt(_UNREFERENCED).ask(_SCALE, question=question, answer=answer)]
        else:
            asks = [
                prompt(_PROMPT).ask(_SCALE, question=question, answer=answer, reference=reference)
                for reference in references
            ]
        if not asks:
            raise Unanswered(Status.MISSING, "there are no references")
        scored = yield from together(*map(answered, asks))
        best = max(scored, key=lambda each: each.score)
        mean = sum(each.score for each in scored) / len(scored)
        score = best.score if self.references == "max" else mean
        passing = score >= self.score_threshold
        told = [{"score": each.score, "reason": each.reason} for each in scored]
        evidence = {**fields(score, best.reason, passing=passing), "references": told}
        return JudgedItem(score, {"passing": float(passing)}, evidence)
