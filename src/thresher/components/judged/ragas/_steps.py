"""Steps that several ragas metrics share, so that equal prompts are sent once."""

from collections.abc import Mapping, Sequence
from typing import Literal

from thresher.components.judged._support import support_ask
from thresher.judges import Flow, JudgeVerdict, Texts, Unanswered, answered, extract, judge_each, prompt
from thresher.judges.claim_verdicts import SUPPORT
from thresher.metrics.claims import Spans
from thresher.results import Status

STATEMENTS = "ragas/statements"
PLAIN_STATEMENTS = "valor/statements"
"""Without a question, ragas extracts statements as Valor does: from the text alone."""
Compat = Literal["none", "ragas-0.4"]


def statements_of(question: str | None, text: str) -> Flow[tuple[str, ...]]:
    """Return the statements of an answer, or of a text without a question; a blank text needs no call."""
    if question is None:
        return (yield from extract(prompt(PLAIN_STATEMENTS), "statements", text))
    if not text.strip():
        return ()
    ask = prompt(STATEMENTS).ask(Texts("statements"), subject=text, question=question, text=text)
    return (yield from answered(ask))


def inferred(
    texts: Sequence[str],
    statements: Mapping[str, str],
    *,
    partial: bool = False,
    answer: str = "",
    spans: Spans = False,
) -> Flow[dict[str, JudgeVerdict]]:
    """Return whether texts together support each statement; blank texts support none, without a call.

    Args:
        texts: the texts.
        statements: id -> statement.
        partial: whether to accept a reply that leaves statements out.
        answer: the answer that makes the statements.
        spans: whether the judge copies the words that make and decide each statement.
    """
    if not statements or not has_text(texts):
        label = SUPPORT[-1] if spans else "no"
        return dict.fromkeys(statements, JudgeVerdict(label, "there is nothing to infer it from"))
    ask = support_ask(texts, statements, answer, spans)
    return (yield from (answered(ask) if partial else judge_each(ask)))


def require_references(references: Sequence[str]) -> None:
    """Raise unless there are references.

    Raises:
        Unanswered: with the status missing.
    """
    if not references:
        raise Unanswered(Status.MISSING, "there are no references")


def has_text(contexts: Sequence[str]) -> bool:
    """Whether any context is not blank."""
    return any(context.strip() for context in contexts)
