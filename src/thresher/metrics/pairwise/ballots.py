"""Votes on two answers, and the counts that an item keeps of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.kernels.pairwise import CHOICES, CHOSE_SHOWN_FIRST, CONSISTENT, LOSS, PAIRED, TIE, WIN
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.results import RatioOfSums

COUNTS = (WIN, TIE, LOSS, PAIRED, CONSISTENT, CHOICES, CHOSE_SHOWN_FIRST)
CONSISTENCY = ExtraMeasure("consistency", reduction=RatioOfSums(((CONSISTENT, 1.0),), ((PAIRED, 1.0),)))
"""Share of items whose two orders have the same outcome, among those judged in both."""
_EVEN = 0.5
WINNERS = {1.0: "first", 0.0: "second", _EVEN: "tie"}


@dataclass(frozen=True)
class Ballot:
    """The outcome of one order of the two answers.

    Attributes:
        shown_first: the answer that came first in the prompt: `first` or `second`.
        vote: 1 for the first system, 0 for the second, 0.5 for neither, independent of the order.
        reply: the judge's verdict or scores, as plain data.
    """

    shown_first: str
    vote: float
    reply: Mapping[str, Any] = field(default_factory=dict)

    def evidence(self) -> dict[str, Any]:
        """The ballot as plain data."""
        return {"shown_first": self.shown_first, "winner": WINNERS[self.vote], **self.reply}


def in_callers_frame(vote: float, shown_first: str) -> float:
    """Turn a vote for the answer shown first into a vote for the first system."""
    return vote if shown_first == "first" else 1 - vote


def tally(ballots: Sequence[Ballot], score: float) -> dict[str, float]:
    """Return the counts of an item: its outcome, and the bias by order if both orders were judged.

    Args:
        ballots: one ballot per sample and order; empty without a call.
        score: the outcome, as a vote.
    """
    first = [ballot.vote for ballot in ballots if ballot.shown_first == "first"]
    second = [ballot.vote for ballot in ballots if ballot.shown_first == "second"]
    paired = bool(first and second)
    chosen = [ballot for ballot in ballots if paired and ballot.vote != _EVEN]
    return {
        WIN: float(score > _EVEN),
        TIE: float(score == _EVEN),
        LOSS: float(score < _EVEN),
        PAIRED: float(paired),
        CONSISTENT: float(paired and _majority(first) == _majority(second)),
        CHOICES: float(len(chosen)),
        CHOSE_SHOWN_FIRST: float(sum(WINNERS[ballot.vote] == ballot.shown_first for ballot in chosen)),
    }


def winner(ballots: Sequence[Ballot], score: float) -> str:
    """Return `first`, `second`, `tie`, or `inconsistent` if the orders contradict each other."""
    decided = {ballot.vote for ballot in ballots} - {_EVEN}
    return "inconsistent" if score == _EVEN and len(decided) > 1 else WINNERS[score]


def _majority(votes: Sequence[float]) -> float:
    """The majority vote of the samples of one order."""
    mean = sum(votes) / len(votes)
    return _EVEN if mean == _EVEN else float(mean > _EVEN)
