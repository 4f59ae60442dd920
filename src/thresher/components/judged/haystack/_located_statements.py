"""Statements of an answer with their verdicts and the words that make and decide them, in one reply."""

from dataclasses import dataclass, field
from typing import Any

from thresher.components.judged.haystack._statements import Statement, Statements
from thresher.judges.claim_verdicts import SUPPORT, ClaimVerdict, copied
from thresher.judges.fields import TEXT, field_of, label_of
from thresher.judges.schema import Json, Misfit
from thresher.kernels.text.quotes import locate


@dataclass(frozen=True)
class LocatedStatement(Statement):
    """A statement with copied words of the answer and the contexts.

    Attributes:
        contradicted: whether the contexts contradict it; if not, and it is not inferred, it is unsupported.
        quote: the words of the answer, as the judge wrote them.
        passages: the words of the contexts, likewise.
    """

    contradicted: bool = False
    quote: str = field(default="", compare=False)
    passages: tuple[str, ...] = field(default=(), compare=False)

    @property
    def verdict(self) -> ClaimVerdict:
        """The verdict on the statement as a claim."""
        label = SUPPORT[0 if self.inferred else 1 if self.contradicted else 2]
        return ClaimVerdict(label, self.reason, self.note, self.quote, self.passages)


@dataclass(frozen=True)
class LocatedStatements(Statements):
    """The form of `Statements` with the fields `quote`, `passages` (a list) and three verdicts.

    Attributes:
        answer: the answer, if words that are not in it make the reply unreadable; empty if they do not.
    """

    labels: tuple[str, ...] = SUPPORT
    answer: str = field(default="", repr=False)

    @property
    def _copies(self) -> Json:
        return {"quote": TEXT, "passages": {"type": "array", "items": TEXT}}

    def _imagined(self, subject: str) -> list[dict[str, Any]]:
        return [
            {**entry, "quote": self.answer or entry["statement"], "passages": [entry["statement"]]}
            for entry in super()._imagined(subject)
        ]

    def _single(self, entry: Any) -> LocatedStatement:
        plain = super()._single(entry)
        contradicted = label_of(field_of(dict(entry), "verdict"), self.labels) == self.labels[1]
        quote = next(iter(copied(entry.get("quote"))), "")
        if self.answer and locate(quote, self.answer) is None:
            raise Misfit(f'the "quote" of this statement is not in the answer: {plain.text}')
        passages = copied(entry.get("passages"))
        return LocatedStatement(
            plain.text, plain.inferred, plain.reason, plain.note, contradicted, quote, passages
        )
