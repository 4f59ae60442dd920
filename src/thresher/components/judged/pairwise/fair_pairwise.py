"""Fair comparison of two answers: evidence before scores, several samples, both orders."""

from dataclasses import replace

from thresher.judges import Flow, answered, prompt, together
from thresher.judges.scores import TwoScores
from thresher.kernels.pairwise import ENTROPY, vote_entropy
from thresher.metrics import (
    CONSISTENCY,
    ExtraMeasure,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    NonNegative,
    Pair,
    PositiveCount,
    ReferenceColumn,
    TextColumn,
    judged,
    judged_async,
    metric,
    read_pairs,
)
from thresher.metrics.pairwise.scores import HIGH, LOW, SCORE_COUNTS, Sample, outcome, score_measures

_PROMPT = "pairwise/fair"
_REFERENCED = f"{_PROMPT}.referenced"
_FORM = TwoScores(LOW, HIGH)
_MOST_ENTROPY = 1.0986122886681098
"""log 3: equally many wins, ties and losses."""
_MEASURES = [CONSISTENCY, ExtraMeasure(ENTROPY, ENTROPY, direction="lower", bounds=(0.0, _MOST_ENTROPY))]


@metric
class FairPairwiseEvaluator(JudgedMetric):
    """Which of two answers is better, calibrated: 1 for the first, 0 for the second, 0.5 for a tie.

    Further measures are `..._entropy`, `..._consistency` (share of items where both orders agree),
    `..._first_score` and `..._second_score`.

    Formula: CS = sum of an answer's scores over k samples in each of both orders / 2k; 1 if
        CS(first) - CS(second) > tie_margin, 0 if < -tie_margin, else 0.5. The value is wins + ties / 2 of the
        first system, over all items. Entropy of an item: -sum p log p over the shares of its 2k samples that
        are wins, ties and losses.
    Source: Wang et al. 2023, "Large Language Models are not Fair Evaluators": evidence before the scores, k
        samples, balanced position calibration, and entropy to select items for human review.
    Calls: 2k per item, concurrently.
    Differs: an unreadable sample is requested again; the paper's code leaves it out, and stops at an item
        without samples. `PairwiseReport` lists the items for human review; the paper's code does not.

    Args:
        samples: number of samples in each order, k.
        tie_margin: highest difference of the calibrated scores that is a tie.

    ```python
    evaluator = FairPairwiseEvaluator(samples=3)
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        second_predicted_answers=["Quite high."],
    )
    ```
    """

    samples: PositiveCount = 3
    temperature: NonNegative = 1.0
    tie_margin: NonNegative = 0.0
    name: str = "fair_pairwise"

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
        counts = (*SCORE_COUNTS, ENTROPY)
        measures = [*_MEASURES, *score_measures()]
        return JudgeJob(items, flows, (_PROMPT, _REFERENCED), counts, measures=measures)

    run_async = judged_async(run)

    def _flow(self, pair: Pair) -> Flow[JudgedItem]:
        orders = [(order, sample) for sample in range(self.samples) for order in ("first", "second")]
        samples = yield from together(*(self._sample(pair, order, sample) for order, sample in orders))
        judged_item, ballots = outcome(samples, self.tie_margin)
        entropy = vote_entropy([ballot.vote for ballot in ballots])
        evidence = {**judged_item.evidence, "entropy": entropy}
        return JudgedItem(judged_item.score, {**judged_item.counts, ENTROPY: entropy}, evidence)

    def _sample(self, pair: Pair, order: str, sample: int) -> Flow[Sample]:
        shown = pair if order == "first" else pair.swapped
        used = prompt(_PROMPT if pair.references is None else _REFERENCED)
        ask = used.ask(_FORM, sample=sample, **shown.data)
        options = (("temperature", float(self.temperature)), ("seed", sample))
        return Sample.of((yield from answered(replace(ask, options=options))), order)
