"""Conditions on a text: what it contains, starts or ends with, equals or matches."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import regex

from thresher.errors import InputError

UnicodeForm = Literal["none", "nfc"]
SECONDS = 1.0
"""Time for one pattern and one text. Patterns with nested quantifiers can take hours for a short text."""
_MOST_COPIES = 10_000_000
"""Copies of a part of a pattern, such as 100 for `(a{10}){10}`, which compiling makes."""
_COUNT = re.compile(r"\{(\d+)")
Test = Callable[[str], bool]


class UndecidedError(Exception):
    """A pattern takes too long for a text."""


@dataclass(frozen=True)
class TextForm:
    """How texts are prepared before they are compared.

    Attributes:
        lowercase: whether texts are lower-cased, and patterns ignore case.
        unicode_form: `nfc` composes characters with their marks, in texts and conditions.
    """

    lowercase: bool
    unicode_form: UnicodeForm

    def text(self, text: str) -> str:
        """A text in this form."""
        composed = self.composed(text)
        return composed.lower() if self.lowercase else composed

    def composed(self, text: str) -> str:
        """A text in its Unicode form, with unchanged case."""
        return unicodedata.normalize("NFC", text) if self.unicode_form == "nfc" else text


def text_conditions(where: str, texts: Mapping[str, Sequence[str]], form: TextForm) -> dict[str, Test]:
    """Description of each condition -> its test of a text that has the form.

    Args:
        where: place of the conditions, for messages.
        texts: kind of condition -> its texts.
        form: the form of all texts.

    Raises:
        InputError: for an unknown kind, texts that are not a list of texts, and an invalid pattern.
    """
    conditions: dict[str, Test] = {}
    for kind, entries in texts.items():
        if kind not in _KINDS:
            raise InputError(f"{where}: unknown condition {kind!r}; choose from {', '.join(_KINDS)}")
        conditions |= _KINDS[kind](_checked(f"{where}: {kind}", entries), form)
    return conditions


def _checked(where: str, entries: Any) -> list[str]:
    texts = [entries] if isinstance(entries, str) else entries
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
        raise InputError(f"{where} is {entries!r}; give a list of texts that are not empty")
    return list(texts)


def _contains(text: str) -> Test:
    return lambda whole: text in whole


def _lacks(text: str) -> Test:
    return lambda whole: text not in whole


def _per_text(words: str, test: Callable[[str], Test]) -> Callable[[list[str], TextForm], dict[str, Test]]:
    """One condition for each text."""
    return lambda texts, form: {f"{words} {text!r}": test(form.text(text)) for text in texts}


def _any_text(
    words: str, test: Callable[[list[str]], Test]
) -> Callable[[list[str], TextForm], dict[str, Test]]:
    """One condition, which one of the texts meets."""

    def conditions(texts: list[str], form: TextForm) -> dict[str, Test]:
        alternatives = " or ".join(map(repr, texts))
        return {f"{words} {alternatives}": test(list(map(form.text, texts)))} if texts else {}

    return conditions


def _patterns(texts: Iterable[str], form: TextForm) -> dict[str, Test]:
    return {f"matches {text!r}": _pattern(form.composed(text), form) for text in texts}


def _pattern(text: str, form: TextForm) -> Test:
    try:
        pattern = compiled(text, regex.IGNORECASE if form.lowercase else 0)
    except regex.error as error:
        raise InputError(f"matches: {text!r} is not a regular expression: {error}") from None
    return lambda whole: found(pattern, whole)


def compiled(text: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a pattern, whose search can be bounded.

    Raises:
        regex.error: for an invalid pattern, and one whose repeats multiply beyond ten million.
    """
    if prod(map(int, _COUNT.findall(text))) > _MOST_COPIES:
        raise regex.error("it repeats too often")
    return regex.compile(text, flags)


def found(pattern: regex.Pattern[str], text: str, seconds: float = SECONDS) -> bool:
    """Whether a pattern matches a part of a text.

    Raises:
        UndecidedError: if that takes longer than the time.
    """
    try:
        return pattern.search(text, timeout=seconds) is not None
    except TimeoutError:
        raise UndecidedError(f"the pattern {pattern.pattern!r} takes longer than {SECONDS:g} s") from None


_KINDS: Mapping[str, Callable[[list[str], TextForm], dict[str, Test]]] = {
    "contains_all": _per_text("contains", _contains),
    "contains_none": _per_text("does not contain", _lacks),
    "contains_any": _any_text("contains", lambda texts: lambda whole: any(text in whole for text in texts)),
    "starts_with": _any_text("starts with", lambda texts: lambda whole: whole.startswith(tuple(texts))),
    "ends_with": _any_text("ends with", lambda texts: lambda whole: whole.endswith(tuple(texts))),
    "equals": _any_text("equals", lambda texts: lambda whole: whole in texts),
    "matches": _patterns,
}
