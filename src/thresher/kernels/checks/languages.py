"""The language of a text, by its script and its function words; no model is needed."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

from thresher.kernels.checks.function_words import LETTERS, WORDS

Language = Literal["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "zh", "ja", "ko", "ar", "hi"]
Script = Literal["latin", "cyrillic", "cjk", "hangul", "arabic", "devanagari", "other"]

_URL = re.compile(r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]+@\S+")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u064b-\u0652\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*")
_SCRIPTS: dict[Script, re.Pattern[str]] = {
    "latin": re.compile(r"[a-z\u00df-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "cjk": re.compile(r"[\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "hangul": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
}
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_NOT_ARABIC = re.compile(r"[\u067e\u0686\u0698\u06af\u06a9\u06cc\u06c1\u06d2\u0679\u0688\u0691]")
"""Letters of Persian and Urdu that Arabic does not have."""
_ALPHABETS: dict[Script, tuple[Language, ...]] = {
    "latin": ("en", "de", "fr", "es", "it", "pt", "nl", "pl"),
    "cyrillic": ("ru", "uk"),
}
_ALONE: dict[Script, tuple[Language, ...]] = {"hangul": ("ko",), "devanagari": ("hi",)}
FEWEST = 3
"""Words, or characters of Chinese and Japanese, below which a text has no language: it may be a name."""
_LEAST_SCORE, _LEAST_SHARE, _AHEAD = 1.0, 0.12, 1.25
"""Evidence that a language needs: one word that no other listed language has, an eighth of the words, and a
quarter more than the next language, at least one function word included: letters such as ä are also those of
languages that are not listed. Ordinary texts have function words in a third of their places."""
_FOREIGN_SHARE = 0.15
"""Share of words with letters of no listed language, from which on the text has another language. Names from
other languages are rarer in ordinary texts."""


@dataclass(frozen=True)
class TextLanguages:
    """What is known about the language of a text.

    Attributes:
        script: the script of most words; empty for a text that is too short.
        candidates: the languages that the text may have; one if it is decided, none if it has a script or
            letters of no known language.
    """

    script: Script | Literal[""]
    candidates: frozenset[str]

    @property
    def language(self) -> str | None:
        """The language; None if it is not decided."""
        return next(iter(self.candidates)) if len(self.candidates) == 1 else None


def languages_of(text: str) -> TextLanguages:
    """Return the languages that a text may have.

    The script of most words decides for Chinese, Japanese (a tenth of kana), Korean, Arabic and Hindi; a
    character of Chinese or Japanese counts as a word. Languages that share a script are separated by their
    function words and letters: a word or letter counts the less the more of the languages have it. Addresses,
    and code in backquotes, are ignored.

    >>> languages_of("Der Zug fährt um neun Uhr ab.").language
    'de'
    >>> languages_of("Paris").script
    ''
    """
    plain = unicodedata.normalize("NFC", _URL.sub(" ", _CODE.sub(" ", text))).lower()
    words: dict[Script, list[str]] = {}
    for word in _WORD.findall(plain):
        words.setdefault(_script(word), []).append(word)
    sizes = {script: len("".join(own) if script == "cjk" else own) for script, own in words.items()}
    if max(sizes.values(), default=0) < FEWEST:
        return TextLanguages("", frozenset())
    script = max(sizes, key=sizes.__getitem__)
    return TextLanguages(script, frozenset(_candidates(script, words[script])))


def _script(word: str) -> Script:
    """The script of most letters of a word."""
    if word.isascii():
        return "latin"
    counts = {script: len(pattern.findall(word)) for script, pattern in _SCRIPTS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] * 2 >= len(word) else "other"


def _candidates(script: Script, words: list[str]) -> tuple[str, ...]:
    """The languages that words of one script may have."""
    letters = "".join(words)
    if script == "cjk":
        return ("ja",) if len(_KANA.findall(letters)) * 10 >= len(letters) else ("zh",)
    if script == "arabic":
        return () if _NOT_ARABIC.search(letters) else ("ar",)
    if script in _ALPHABETS:
        return _by_words(_ALPHABETS[script], words)
    return _ALONE.get(script, ())


def _by_words(languages: tuple[Language, ...], words: list[str]) -> tuple[str, ...]:
    """The language with the most function words and letters; all of them if no one is ahead."""
    foreign = sum(bool(_foreign(languages).search(word)) for word in words)
    if foreign >= _FOREIGN_SHARE * len(words):
        return ()
    scores = dict.fromkeys(languages, 0.0)
    for word in words:
        for language, weight in _weights(word, languages).items():
            scores[language] += weight
    first, second = sorted(languages, key=scores.__getitem__, reverse=True)[:2]
    enough = scores[first] >= max(_LEAST_SCORE, _LEAST_SHARE * len(words))
    ahead = scores[first] >= _AHEAD * scores[second]
    return (first,) if enough and ahead and not WORDS[first].isdisjoint(words) else languages


@cache
def _foreign(languages: tuple[Language, ...]) -> re.Pattern[str]:
    """Letters that none of the languages has, apart from those of all of them."""
    common = "a-z" if "en" in languages else "\u0430-\u044f"
    known = "".join(LETTERS.get(language, "") for language in languages)
    return re.compile(f"[^{common}{known}\u0300-\u036f]")


@cache
def _owners(languages: tuple[Language, ...]) -> tuple[dict[str, list[Language]], dict[str, list[Language]]]:
    """Word -> languages that have it, and letter -> languages."""
    by_word: dict[str, list[Language]] = {}
    by_letter: dict[str, list[Language]] = {}
    for language in languages:
        for word in WORDS[language]:
            by_word.setdefault(word, []).append(language)
        for letter in LETTERS.get(language, ""):
            by_letter.setdefault(letter, []).append(language)
    return by_word, by_letter


def _weights(word: str, languages: tuple[Language, ...]) -> dict[Language, float]:
    """Language -> what a word says for it: a function word, or else its rarest letter."""
    by_word, by_letter = _owners(languages)
    having = by_word.get(word) or min(
        (by_letter[letter] for letter in set(word) & by_letter.keys()), key=len, default=[]
    )
    return {language: 1 / len(having) for language in having}
