"""Single fields of a reply: texts, numbers and labels, read without mercy for what does not fit."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.judges.gist import folded
from thresher.judges.reply_schema import Ambiguous, Json, Misfit

TEXT: Json = {"type": "string"}
_NUMBER = r"(?:-|(?<!\d))\d++(?:\.\d++)?+"
"""A number; it never begins within another, which would make long runs of digits slow."""
_OF_OTHER = r"(?:\s*(?:/|out of)\s*\d+)?"
"""What makes a number one on a scale of its own."""
_NEGATION = re.compile(r"(?i)\b(?:not|no|never|cannot|unable|neither|nor|without|hardly)\b|n['’]t\b")  # noqa: RUF001
_RATES = re.compile(r"(?i)\b(?:rat|scor|grad)(?:e|es|ed|ing)\b|\b(?:points?|stars?|scale|give|choose)\b")
_AT_AN_END = re.compile(rf"^\W*{_NUMBER}\s*(?:[,:;)–—-]|$)|{_NUMBER}\W*$")  # noqa: RUF001
_END = r"\s*(?:[.,:;!)*-]|$)"
_OPENING = rf"(?i)^\W*({{}}){_END}"
_MARKS = " \t\n.!:;,\"'`*[]()"
_REASON_KEYS = ("reason", "analysis", "explanation", "feedback", "evidence")
_SYNONYMS = {"1": "yes", "y": "yes", "true": "yes", "0": "no", "n": "no", "false": "no"}
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
    r"""The one rating that a text gives: labelled, alone in its line, or the only number where it rates.

    Mentions of the scale itself (`1-5`, `out of 5`) are no ratings, nor is what is counted ("3 parts are
    missing"); a rating on another scale ("3/10") fits none.

    Raises:
        Misfit: if it gives none, or several that differ.

    >>> number_in("4.0\nTwo of 3 dates are right.", 1, 5), number_in("On a 1-5 scale: 4", 1, 5)
    (4.0, 4.0)
    """
    text = _without_blank_lines(text).replace("−", "-")  # noqa: RUF001  (a minus that is no hyphen)
    scale = rf"\b{low:g}\s*(?:-|–|to)\s*{high:g}\b|(?:/|\bout of)\s*{high:g}\b"  # noqa: RUF001
    plain = re.sub(scale, " ", text)
    labelled = re.findall(rf"(?i)\b(?:rating|score|points|result)\b\W*?({_NUMBER}{_OF_OTHER})", plain)
    alone = re.findall(rf"(?m)^[^\w\n-]*({_NUMBER})[^\w\n]*$", plain)
    said = labelled or alone or _only_numbers(text, scale)
    found = {f"{float(each):g}" if re.fullmatch(_NUMBER, each) else each for each in said}
    if len(found) != 1:
        raise Misfit("it holds no single rating")
    return number_of(found.pop(), low, high, whole=whole)


def _only_numbers(text: str, scale: str) -> list[str]:
    """All numbers of a text, if a sentence with one rates: none where they are only things counted."""
    sentences = [(part, re.sub(scale, " ", part)) for part in re.split(r"[!?\n]+|\.(?!\d)", text)]
    numbers = [number for _, plain in sentences for number in re.findall(_NUMBER, plain)]
    rates = any(
        re.search(_NUMBER, plain)
        and not _NEGATION.search(part)
        and (plain != part or _RATES.search(part) or _AT_AN_END.search(plain))
        for part, plain in sentences
    )
    return numbers if rates else []


def label_of(said: Any, labels: Sequence[str]) -> str:
    """The label that is meant, whatever its case and the marks around it.

    "Answer A" and "[[A]]" mean A; among yes and no, the words of `as_yes_or_no` mean these.

    Raises:
        Misfit: if it is none of the labels.

    >>> label_of("[[a]]", ["A", "B"]), label_of(False, ["yes", "no"]), label_of(1, ["yes", "no"])
    ('A', 'no', 'yes')
    """
    word = _label_of(said, labels) or as_yes_or_no(said, labels)
    if word is None:
        raise Misfit(f"it must be one of {', '.join(labels)}")
    return word


def as_yes_or_no(said: Any, labels: Sequence[str]) -> str | None:
    """The label yes or no that 1/0, y/n and true/false stand for; None where there are no such labels.

    >>> as_yes_or_no("N", ["yes", "no"]), as_yes_or_no(1, ["A", "B"])
    ('no', None)
    """
    known = {label.casefold(): label for label in labels}
    if not {"yes", "no"} <= known.keys() or not isinstance(said, str | int):
        return None
    return known.get(_SYNONYMS.get(str(said).strip(_MARKS).casefold(), ""))


def note_on(said: Any, label: str) -> str:
    """A remark if a label was written as another word; empty if it is the label itself.

    >>> note_on(1, "yes"), note_on("Yes.", "yes")
    ("'1' was read as 'yes'", '')
    """
    return "" if folded(str(said)) == folded(label) else f"{str(said)!r} was read as {label!r}"


def _label_of(said: Any, labels: Sequence[str]) -> str | None:
    """The label itself, whatever its case, marks and title; None if it is none."""
    plain = str(said).strip(_MARKS) if isinstance(said, str | int) else ""  # labels may be numbers
    for candidate in (plain, _TITLE.sub("", plain)):
        for label in labels:
            if label.casefold() == candidate.casefold():
                return label
    return None


def label_in(text: str, labels: Sequence[str]) -> str:
    """The one label that a text gives: in brackets, as first or last line, as opening or closing word.

    A closing word counts only where the text names no other label, and nothing before it in its clause turns
    it round ("I cannot say yes"). Letters stand at the end of many texts, so only words may close one.

    Raises:
        Misfit: if it gives none, or several.

    >>> label_in("NO, it says yesterday", ["yes", "no"]), label_in("B is clearer. [[B]]", ["A", "B"])
    ('no', 'B')
    """
    whole = as_yes_or_no(text, labels)
    if whole is not None:
        return whole
    either = "|".join(map(re.escape, labels))
    text = _without_blank_lines(text)
    lines = text.splitlines()
    closing = _closing(text, either) if min(map(len, labels)) > 1 else []
    ways = (
        re.findall(rf"(?i)\[\s*((?:(?:answer|response)\s*)?(?:{either}))\s*\]", text),
        re.findall(rf"(?i)\b(?:verdict|choice|winner|result)\W+({either})\W*$", lines[-1]) if lines else [],
        re.findall(
            rf"(?im)^[^\w\n]*(?:verdict|choice|winner|result|answer)(?=[^\w:=]*+[:=])\W*({either}){_END}",
            text,
        ),
        [line for line in {*lines[:1], *lines[-1:]} if _label_of(line, labels)],
        [*opening, *closing] if (opening := re.findall(_OPENING.format(either), text)) else [],
        re.findall(rf"(?i)\b({either})\b", text) if closing else [],
    )
    for found in ways:
        named = {label_of(each, labels) for each in found}
        if len(named) == 1:
            return named.pop()
        if named:
            break
    raise Misfit(f"it names no single one of {', '.join(labels)}")


def _without_blank_lines(text: str) -> str:
    """The lines that say something: some judges end in thousands of empty ones, which every pattern walks."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _closing(text: str, either: str) -> list[str]:
    """The label that is the last word of a text, unless its clause turns it round."""
    clause = re.split(r"[,.:;!?\n()–—]|\s-\s", text.rstrip(_MARKS))[-1]  # noqa: RUF001
    match = re.search(rf"(?i)\b({either})\W*$", clause)
    return [match[1]] if match and not _NEGATION.search(clause[: match.start()]) else []
