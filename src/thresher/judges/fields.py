"""Single fields of a reply: texts, numbers and labels, read without mercy for what does not fit."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.judges.schema import Ambiguous, Json, Misfit

TEXT: Json = {"type": "string"}
_NUMBER = r"-?\d+(?:\.\d+)?"
_REASON_KEYS = ("reason", "analysis", "explanation", "feedback", "evidence")
_TITLE = re.compile(r"(?i)^(?:the\s+)?(?:answer|response|assistant|option)\s+")


def json_object(properties: Json) -> Json:
    """A JSON object with exactly these keys, as strict structured output wants it."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def field_of(data: Json, *names: str) -> Any:
    """The value under the first of these names that there is.

    Raises:
        Misfit: if there is none, or it stands twice.
    """
    twice = data.twice if isinstance(data, Ambiguous) else frozenset()
    for name in names:
        if name in twice:
            raise Misfit(f'"{name}" stands twice in it')
        if name in data:
            return data[name]
    raise Misfit(f'it has no "{names[0]}"')


def reason_of(data: Mapping[str, Any]) -> str:
    """The reason that a reply gives; empty where it gives none."""
    given = (data[key] for key in _REASON_KEYS if isinstance(data.get(key), str))
    return next(given, "").strip()


def number_of(said: Any, low: float, high: float, *, whole: bool = False) -> float:
    """A number on a scale; `4`, `4.0`, `"4"`, `"4/5"` and `"4 out of 5"` are the same. Never clamped.

    Raises:
        Misfit: if it is no such number.

    >>> number_of("4.5", 1, 5), number_of("4 out of 5", 1, 5)
    (4.5, 4.0)
    """
    text = re.sub(rf"\s*(?:/|out of)\s*{high:g}$", "", str(said).strip().rstrip("."))
    kind = "whole number" if whole else "number"
    if isinstance(said, bool) or not re.fullmatch(_NUMBER, text):
        raise Misfit(f"it must be a {kind} from {low:g} to {high:g}")
    number = float(text)
    if not low <= number <= high:
        raise Misfit(f"{text} is off the scale of {low:g} to {high:g}")
    if whole and not number.is_integer():
        raise Misfit(f"it must be a whole number from {low:g} to {high:g}")
    return number


def number_in(text: str, low: float, high: float, *, whole: bool = False) -> float:
    r"""The one rating that a text gives: labelled, alone in its line, or the only number.

    Mentions of the scale itself (`1-5`, `out of 5`) are no ratings.

    Raises:
        Misfit: if it gives none, or several that differ.

    >>> number_in("4.0\nTwo of 3 dates are right.", 1, 5), number_in("On a 1-5 scale: 4", 1, 5)
    (4.0, 4.0)
    """
    scale = rf"\b{low:g}\s*(?:-|–|to)\s*{high:g}\b|(?:/|\bout of)\s*{high:g}\b"  # noqa: RUF001
    plain = re.sub(scale, " ", text)
    labelled = re.findall(rf"(?i)\b(?:rating|score|points|result)\b\W*?({_NUMBER})", plain)
    alone = re.findall(rf"(?m)^\W*({_NUMBER})\W*$", plain)
    found = {float(number) for number in labelled or alone or re.findall(_NUMBER, plain)}
    if len(found) != 1:
        raise Misfit("it holds no single rating")
    return number_of(f"{found.pop():g}", low, high, whole=whole)


def label_of(said: Any, labels: Sequence[str]) -> str:
    """The label that is meant, whatever its case and the marks around it.

    True and false stand for yes and no; "Answer A" and "[[A]]" for A.

    Raises:
        Misfit: if it is none of the labels.

    >>> label_of("[[a]]", ["A", "B"]), label_of(False, ["yes", "no"])
    ('A', 'no')
    """
    word = {True: "yes", False: "no"}[said] if isinstance(said, bool) else said
    plain = word.strip(" \t\n.!:;,\"'`*[]()") if isinstance(word, str) else ""
    for candidate in (plain, _TITLE.sub("", plain)):
        for label in labels:
            if label.casefold() == candidate.casefold():
                return label
    raise Misfit(f"it must be one of {', '.join(labels)}")


def label_in(text: str, labels: Sequence[str]) -> str:
    """The one label that a text gives: in brackets, as its first or last line, or as its opening word.

    A word label may also be the only one that the text names; a letter would be found in any text.

    Raises:
        Misfit: if it gives none, or several.

    >>> label_in("NO, it says yesterday", ["yes", "no"]), label_in("B is clearer. [[B]]", ["A", "B"])
    ('no', 'B')
    """
    either = "|".join(map(re.escape, labels))
    lines = [line for line in text.splitlines() if line.strip()]
    ways = (
        re.findall(rf"(?i)\[+\s*((?:answer|response)?\s*(?:{either}))\s*\]+", text),
        re.findall(rf"(?i)\b(?:verdict|choice|winner|result)\W+({either})\W*$", lines[-1]) if lines else [],
        [line for line in {*lines[:1], *lines[-1:]} if _is_label(line, labels)],
        re.findall(rf"(?i)^\W*({either})\s*(?:[.,:;!)-]|$)", text),
        re.findall(rf"(?i)\b({either})\b", text) if min(map(len, labels)) > 1 else [],
    )
    for found in ways:
        named = {label_of(each, labels) for each in found}
        if len(named) == 1:
            return named.pop()
        if named:
            break
    raise Misfit(f"it names no single one of {', '.join(labels)}")


def _is_label(line: str, labels: Sequence[str]) -> bool:
    try:
        label_of(line, labels)
    except Misfit:
        return False
    return True
