"""Scores of two answers, in one order or both, and their outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.judges.scores import JudgeScorePair
from thresher.kernels.pairwise import calibrated, vote
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.judge_job import JudgedItem
from thresher.metrics.pairwise.ballots import COUNTS, Ballot, tally, winner

FIRST_SCORE, SECOND_SCORE = "first_score", "second_score"
SCORE_COUNTS = (*COUNTS, FIRST_SCORE, SECOND_SCORE)
LOW, HIGH = 1.0, 10.0


def score_measures(low: float = LOW) -> list[ExtraMeasure]:
    """Both systems' mean scores."""
    return [ExtraMeasure(name, name, bounds=(low, HIGH)) for name in (FIRST_SCORE, SECOND_SCORE)]


@dataclass(frozen=True)
class Sample:
    """One reply: the answer shown first, and the scores of the first and the second system."""

    shown_first: str
    first: float
    second: float
    reason: str = ""

    @classmethod
    def of(cls, reply: JudgeScorePair, shown_first: str) -> "Sample":
        """Make a sample of a reply on answers A and B, with A shown first."""
        scores = (reply.a, reply.b) if shown_first == "first" else (reply.b, reply.a)
        return cls(shown_first, *scores, reply.reason)

    def ballot(self, margin: float) -> Ballot:
        """The vote that follows from the scores."""
        scores = {"scores": [self.first, self.second], "reason": self.reason}
        return Ballot(self.shown_first, vote(self.first, self.second, margin), scores)


def outcome(samples: Sequence[Sample], margin: float) -> tuple[JudgedItem, list[Ballot]]:
    """Compare the mean scores of both answers over all samples.

    Args:
        samples: of one order or both.
        margin: difference up to which scores are a tie.
    """
    first, second = calibrated([[sample.first, sample.second] for sample in samples])
    score = vote(first, second, margin)
    ballots = [sample.ballot(margin) for sample in samples]
    counts = {**tally(ballots, score), FIRST_SCORE: first, SECOND_SCORE: second}
    evidence: dict[str, Any] = {
        "winner": winner(ballots, score),
        "scores": [first, second],
        "votes": [ballot.evidence() for ballot in ballots],
    }
    return JudgedItem(score, counts, evidence), ballots
