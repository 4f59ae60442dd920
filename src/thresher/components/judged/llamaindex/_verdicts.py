"""Fields of LlamaIndex's results, and a yes or no over packs of contexts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thresher.judges import Flow, JudgeVerdict, ReplySchema, Unanswered, answered, prompt
from thresher.judges.choice import Choice
from thresher.judges.plain_text import PlainText
from thresher.metrics import JudgedItem
from thresher.results import Status

PACKS = "packs"
Compat = Literal["none", "llamaindex-0.14"]
_NO_FIRST = Choice(("no", "yes"))
"""An estimate imagines the first label; with no, it counts the calls for all packs."""


def fields(score: float | None, feedback: str, *, passing: bool | None, invalid: str = "") -> dict[str, Any]:
    """Return the fields of LlamaIndex's evaluation result.

    Args:
        score: the item's score.
        feedback: the judge's reason.
        passing: whether the item passes; None for a metric without a threshold.
        invalid: why the result is invalid; empty for a valid result.
    """
    return {
        "passing": passing,
        "feedback": feedback,
        "score": score,
        "invalid_result": bool(invalid),
        "invalid_reason": invalid or None,
    }


@dataclass(frozen=True)
class AnyYes(PlainText[JudgeVerdict]):
    """A reply as LlamaIndex reads it: yes if these letters occur anywhere in it, else no."""

    def read_text(self, text: str) -> JudgeVerdict:
        """Yes or no."""
        return JudgeVerdict("yes" if "yes" in text.casefold() else "no", text.strip())

    def imagine(self, subject: str) -> str:
        """A no, so that an estimate counts the calls for all packs."""
        del subject
        return "NO, the passage does not state this, and it cannot be told from it either."


def without_contexts(policy: str) -> JudgedItem:
    """Return the score of an item without contexts.

    Raises:
        Unanswered: for `skip`.
    """
    if policy == "skip":
        raise Unanswered(Status.UNDEFINED, "there are no contexts")
    result = fields(0.0, "there are no contexts", passing=False)
    return JudgedItem(0.0, {PACKS: 0.0}, {**result, "note": f"there are no contexts: counts as {policy}"})


def yes_in_any(
    name: str, packs: Sequence[Mapping[str, str]], compat: Compat, **data: Any
) -> Flow[JudgedItem]:
    """Return 1 if the judge answers yes for any pack, otherwise 0.

    Prompts after the first contain the judge's earlier answers. The first yes ends the flow; LlamaIndex goes
    on, and instructs the judge to repeat its yes.

    Args:
        name: the prompt; the packs after the first use `name.refine`.
        packs: contexts by id.
        compat: `llamaindex-0.14` to read replies as LlamaIndex does.
        data: other variables of the prompts.
    """
    form: ReplySchema[JudgeVerdict] = _NO_FIRST if compat == "none" else AnyYes()
    read: list[dict[str, Any]] = []
    verdict = yield from answered(prompt(name).ask(form, contexts=packs[0], **data))
    read.append({"contexts": [*packs[0]], "verdict": verdict.label, "reason": verdict.reason})
    for pack in packs[1:]:
        if verdict.label == "yes":
            break
        before = verdict.reason or "Nothing that supports it."
        ask = prompt(f"{name}.refine").ask(form, contexts=pack, found_before=before, **data)
        verdict = yield from answered(ask)
        read.append({"contexts": [*pack], "verdict": verdict.label, "reason": verdict.reason})
    passing = verdict.label == "yes"
    result = fields(float(passing), verdict.reason, passing=passing)
    return JudgedItem(float(passing), {PACKS: len(read)}, {**result, "packs": read})
