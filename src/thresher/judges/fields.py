"""Single fields of a reply: texts, numbers and labels. Values that do not fit raise `Misfit`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.judges.gist import folded
from thresher.judges.reply_schema import Ambiguous, Json, Misfit

TEXT: Json = {"type": "string"}
_NUMBER = r"(?:-|(?<!\d))\d++(?:\.\d++)?+"
"""A number. It never starts within another, which would make long runs of digits slow."""
_OF_OTHER = r"(?:\s*(?:/|out of)\s*\d+)?"
"""Suffix that puts a number on another scale."""
_NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|cannot|unable|neither|nor|without|hardly"
    r"|nicht|kein(?:e[mnrs]?)?|nie|niemals|weder|ohne|kaum|pas|jamais|sans|nunca|tampoco|niet|geen|nooit"
    r"|non(?!-))\b|n['’]t\b"  # noqa: RUF001
)
"""Negations; labels may be in other languages than English."""
_RATES = re.compile(r"(?i)\b(?:rat|scor|grad)(?:e|es|ed|ing)\b|\b(?:points?|stars?|scale|give|choose)\b")
_AT_AN_END = re.compile(rf"^\W*{_NUMBER}\s*(?:[,:;)–—-]|$)|{_NUMBER}\W*$")  # noqa: RUF001
_END = r"\s*(?:[.,:;!)*-]|$)"
_OPENING = rf"(?i)^\W*({{}}){_END}"
_BEFORE_A_SIGN = r"(?i)^\W*({})[*_`\"')\]]*(?:[.,:;!]|\s[-–—]\s)"  # noqa: RUF001
_MARKS = " \t\n.!:;,\"'`*[]()"
_REASON_KEYS = ("reason", "analysis", "explanation", "feedback", "evidence")
_SYNONYMS = {"1": "yes", "y": "yes", "true": "yes", "0": "no", "n": "no", "false": "no"}
_TITLE = re.compile(r"(?i)^(?:the\s+)?(?:answer|response|assistant|option)\s+")


def json_object(properties: Json) -> Json:
    """JSON schema of an object with exactly these keys, as strict structured output requires."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def field_of(data: Json, *names: str) -> Any:
    """The value under the first of these names that is present, ignoring case.

    Raises:
        Misfit: if none is present, or the key occurs twice.
    """
    twice = data.twice if isinstance(data, Ambiguous) else frozenset()
    for name in names:
        keys = keys_of(data, name)
        if len(keys) > 1 or not twice.isdisjoint(keys):
            raise Misfit(f'"{name}" occurs twice in it')
        if keys:
            return data[keys[0]]
    raise Misfit(f'it has no "{names[0]}"')


def keys_of(data: Mapping[str, Any], name: str) -> list[str]:
    """The keys that mean a name: the name itself, or else all that differ from it only in case or blanks.

    >>> keys_of({"Score": 4, "reason": ""}, "score"), keys_of({"Score": 4, "score": 5}, "score")
    (['Score'], ['score'])
    """
    return [name] if name in data else [key for key in data if key.strip().casefold() == name.casefold()]


def reason_of(data: Mapping[str, Any]) -> str:
    """The reason in a reply; empty if it has none."""
    entries = (data[key] for name in _REASON_KEYS for key in keys_of(data, name))
    return next((entry for entry in entries if isinstance(entry, str)), "").strip()


def number_of(value: Any, low: float, high: float, *, whole: bool = False) -> float:
    """A number on a scale; `4`, `4.0`, `"4"`, `"4/5"` and `"4 out of 5"` are the same. Never clamped.

    Raises:
        Misfit: if the value is not such a number.

    >>> number_of("4.5", 1, 5), number_of("4 out of 5", 1, 5)
    (4.5, 4.0)
    """
    text = re.sub(rf"(?<!\s)\s*+(?:/|out of)\s*+{high:g}$", "", str(value).strip().rstrip("."))
    kind = "whole number" if whole else "number"
    if isinstance(value, bool) or not re.fullmatch(_NUMBER, text):
        raise Misfit(f"it must be a {kind} from {low:g} to {high:g}")
    number = float(text)
    if not low <= number <= high:
        raise Misfit(f"{text} is off the scale of {low:g} to {high:g}")
    if whole and not number.is_integer():
        raise Misfit(f"it must be a whole number from {low:g} to {high:g}")
    return number


def number_in(text: str, low: float, high: float, *, whole: bool = False) -> float:
    r"""The only rating in a text: labelled, alone on its line, or the only number of a text that rates.

    Mentions of the scale itself (`1-5`, `out of 5`) and counts ("3 parts are missing") are not ratings; a
    rating on another scale ("3/10") does not fit.

    Raises:
        Misfit: if the rating is missing, or several ratings differ.

    >>> number_in("4.0\nTwo of 3 dates are right.", 1, 5), number_in("On a 1-5 scale: 4", 1, 5)
    (4.0, 4.0)
    """
    text = _without_blank_lines(text).replace("−", "-")  # noqa: RUF001  (a minus sign)
    scale = rf"\b{low:g}\s*(?:-|–|to)\s*{high:g}\b|(?:/|\bout of)\s*{high:g}\b"  # noqa: RUF001
    plain = re.sub(scale, " ", text)
    labelled = re.findall(rf"(?i)\b(?:rating|score|points|result)\b\W*?({_NUMBER}{_OF_OTHER})", plain)
    alone = re.findall(rf"(?m)^[^\w\n-]*({_NUMBER})[^\w\n]*$", plain)
    candidates = labelled or alone or _only_numbers(text, scale)
    ratings = {f"{float(rating):g}" if re.fullmatch(_NUMBER, rating) else rating for rating in candidates}
    if len(ratings) != 1:
        raise Misfit("it holds no single rating")
    return number_of(ratings.pop(), low, high, whole=whole)


