"""What LlamaIndex tells of an item, and a yes or no over packs of contexts."""

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
"""An estimate takes the first label: it must look at every pack."""


def fields(score: float | None, feedback: str, *, passing: bool | None, invalid: str = "") -> dict[str, Any]:
    """The fields of LlamaIndex's evaluation result.

    Args:
        score: the item's score.
        feedback: what the judge said.
        passing: whether the item passes; None where the metric knows no passing.
        invalid: why there is no valid result; empty where there is one.
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
    """A reply as LlamaIndex reads it: yes if these three letters stand anywhere in it, else no."""

    def read_text(self, text: str) -> JudgeVerdict:
        """Yes or no."""
        return JudgeVerdict("yes" if "yes" in text.casefold() else "no", text.strip())

    def imagine(self, subject: str) -> str:
        """A no, so that an estimate looks at every pack."""
        del subject
        return "NO, the passage does not state this, and it cannot be told from it either."


def nothing_to_read(policy: str) -> JudgedItem:
    """The score of an item without contexts.

    Raises:
        Unanswered: as undefined, if that is the policy.
    """
    if policy == "skip":
        raise Unanswered(Status.UNDEFINED, "there are no contexts")
    told = fields(0.0, "there are no contexts", passing=False)
    return JudgedItem(0.0, {PACKS: 0.0}, {**told, "note": f"there are no contexts: counts as {policy}"})


def yes_in_any(
    name: str, packs: Sequence[Mapping[str, str]], compat: Compat, **data: Any
) -> Flow[JudgedItem]:
    """1 if a judge says yes to one of the packs, knowing what was found in those before; else 0.

    A yes ends it: LlamaIndex asks on, and tells the judge to keep to its yes.

    Args:
        name: the prompt; `name.refine` is the one for the packs after the first.
        packs: contexts by id.
        compat: `llamaindex-0.14` to read replies as LlamaIndex does.
        data: the prompts' other variables.
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
    told = fields(float(passing), verdict.reason, passing=passing)
    return JudgedItem(float(passing), {PACKS: len(read)}, {**told, "packs": read})
