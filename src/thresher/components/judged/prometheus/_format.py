"""Replies in the format of Prometheus' models: feedback, the mark [RESULT], and the grade."""

import re
from dataclasses import dataclass
from typing import Literal

from thresher.judges import JudgeRating, JudgeVerdict, Rating
from thresher.judges.choice import TWO_WAYS
from thresher.judges.fields import label_in, label_of, number_in, number_of
from thresher.judges.plain_text import PlainText
from thresher.judges.schema import Misfit

ReplyFormat = Literal["json", "prometheus"]
_MARK = re.compile(r"(?i)\[(?:result|score)\]|\b(?:result|score)\s*:")
_FIRST_NUMBER = re.compile(
    r"[\s:(\[*_]*(-?\d++(?:\.\d++)?+(?:\s*(?:/|out of)\s*\d++)?+)(?!\s*(?:-|–|to|or)\s*\d)"  # noqa: RUF001
)
"""A number with an optional scale, e.g. "4/5"; not matched: "4 or 5"."""
_FEEDBACK = re.compile(r"(?is)^\W*feedback\s*:\s*")
_IMAGINED = (
    "Feedback: The answer keeps to the question and gives what was asked for. Some points could be more "
    "exact, and one of them is left open. [RESULT]"
)


@dataclass(frozen=True)
class Grade(PlainText[JudgeRating]):
    """`Feedback: ... [RESULT] 4`: the number after the last mark, from 1 to 5."""

    low: int = 1
    high: int = 5

    def read_text(self, text: str) -> JudgeRating:
        """Feedback and grade; "4", "(4)", "4.", "4/5" and "4 out of 5" are the same."""
        feedback, rest = _split(text)
        if rest is None:
            grade = number_in(text, self.low, self.high, whole=True)
        else:
            first = _FIRST_NUMBER.match(rest)
            if first is None:
                raise Misfit("no single number follows the mark [RESULT]")
            grade = number_of(first[1], self.low, self.high, whole=True)
        return JudgeRating(int(grade), feedback)

    def imagine(self, subject: str) -> str:
        """Feedback of two sentences and the highest grade."""
        del subject
        return f"{_IMAGINED} {self.high}"


@dataclass(frozen=True)
class Preferred(PlainText[JudgeVerdict]):
    """`Feedback: ... [RESULT] A`: the letter after the last mark."""

    def read_text(self, text: str) -> JudgeVerdict:
        """Feedback and letter; "A", "[A]" and "Response A" are the same."""
        feedback, rest = _split(text)
        if rest is None:
            return JudgeVerdict(label_in(text, TWO_WAYS), feedback)
        label = label_of(rest.strip().partition("\n")[0], TWO_WAYS)
        return JudgeVerdict(label, feedback)

    def imagine(self, subject: str) -> str:
        """Feedback of two sentences and the first letter."""
        del subject
        return f"{_IMAGINED} A"


JSON_GRADE = Rating(1, 5)


def _split(text: str) -> tuple[str, str | None]:
    """Feedback, and the text after the last mark; without a mark all is feedback, and the rest None."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return _FEEDBACK.sub("", text).strip(), None
    return _FEEDBACK.sub("", text[: marks[-1].start()]).strip(), text[marks[-1].end() :]
