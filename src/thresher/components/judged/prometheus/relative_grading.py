"""Which of two answers is better by a rubric."""

from collections.abc import Mapping
from typing import Any

from thresher.components.judged.prometheus._format import Preferred, ReplyFormat
from thresher.components.judged.prometheus._grading import prompt_for, rubrics_for, without_missing
from thresher.components.judged.prometheus.rubrics import PrometheusRubric, rubric_of
from thresher.judges import Flow, JudgeVerdict, ReplySchema, answered, together
from thresher.judges.choice import TWO_WAYS, Choice
from thresher.kernels.pairwise import consensus
from thresher.metrics import (
    CONSISTENCY,
    Ballot,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Pair,
    ReferenceColumn,
    TextColumn,
    judged,
    judged_async,
    metric,
    read_pairs,
    tally,
    winner,
)
from thresher.metrics.pairwise.ballots import COUNTS, in_callers_frame

_JSON = Choice(TWO_WAYS)


@metric
class PrometheusRelativeGradingEvaluator(JudgedMetric):
    """Which of two answers is better by a rubric: 1 for the first, 0 for the second.

    Formula: 1 if the judge names the first answer, else 0; with `both_orders` 0.5 if the orders contradict
        each other. The value is wins + ties / 2 of the first system, over all items.
    Source: Kim et al. 2024, "Prometheus 2: An Open Source Language Model Specialized in Evaluating Other
        Language Models"; relative grading. There is no tie.
    Calls: 1; 2 with `both_orders`.
    Differs: with both orders, a preference for a position is distinguished from a preference for an
        answer. The label
        is read after the last mark; the original package reads the end of any line.

    Args:
        rubric: the name of a rubric, the criteria as a text, or a mapping with `criteria` and, optionally,
            descriptions of scores.
        both_orders: whether each pair is judged in both orders. With one order, a judge that prefers the
            first answer favours the first system.
        reply_format: `json` for any judge, or `prometheus` for Prometheus' models.

    ```python
    evaluator = PrometheusRelativeGradingEvaluator(rubric="Is the answer polite?", both_orders=True)
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        second_predicted_answers=["Look it up."],
    )
    ```
    """

    rubric: str | Mapping[Any, str] = "helpfulness"
    both_orders: bool = False
    reply_format: ReplyFormat = "json"
    name: str = "prometheus_relative_grading"

    def __post_init__(self) -> None:
        self._rubric = rubric_of("rubric", self.rubric, needs_scores=False)
        self.rubric = (
            self.rubric
            if isinstance(self.rubric, str)
            else {str(key): text for key, text in self.rubric.items()}
        )

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        second_predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn | None = None,
        rubrics: list[dict[str, str]] | list[dict[str, str] | None] | None = None,
    ) -> JudgeJob:
        """Compare two answers to each instruction.

        Args:
            questions: per item the instruction; None leaves the item out as missing.
            predicted_answers: one text per item, the first system's; None leaves the item out as missing.
            ground_truth_answers: per item one or more very good answers; None leaves the item out.
                Without this input, answers are compared without references.

        Returns:
            `score`: wins plus half of the ties of the first system; `individual_scores`: 1, 0.5 or 0;
            `result`, with evidence.
        """
        items, pairs = read_pairs(
            questions,
            predicted_answers,
            second_predicted_answers,
            ground_truth_answers,
            rubrics=without_missing(rubrics),
        )
        by_item = rubrics_for(items.present, rubrics, self._rubric, needs_scores=False)
        flows = [self._flow(pair, rubric) for pair, rubric in zip(pairs, by_item, strict=True)]
        used = prompt_for("relative", self.reply_format, referenced=ground_truth_answers is not None)
        measures = [CONSISTENCY] if self.both_orders else []
        return JudgeJob(items, flows, (), COUNTS, options={"template": used}, measures=measures)

    run_async = judged_async(run)

    def _flow(self, pair: Pair, rubric: PrometheusRubric) -> Flow[JudgedItem]:
        orders = ["first", "second"] if self.both_orders else ["first"]
        ballots = yield from together(*(self._ballot(pair, rubric, order) for order in orders))
        score = consensus([ballot.vote for ballot in ballots])
        evidence = {
            "winner": winner(ballots, score),
            "votes": [ballot.evidence() for ballot in ballots],
            "criteria": rubric.criteria,
        }
        return JudgedItem(score, tally(ballots, score), evidence)

    def _ballot(self, pair: Pair, rubric: PrometheusRubric, order: str) -> Flow[Ballot]:
        data = (pair if order == "first" else pair.swapped).data
        used = prompt_for("relative", self.reply_format, referenced=pair.references is not None)
        form: ReplySchema[JudgeVerdict] = _JSON if self.reply_format == "json" else Preferred()
        ask = used.ask(form, instruction=data.pop("question"), rubric=rubric.written(), **data)
        verdict = yield from answered(ask)
        vote = in_callers_frame(float(verdict.label == "A"), order)
        return Ballot(order, vote, {"verdict": verdict.label, "reason": verdict.reason})
