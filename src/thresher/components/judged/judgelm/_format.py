"""Replies in the format of JudgeLM's models: two scores in the first line, then an explanation."""

import re
from dataclasses import dataclass

from thresher.judges.fields import number_of
from thresher.judges.plain_text import PlainText
from thresher.judges.schema import Misfit
from thresher.judges.scores import JudgeScorePair
from thresher.metrics.pairwise.scores import HIGH, LOW

UNREADABLE = -1.0
"""The score that JudgeLM's script gives both answers if it cannot read a reply."""
_IMAGINED = "9 7\nBoth answers keep to the question. The first one is more exact and leaves nothing out."
_SCORE = r"(-?\d+(?:\.\d+)?)(?:\s*(?:/|out of)\s*10\b)?"


@dataclass(frozen=True)
class FirstLine(PlainText[JudgeScorePair]):
    """`8 9`, then the explanation; a comma, "8/10" and words around the scores are accepted."""

    def read_text(self, text: str) -> JudgeScorePair:
        """The two numbers of the first line; each must be on the scale."""
        first, _, rest = text.strip().partition("\n")
        scores = re.findall(_SCORE, re.sub(r"(?i)\b(?:assistant|answer)\s+[12]\b", " ", first))
        if len(scores) != 2:  # noqa: PLR2004  (two answers)
            raise Misfit("its first line must hold two scores and no other number")
        a, b = (number_of(score, LOW, HIGH) for score in scores)
        return JudgeScorePair(a, b, rest.strip())

    def imagine(self, subject: str) -> str:
        """Two scores and two sentences."""
        del subject
        return _IMAGINED


@dataclass(frozen=True)
class Script(PlainText[JudgeScorePair]):
    """A reply as JudgeLM's script reads it: two numbers in the first line, otherwise -1 for both answers."""

    def read_text(self, text: str) -> JudgeScorePair:
        """Any two numbers, or -1 and -1."""
        first, _, rest = text.partition("\n")
        words = first.replace(",", " ").split(" ")
        try:
            a, b = (float(word) for word in words)
        except ValueError:
            a = b = UNREADABLE
        return JudgeScorePair(a, b, rest.strip())

    def imagine(self, subject: str) -> str:
        """Two scores and two sentences."""
        del subject
        return _IMAGINED
