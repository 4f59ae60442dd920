"""Whether an answer follows guidelines."""

from collections.abc import Sequence
from typing import Annotated, Literal

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.judges import Flow, Verdicts, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    ExtraMeasure,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Text,
    TextColumn,
    count_label,
    judged,
    judged_async,
    metric,
    not_empty,
    read_inputs,
    verdict_evidence,
)

_PROMPT = "llamaindex/guideline"
GUIDELINES = (
    "The answer should answer the question completely.",
    "The answer should be definite, neither vague nor ambiguous.",
    "The answer should be specific and give numbers and facts where it can.",
)


@metric
class LlamaIndexGuidelineEvaluator(JudgedMetric):
    """Whether an answer follows guidelines: 1 if it follows all of them, else 0.

    Formula: 1 if every guideline is followed, else 0; or followed guidelines / guidelines
    Source: LlamaIndex, `GuidelineEvaluator`.
    Calls: 1 per item, about all guidelines.
    Differs: each guideline has its own verdict, and a measure (`..._1`, `..._2`, ...), the share of answers
        that follow it; in LlamaIndex there is one verdict for all, and an unreadable reply raises an error.

    Args:
        guidelines: one or more sentences that describe a good answer; default: it is complete, definite and
            specific.
        score: `all` scores 1 only if every guideline is followed (LlamaIndex's passing), `share` the share
            of guidelines.

    ```python
    evaluator = LlamaIndexGuidelineEvaluator(guidelines=["The answer should be polite."])
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["48 m. Anything else?"])
    ```
    """

    guidelines: Annotated[Sequence[Text], not_empty] | Text = GUIDELINES
    score: Literal["all", "share"] = "all"
    name: str = "llama_index_guideline"

    def __post_init__(self) -> None:
        if isinstance(self.guidelines, str):
            self.guidelines = [self.guidelines]

    @judged
    def run(self, questions: TextColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        single = [ExtraMeasure(count.removeprefix("kept_"), count) for count in self._counts[1:]]
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
        followed = count_label(verdicts, "yes")
        passing = followed == len(guidelines)
        score = float(passing) if self.score == "all" else float(share(followed, len(guidelines)))
        single = {f"kept_{id_}": float(verdict.label == "yes") for id_, verdict in verdicts.items()}
        feedback = "\n".join(f"{id_}. {verdicts[id_].reason}" for id_ in guidelines)
        evidence = {
            **fields(score, feedback, passing=passing),
            "guidelines": verdict_evidence(guidelines, verdicts),
        }
        return JudgedItem(score, {"kept": followed, **single}, evidence)