def _only_numbers(text: str, scale: str) -> list[str]:
    """All numbers of a text if a sentence with a number rates; none if numbers only count things."""
    sentences = [(part, re.sub(scale, " ", part)) for part in re.split(r"[!?\n]+|\.(?!\d)", text)]
    numbers = [number for _, plain in sentences for number in re.findall(_NUMBER, plain)]
    rates = any(
        re.search(_NUMBER, plain)
        and not _NEGATION.search(part)
        and (plain != part or _RATES.search(part) or _AT_AN_END.search(plain))
        for part, plain in sentences
    )
    return numbers if rates else []


def label_of(value: Any, labels: Sequence[str]) -> str:
    """The label that a value means, ignoring case and punctuation.

    "Answer A" and "[[A]]" mean A, and so does "A, as it is shorter", which opens with the only label that it
    names. For the labels yes and no, the synonyms of `as_yes_or_no` are accepted.

    Raises:
        Misfit: if the value is not a label.

    >>> label_of("[[a]]", ["A", "B"]), label_of(False, ["yes", "no"]), label_of(1, ["yes", "no"])
    ('A', 'no', 'yes')
    """
    label = _exact_label(value, labels) or as_yes_or_no(value, labels) or _opening_label(value, labels)
    if label is None:
        raise Misfit(f"it must be one of {', '.join(labels)}")
    return label


def as_yes_or_no(value: Any, labels: Sequence[str]) -> str | None:
    """The label yes or no for 1/0 (1.0 and 0.0, too), y/n and true/false; None without these labels.

    >>> as_yes_or_no("N", ["yes", "no"]), as_yes_or_no(1, ["A", "B"])
    ('no', None)
    """
    known = {label.casefold(): label for label in labels}
    if not {"yes", "no"} <= known.keys() or not isinstance(value, str | int | float):
        return None
    word = f"{value:g}" if isinstance(value, float) else str(value)
    return known.get(_SYNONYMS.get(word.strip(_MARKS).casefold(), ""))


def note_on(value: Any, label: str) -> str:
    """A remark if another word was read as the label; empty for the label itself.

    >>> note_on(1, "yes"), note_on("Yes.", "yes")
    ("'1' was read as 'yes'", '')
    """
    return "" if folded(str(value)) == folded(label) else f"{str(value)!r} was read as {label!r}"


def _exact_label(value: Any, labels: Sequence[str]) -> str | None:
    """The label without synonyms, ignoring case, punctuation and a title; None for another word."""
    text = str(value).strip() if isinstance(value, str | int) else ""  # labels may be numbers
    plain = text.strip(_MARKS)
    for candidate in (text, plain, _TITLE.sub("", plain)):  # a label may be a mark
        for label in labels:
            if label.casefold() == candidate.casefold():
                return label
    return None


def _opening_label(value: Any, labels: Sequence[str]) -> str | None:
    """The label that opens a text before a sign, if the text names no other."""
    either = "|".join(map(re.escape, labels))
    opening = re.match(_BEFORE_A_SIGN.format(either), value) if isinstance(value, str) else None
    if opening is None or len({name.casefold() for name in re.findall(rf"(?i)\b(?:{either})\b", value)}) != 1:
        return None
    return _exact_label(opening[1], labels)


def label_in(text: str, labels: Sequence[str]) -> str:
    """The only label in a text: in brackets, as first or last line, or as opening or closing word.

    A closing word counts only if the text names no other label, and no negation precedes it in its clause ("I
    cannot say yes"). Many texts end in a letter, so a closing label must have more than one.

    Raises:
        Misfit: if the label is missing, or there are several.

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
        _at_the_end(lines[-1], text, either) if lines else [],
        re.findall(
            rf"(?im)^[^\w\n]*(?:verdict|choice|winner|result|answer)(?=[^\w:=]*+[:=])\W*({either}){_END}",
            text,
        ),
        [line for line in {*lines[:1], *lines[-1:]} if _exact_label(line, labels)],
        [*opening, *closing] if (opening := re.findall(_OPENING.format(either), text)) else [],
        re.findall(rf"(?i)\b({either})\b", text) if closing else [],
    )
    for matches in ways:
        named = {label_of(match, labels) for match in matches}
        if len(named) == 1:
            return named.pop()
        if named:
            break
    raise Misfit(f"it names no single one of {', '.join(labels)}")


def _at_the_end(line: str, text: str, either: str) -> list[str]:
    """The labelled label that ends the last line, and all labels after a colon: one of them may be quoted."""
    name = r"(?im)\b(?:verdict|choice|winner|result)"
    last = re.findall(rf"{name}\W+({either})\W*$", line)
    return [*last, *re.findall(rf"{name}[*_`\"']*+\s*+[:=]\W*({either}){_END}", text)] if last else []


def _without_blank_lines(text: str) -> str:
    """Drop blank lines: some judges end in thousands of them, which every pattern would scan."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _closing(text: str, either: str) -> list[str]:
    """The label that is the last word of a text, unless its clause negates it."""
    clause = re.split(r"[,.:;!?\n()–—]|\s-\s", text.rstrip(_MARKS))[-1]  # noqa: RUF001
    match = re.search(rf"(?i)\b({either})\W*$", clause)
    return [match[1]] if match and not _NEGATION.search(clause[: match.start()]) else []
