"""Which claims of an answer texts support: one ask that Valor's and ragas' metrics share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.judges import Ask, JudgeVerdict, Verdicts, prompt
from thresher.judges.claim_verdicts import SUPPORT, ClaimVerdicts
from thresher.kernels.verdicts import share
from thresher.metrics import count_label
from thresher.metrics.claims import Spans, claim_evidence, span_characters

INFERENCE = "valor/faithfulness"
"""Valor and ragas share this prompt: which statements do these texts support?"""
CHARACTERS = ("supported_characters", "claimed_characters")


def support_prompt(spans: Spans) -> str:
    """Name of the prompt; the judge copies words only if they are to be located."""
    return f"{INFERENCE}.spans" if spans else INFERENCE


def support_counts(counts: tuple[str, ...], spans: Spans) -> tuple[str, ...]:
    """The counts of a metric, with those of characters if they are its score."""
    return (*counts, *CHARACTERS) if spans == "characters" else counts


def support_ask(
    texts: Sequence[str], claims: Mapping[str, str], answer: str = "", spans: Spans = False
) -> Ask[dict[str, JudgeVerdict]]:
    """Ask which claims the texts support.

    Args:
        texts: the texts.
        claims: id -> claim.
        answer: the answer that makes the claims.
        spans: whether the judge copies words; for `characters`, a claim that cannot be located has no verdict
            and is asked for again.
    """
    template, ids = prompt(support_prompt(spans)), tuple(claims)
    if not spans:
        return template.ask(Verdicts(ids), contexts=texts, claims=claims)
    form = ClaimVerdicts(ids, answer=answer if spans == "characters" else "")
    return template.ask(form, contexts=texts, claims=claims, answer=answer)


@dataclass(frozen=True)
class Support:
    """What texts support of an answer.

    Attributes:
        claims: number of claims with a verdict.
        supported: number of supported claims.
        characters: supported and claimed characters, if they are the score.
        evidence: the claims with verdicts and places.
    """

    claims: int
    supported: int
    characters: tuple[int, int] | None
    evidence: list[dict[str, Any]]

    @classmethod
    def of(
        cls,
        claims: Mapping[str, str],
        verdicts: Mapping[str, JudgeVerdict],
        answer: str,
        texts: Sequence[str],
        spans: Spans,
        **source: Any,
    ) -> "Support":
        """Count verdicts; `source` names the texts as in `claim_evidence`."""
        entries = claim_evidence(claims, verdicts, answer, texts, **source)
        hit = SUPPORT[0] if spans else "yes"
        counted = span_characters(entries, answer, hit) if spans == "characters" else None
        return cls(len(verdicts), count_label(verdicts, hit), counted, entries)

    @property
    def parts(self) -> tuple[int, int]:
        """Numerator and denominator of the score: characters if they are counted, else claims."""
        return self.characters or (self.supported, self.claims)

    @property
    def score(self) -> float:
        """The supported share."""
        return float(share(*self.parts))

    def counts(self, names: Sequence[str]) -> dict[str, float]:
        """Supported and all claims under these names, and the counts of characters if there are any."""
        numbers = (self.supported, self.claims, *(self.characters or ()))
        named = (*names, *(CHARACTERS if self.characters else ()))
        return dict(zip(named, numbers, strict=True))
