"""Claims of an answer: which words of the answer make them, and which words of the contexts decide them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from thresher.judges import JudgeVerdict
from thresher.judges.claim_verdicts import ClaimVerdict
from thresher.kernels.text.quotes import Location, locate, locate_in
from thresher.metrics.judging import JudgedMetric, verdict_evidence

Spans = bool | Literal["characters"]
"""Whether claims are located in the answer; `characters` also scores the characters instead of the claims."""


@dataclass(eq=False, repr=False, kw_only=True)
class ClaimMetric(JudgedMetric):
    """Base of judged metrics that can locate the claims of an answer.

    The signature names the option only if it is set.

    Attributes:
        spans: whether the judge copies the words that make and decide each claim.
    """

    spans: Spans = False

    def check_spans(self) -> None:
        """Raise `InputError` if another option excludes spans; called whenever `spans` is set."""

    def __post_init__(self) -> None:
        self.check_spans()


def claim_evidence(
    claims: Mapping[str, str],
    verdicts: Mapping[str, JudgeVerdict],
    answer: str,
    texts: Sequence[str],
    *,
    source: str = "context",
    first: int = 1,
) -> list[dict[str, Any]]:
    """The claims with their verdicts and, from a judge that copied words, their places.

    `span` is the place of a claim in the answer: `start` and `end` in code points, `how` it was located, and
    the words there (`quote`); None if the copied words are not in the answer. `passages` are places in the
    texts, likewise, with the number of the text; copied words that no text contains are left out.

    Args:
        claims: id -> claim.
        verdicts: id -> verdict.
        answer: the answer.
        texts: the texts that decide the claims.
        source: what a text is called in the evidence.
        first: number of the first text.
    """
    entries: list[dict[str, Any]] = [{**entry} for entry in verdict_evidence(claims, verdicts)]
    if not any(isinstance(verdict, ClaimVerdict) for verdict in verdicts.values()):
        return entries
    for entry in entries:
        verdict = verdicts[entry["id"]]
        copied = verdict if isinstance(verdict, ClaimVerdict) else ClaimVerdict(verdict.label)  # of a panel
        entry["span"] = span_evidence(copied.quote, answer)
        entry["passages"] = passage_evidence(copied.passages, texts, source, first)
    return entries


def span_evidence(quote: str, answer: str) -> dict[str, Any] | None:
    """The place of copied words in the answer; None if they are not in it."""
    place = locate(quote, answer)
    return None if place is None else _placed(place, answer)


def passage_evidence(
    quotes: Iterable[str], texts: Sequence[str], source: str = "context", first: int = 1
) -> list[dict[str, Any]]:
    """The places of copied words in texts, each in the text that has them most literally."""
    passages = []
    for quote in quotes:
        known = locate_in(quote, texts)
        if known is not None:
            number, place = known
            passages.append({source: first + number, **_placed(place, texts[number])})
    return passages


def _placed(place: Location, text: str) -> dict[str, Any]:
    return {**asdict(place), "quote": text[place.start : place.end]}


def span_characters(entries: Iterable[Mapping[str, Any]], answer: str, hit: str) -> tuple[int, int]:
    """Characters of the answer in spans with the verdict `hit` only, and characters in any span.

    A character in two spans has the verdict that is not `hit`.
    """
    hits, others = np.zeros(len(answer), np.bool_), np.zeros(len(answer), np.bool_)
    for entry in entries:
        if (span := entry.get("span")) is not None:
            (hits if entry["verdict"] == hit else others)[span["start"] : span["end"]] = True
    return int((hits & ~others).sum()), int((hits | others).sum())
