"""Reply form with verdicts on claims and copies of the words that make and decide them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.judges.fields import TEXT
from thresher.judges.gist import Gist
from thresher.judges.schema import Json, JudgeVerdict, Verdicts
from thresher.kernels.text.quotes import locate

SUPPORT = ("supported", "contradicted", "unsupported")
"""Verdicts on a claim: the contexts state it, exclude it, or do neither."""


@dataclass(frozen=True)
class ClaimVerdict(JudgeVerdict):
    """A verdict on a claim.

    Attributes:
        quote: the words of the answer that make the claim, as the judge wrote them.
        passages: the words of the contexts that decide it, likewise.
    """

    quote: str = field(default="", compare=False)
    passages: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class ClaimVerdicts(Verdicts):
    """`{"1": {"quote": "...", "passages": ["..."], "reason": "...", "verdict": "supported"}, ...}`.

    A missing quote or passage is an empty one: the verdict counts all the same.

    Attributes:
        labels: the verdicts.
        quoted: whether the judge copies words of the answer; without it, only passages.
        answer: the answer, if a verdict whose quote is not in it counts as missing; empty if it does not.
        unquoted: positions of the labels that need no quote even so; own words may rename labels.
    """

    labels: tuple[str, ...] = SUPPORT
    quoted: bool = True
    answer: str = field(default="", repr=False)
    unquoted: tuple[int, ...] = ()

    def planted(self, container: Any) -> Iterator[tuple[str, Gist]]:
        """Verdicts in the data; a quote is easily added to one, so it is not required there."""
        if self.answer:
            return replace(self, answer="").planted(container)
        return super().planted(container)

    def _fields(self) -> Json:
        passages = {"passages": {"type": "array", "items": TEXT}}
        return ({"quote": TEXT} if self.quoted else {}) | passages | super()._fields()

    def _imagined(self) -> Json:
        words = "the words that state this, with their subject"
        quote = {"quote": self.answer or words} if self.quoted else {}
        return quote | {"passages": [words]} | super()._imagined()

    def _verdict(self, entry: Any) -> ClaimVerdict | None:
        verdict = super()._verdict(entry)
        if verdict is None:
            return None
        whole = entry if isinstance(entry, Mapping) else {}
        quote = next(iter(copied(whole.get("quote"))), "")
        unquoted = self.labels.index(verdict.label) in self.unquoted
        if self.answer and not unquoted and locate(quote, self.answer) is None:
            return None
        return ClaimVerdict(verdict.label, verdict.reason, verdict.note, quote, copied(whole.get("passages")))


def copied(value: Any) -> tuple[str, ...]:
    """The copied texts in a field of a reply: a list, or a single text. Anything else has none."""
    entries = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    return tuple(entry for entry in entries if isinstance(entry, str) and entry.strip())
