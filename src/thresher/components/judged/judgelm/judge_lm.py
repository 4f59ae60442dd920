"""Two answers scored by a judge in one reply."""

from typing import Literal

from thresher.components.judged.judgelm._format import UNREADABLE, FirstLine, Script
from thresher.errors import InputError
from thresher.judges import Flow, Prompt, ReplySchema, answered, prompt, together
from thresher.judges.scores import JudgeScorePair, TwoScores
from thresher.judges.template import native
from thresher.metrics import (
    CONSISTENCY,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    NonNegative,
    Pair,
    ReferenceColumn,
    TextColumn,
    judged,
    judged_async,
    metric,
    read_pairs,
)
from thresher.metrics.pairwise.scores import HIGH, LOW, SCORE_COUNTS, Sample, outcome, score_measures

_PROMPT = "judgelm/scores"
_JSON = TwoScores(LOW, HIGH, reason_first=False)


@metric
class JudgeLmEvaluator(JudgedMetric):
    """Which of two answers a judge scores higher: 1 for the first, 0 for the second, 0.5 for a tie.

    The measures `..._first_score` and `..._second_score` are the systems' mean scores, `..._consistency` is
    the share of items where both orders agree.

    Formula: 1 if first score - second score > tie_margin, 0 if < -tie_margin, else 0.5; with `both_orders`
        each score is the mean of two. The value is wins + ties / 2 of the first system, over all items.
    Source: Zhu et al. 2023, "JudgeLM: Fine-tuned Large Language Models are Scalable Judges": scores from 1 to
        10 for both answers, then the explanation; with and without a reference.
    Calls: 1; 2 with `both_orders`.
    Differs: "8, 9" is read as 8 and 9, and an unreadable reply is requested again; JudgeLM's script counts
        both as ties. Scores off the scale are rejected. JudgeLM uses both orders only to measure its own
        consistency.

    Args:
        both_orders: whether each pair is scored in both orders. With one order, a judge that prefers the
            first answer favours the first system.
        tie_margin: highest difference of the scores that is a tie.
        reply_format: `json` for any judge, or `judgelm` for JudgeLM's models.
        compat: `judgelm` reads replies as JudgeLM's script does: an unreadable reply is -1 for both, a
            tie; it requires the reply format `judgelm`.

    ```python
    evaluator = JudgeLmEvaluator(both_orders=True)
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        second_predicted_answers=["Quite high."],
    )
    ```
    """

    both_orders: bool = False
    tie_margin: NonNegative = 0.0
    reply_format: Literal["json", "judgelm"] = "json"
    compat: Literal["none", "judgelm"] = "none"
    name: str = "judge_lm"

    def __post_init__(self) -> None:
        if self.compat != "none" and self.reply_format == "json":
            raise InputError(
                f"compat={self.compat!r} applies to plain replies only; pass reply_format='judgelm'"
            )

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        second_predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn | None = None,
    ) -> JudgeJob:
        """Score two answers to each question.

        Args:
            predicted_answers: one text per item, the first system's; None leaves the item out as missing.
            ground_truth_answers: per item a correct answer, or several; None leaves the item out. Without
                this input, answers are scored without references.

        Returns:
            `score`: wins plus half of the ties of the first system; `individual_scores`: 1, 0.5 or 0;
            `result`, with evidence.
        """
        items, pairs = read_pairs(
            questions, predicted_answers, second_predicted_answers, ground_truth_answers
        )
        used = self._prompt(referenced=ground_truth_answers is not None)
        flows = [self._flow(pair) for pair in pairs]
        scores = score_measures(LOW if self.compat == "none" else float("-inf"))
        measures = [*([CONSISTENCY] if self.both_orders else []), *scores]
        return JudgeJob(items, flows, (), SCORE_COUNTS, options={"template": used}, measures=measures)

    run_async = judged_async(run)

    def _flow(self, pair: Pair) -> Flow[JudgedItem]:
        orders = ["first", "second"] if self.both_orders else ["first"]
        samples = yield from together(*(self._sample(pair, order) for order in orders))
        judged_item, _ = outcome(samples, self.tie_margin)
        if UNREADABLE in (sample.first for sample in samples):
            note = {"note": "a reply could not be read"}
            return JudgedItem(judged_item.score, judged_item.counts, {**judged_item.evidence, **note})
        return judged_item

    def _sample(self, pair: Pair, order: str) -> Flow[Sample]:
        shown = pair if order == "first" else pair.swapped
        ask = self._prompt(referenced=pair.references is not None).ask(self._form(), **shown.data)
        return Sample.of((yield from answered(ask)), order)

    def _prompt(self, *, referenced: bool) -> Prompt:
        name = f"{_PROMPT}.referenced" if referenced else _PROMPT
        return prompt(name) if self.reply_format == "json" else native(name)

    def _form(self) -> ReplySchema[JudgeScorePair]:
        if self.reply_format == "json":
            return _JSON
        return FirstLine() if self.compat == "none" else Script()
