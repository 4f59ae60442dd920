"""Steps that several of ragas' metrics share, so that equal asks are asked once."""

from collections.abc import Mapping, Sequence
from typing import Literal

from thresher.judges import (
    Flow,
    JudgeVerdict,
    Texts,
    Unanswered,
    Verdicts,
    answered,
    extract,
    judge_each,
    prompt,
)
from thresher.metrics import JudgedItem
from thresher.results import Status

STATEMENTS = "ragas/statements"
PLAIN_STATEMENTS = "valor/statements"
"""Without a question ragas' extraction is Valor's: the statements of a text alone."""
INFERENCE = "valor/faithfulness"
"""Valor and ragas ask the same here: which of these statements do these texts support?"""
Compat = Literal["none", "ragas-0.4"]


def statements_of(question: str | None, text: str) -> Flow[tuple[str, ...]]:
    """The statements of an answer to a question, or of a text alone; of a blank one none, without asking."""
    if question is None:
        return (yield from extract(prompt(PLAIN_STATEMENTS), "statements", text))
    if not text.strip():
        return ()
    ask = prompt(STATEMENTS).ask(Texts("statements"), subject=text, question=question, text=text)
    return (yield from answered(ask))


def inferred(
    texts: Sequence[str], statements: Mapping[str, str], *, partial: bool = False
) -> Flow[dict[str, JudgeVerdict]]:
    """Whether texts, taken together, support each statement. Blank texts support none, without asking.

    Args:
        texts: the texts.
        statements: id -> statement.
        partial: whether to take a reply as it is that leaves statements out.
    """
    if not statements or not says_something(texts):
        return dict.fromkeys(statements, JudgeVerdict("no", "there is nothing to infer it from"))
    ask = prompt(INFERENCE).ask(Verdicts(tuple(statements)), contexts=texts, claims=statements)
    return (yield from (answered(ask) if partial else judge_each(ask)))


def needed(references: Sequence[str]) -> None:
    """End a flow for which there is no reference.

    Raises:
        Unanswered: as missing.
    """
    if not references:
        raise Unanswered(Status.MISSING, "there are no references")


def over_references(scored: Sequence[JudgedItem], references: str) -> JudgedItem:
    """One score from those against each reference: their `max` or their `mean`; the counts are the best's."""
    best = max(scored, key=lambda one: one.score)
    mean = sum(one.score for one in scored) / len(scored)
    score = best.score if references == "max" else mean
    return JudgedItem(score, best.counts, {"references": [dict(one.evidence) for one in scored]})


def says_something(contexts: Sequence[str]) -> bool:
    """Whether any context is more than blank."""
    return any(context.strip() for context in contexts)
