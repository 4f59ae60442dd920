"""Comparing two answers fairly: evidence first, several samples, both orders."""

from dataclasses import replace

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.judges import Flow, answered, prompt, together
from thresher.judges.scores import TwoScores
from thresher.kernels.pairwise import ENTROPY, vote_entropy
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async
from thresher.metrics.options import check_count, check_number, checked_options
from thresher.metrics.pairwise.ballots import CONSISTENCY
from thresher.metrics.pairwise.pairs import Pair, References, read_pairs
from thresher.metrics.pairwise.scores import (
    HIGH,
    LOW,
    SCORE_COUNTS,
    Sample,
    outcome,
    score_measures,
)
from thresher.results import MetricResult

_PROMPT = "pairwise/fair"
_REFERENCED = f"{_PROMPT}.referenced"
_FORM = TwoScores(LOW, HIGH)
_MOST_ENTROPY = 1.0986122886681098
"""log 3: as many wins as ties as losses."""
_MEASURES = [CONSISTENCY, ExtraMeasure(ENTROPY, ENTROPY, direction="lower", bounds=(0.0, _MOST_ENTROPY))]


@component
@checked_options
class FairPairwiseEvaluator:
    """Which of two answers is better, calibrated: 1 if the first, 0 if the second, 0.5 if neither.

    Formula: CS = sum of an answer's scores over k samples in each of both orders / 2k; 1 if
        CS(first) - CS(second) > tie_margin, 0 if < -tie_margin, else 0.5. The value is wins + ties / 2 of the
        first system, over all items. Entropy of an item: -sum p log p over the shares of its 2k samples that
        are wins, ties and losses.
    Source: Wang et al. 2023, "Large Language Models are not Fair Evaluators": evidence before the scores, k
        samples, balanced position calibration, and entropy to tell which items a human should look at.
    Calls: 2k an item, at the same time.
    Differs: a sample that cannot be read is asked for again; there it is left out, and an item without any
        ends the run. The items to be looked at are listed by `PairwiseReport`; the paper's code has no such
        list.

    The measures `..._entropy`, `..._consistency` (how often both orders agree), `..._first_score` and
    `..._second_score` come beside the headline.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        samples: k, the samples in each order.
        temperature: of the samples, for judges that speak OpenAI's language; others are asked as they are
            set up. At 0 all samples of an order are alike, and one is enough.
        tie_margin: difference of the calibrated scores up to which the answers are equal.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = FairPairwiseEvaluator(samples=3)
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        second_predicted_answers=["Quite high."],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        samples: int = 3,
        temperature: float = 1.0,
        tie_margin: float = 0.0,
        name: str = "fair_pairwise",
    ) -> None:
        check_count("samples", samples, least=1)
        check_number("temperature", temperature, least=0)
        check_number("tie_margin", tie_margin, least=0)
        self.chat_generator = chat_generator
        self.samples = samples
        self.temperature = temperature
        self.tie_margin = tie_margin
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(
        self,
        questions: list[str],
        predicted_answers: list[str],
        second_predicted_answers: list[str],
        ground_truth_answers: References = None,
    ) -> JudgeJob:
        """Compare two answers to each question.

        Args:
            questions: one text per item; None leaves the item out as missing.
            predicted_answers: one text per item, the first system's; None leaves the item out as missing.
            second_predicted_answers: one text per item, the second system's; None leaves the item out.
            ground_truth_answers: per item a text or several that are right; None leaves the item out. Not
                connected, answers are compared without references.

        Returns:
            `score`: wins and half of the ties of the first system; `individual_scores`: 1, 0.5 or 0;
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
        found, ballots = outcome(samples, self.tie_margin)
        entropy = vote_entropy([ballot.vote for ballot in ballots])
        evidence = {**found.evidence, "entropy": entropy}
        return JudgedItem(found.score, {**found.counts, ENTROPY: entropy}, evidence)

    def _sample(self, pair: Pair, order: str, sample: int) -> Flow[Sample]:
        shown = pair if order == "first" else pair.swapped
        used = prompt(_PROMPT if pair.references is None else _REFERENCED)
        ask = used.ask(_FORM, sample=sample, **shown.data)
        options = (("temperature", float(self.temperature)), ("seed", sample))
        return Sample.of((yield from answered(replace(ask, options=options))), order)
