"""Which of two answers is better."""

from dataclasses import dataclass
from typing import Literal

from thresher.components.judged.llamaindex._verdicts import Compat, fields
from thresher.judges import Flow, JudgeVerdict, answered, prompt, together
from thresher.judges.choice import THREE_WAYS, Choice
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

_PROMPT = "llamaindex/pairwise"
_REFERENCED = f"{_PROMPT}.referenced"
_VOTES = {"A": 1.0, "tie": 0.5, "B": 0.0}
_EVEN = 0.5
_PASSING = {1.0: True, 0.0: False}


@dataclass(frozen=True)
class Preference(Choice):
    """A, B or a tie; LlamaIndex's mark [[C]] is a tie too."""

    labels: tuple[str, ...] = THREE_WAYS

    def read_text(self, text: str) -> JudgeVerdict:
        """The only mark or word in a plain text."""
        return super().read_text(text.replace("[[C]]", "[[tie]]"))


_FORM = Preference()


@metric
class LlamaIndexPairwiseComparisonEvaluator(JudgedMetric):
    """Which of two answers is better: 1 for the first, 0 for the second, 0.5 for a tie.

    The measure `..._consistency` is the share of items where both orders agree; `PairwiseReport` has details.

    Formula: both orders are judged; the verdict that they share counts, a contradiction is 0.5, and if one is
        a tie, the other counts. The value is wins + ties / 2 of the first system, over all items.
    Source: LlamaIndex, `PairwiseComparisonEvaluator`; both orders after Wang et al. 2023, "Large Language
        Models are not Fair Evaluators".
    Calls: 2, concurrently; 1 without `both_orders`; 0 for identical answers.
    Differs: the outcome always refers to the caller's order; in LlamaIndex it is reversed if the first order
        is a tie and the second has a winner. The reply is parsed completely; LlamaIndex uses the first mark
        of A, B and C anywhere in it. The evidence has both verdicts, also if they contradict.

    Args:
        both_orders: whether both orders are judged.
        tie_and_win: outcome if one order is a tie and the other has a winner: the `win` (as in LlamaIndex),
            or a `tie`.
        compat: `llamaindex-0.14` reverses the score of a tie followed by a winner, as LlamaIndex does; counts
            of wins and losses are not reversed.

    ```python
    evaluator = LlamaIndexPairwiseComparisonEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        second_predicted_answers=["Quite high."],
    )
    ```
    """

    both_orders: bool = True
    tie_and_win: Literal["win", "tie"] = "win"
    compat: Compat = "none"
    name: str = "llama_index_pairwise_comparison"

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        second_predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn | None = None,
    ) -> JudgeJob:
        """Compare two answers to each question.

        Args:
            predicted_answers: one text per item, the first system's; None leaves the item out as missing.
            ground_truth_answers: per item a correct answer, or several; None leaves the item out. Without
                this input, answers are compared without references.

        Returns:
            `score`: wins plus half of the ties of the first system; `individual_scores`: 1, 0.5 or 0;
            `result`, with evidence.
        """
        items, pairs = read_pairs(
            questions, predicted_answers, second_predicted_answers, ground_truth_answers
        )
        flows = [self._flow(pair) for pair in pairs]
        measures = [CONSISTENCY] if self.both_orders else []
        return JudgeJob(items, flows, (_PROMPT, _REFERENCED), COUNTS, measures=measures)

    run_async = judged_async(run)

    def _flow(self, pair: Pair) -> Flow[JudgedItem]:
        if pair.first == pair.second and self.compat == "none":
            tie = fields(_EVEN, "", passing=None) | {"note": "the answers are identical: a tie"}
            return JudgedItem(_EVEN, tally([], _EVEN), {**tie, "winner": "tie", "votes": []})
        orders = ["first", "second"] if self.both_orders else ["first"]
        ballots = yield from together(*(self._ballot(pair, order) for order in orders))
        outcome = consensus([ballot.vote for ballot in ballots], self.tie_and_win)
        source = _source(ballots, outcome)
        score = 1 - outcome if self.compat != "none" and source == "flipped" else outcome
        feedback = {"original": ballots[0], "flipped": ballots[-1]}.get(source)
        result = fields(score, feedback.reply["reason"] if feedback else "", passing=_PASSING.get(score))
        evidence = {
            **result,
            "pairwise_source": source,
            "winner": winner(ballots, outcome),
            "votes": [ballot.evidence() for ballot in ballots],
        }
        return JudgedItem(score, tally(ballots, outcome), evidence)

    def _ballot(self, pair: Pair, order: str) -> Flow[Ballot]:
        shown = pair if order == "first" else pair.swapped
        used = prompt(_PROMPT if pair.references is None else _REFERENCED)
        verdict = yield from answered(used.ask(_FORM, **shown.data))
        vote = in_callers_frame(_VOTES[verdict.label], order)
        return Ballot(order, vote, {"verdict": verdict.label, "reason": verdict.reason})


def _source(ballots: list[Ballot], outcome: float) -> str:
    """LlamaIndex's name of the order that decides the outcome."""
    votes = [ballot.vote for ballot in ballots]
    if votes[0] == outcome:
        return "original"
    return "flipped" if votes[-1] == outcome else "neither"
