"""Whether an answer keeps to guidelines."""

from typing import Any

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.errors import InputError
from thresher.judges import Flow, Verdicts, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, count_label, judged, judged_async, verdict_evidence
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPT = "llamaindex/guideline"
GUIDELINES = (
    "The answer should answer the question completely.",
    "The answer should be definite, neither vague nor ambiguous.",
    "The answer should be specific and give numbers and facts where it can.",
)


@component
@checked_options
class LlamaIndexGuidelineEvaluator:
    """Whether an answer keeps to guidelines: 1 if to all of them, else 0.

    Formula: 1 if every guideline is kept, else 0; or guidelines kept / guidelines
    Source: LlamaIndex, `GuidelineEvaluator`.
    Calls: 1 an item, about all guidelines.
    Differs: each guideline has a verdict of its own, and a measure of its own (`..._1`, `..._2`, ...) that
        tells how often it is kept; in LlamaIndex one verdict stands for all, and a reply that cannot be read
        raises an error.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        guidelines: one or more, each a sentence on what the answer should be like; by default that it is
            complete, definite and specific.
        score: `all` scores 1 only if every guideline is kept (LlamaIndex's passing), `share` the share.
        name: name of the measure in reports.

    Raises:
        InputError: for guidelines that are none; from `run` for lists of unequal length, entries that are no
            texts, and a judge that cannot be used.

    ```python
    evaluator = LlamaIndexGuidelineEvaluator(guidelines=["The answer should be polite."])
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["48 m. Anything else?"])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        guidelines: list[str] | str | None = None,
        score: str = "all",
        name: str = "llama_index_guideline",
    ) -> None:
        check_choice("score", score, ["all", "share"])
        self.chat_generator = chat_generator
        self.guidelines = _checked(GUIDELINES if guidelines is None else guidelines)
        self.score = score
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        single = [ExtraMeasure(each.removeprefix("kept_"), each) for each in self._counts[1:]]
        return JudgeJob(items, flows, (_PROMPT,), self._counts, measures=single if len(single) > 1 else ())

    run_async = judged_async(run)

    @property
    def _counts(self) -> tuple[str, ...]:
        return ("kept", *(f"kept_{place}" for place in range(1, len(self.guidelines) + 1)))

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem]:
        guidelines = numbered(self.guidelines)
        form = Verdicts(tuple(guidelines))
        ask = prompt(_PROMPT).ask(form, question=question, answer=answer, guidelines=guidelines)
        verdicts = yield from judge_each(ask)
        kept = count_label(verdicts, "yes")
        passing = kept == len(guidelines)
        score = float(passing) if self.score == "all" else float(share(kept, len(guidelines)))
        single = {f"kept_{id_}": float(verdict.label == "yes") for id_, verdict in verdicts.items()}
        feedback = "\n".join(f"{id_}. {verdicts[id_].reason}" for id_ in guidelines)
        evidence = {
            **fields(score, feedback, passing=passing),
            "guidelines": verdict_evidence(guidelines, verdicts),
        }
        return JudgedItem(score, {"kept": kept, **single}, evidence)


def _checked(guidelines: Any) -> list[str]:
    """A list of texts, none of them blank."""
    listed = [guidelines] if isinstance(guidelines, str) else list(guidelines)
    if not listed or not all(isinstance(each, str) and each.strip() for each in listed):
        raise InputError(f"guidelines={guidelines!r} must be one or more texts")
    return listed
