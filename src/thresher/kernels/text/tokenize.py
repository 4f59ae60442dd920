"""Tokenizers, by their names in signatures."""

import re
import string
from collections.abc import Callable
from functools import cache
from types import MappingProxyType

import regex

from thresher.kernels.text.compatibility import nfkc

Tokenizer = Callable[[str], list[str]]

LINE_END = "|"
"""The token of ROUGE's tokenizers for a line feed; it cannot be one of their words."""

_ALLOWED = (string.ascii_lowercase + string.digits + "\n").encode()
_ALPHANUMERIC = bytes(byte if byte in _ALLOWED else ord(" ") for byte in range(256))
_UNSPACED = "".join(
    rf"\p{{{script}}}" for script in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
)
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
SPACED_SYMBOLS = str.maketrans({mark: f" {mark} " for mark in set(string.punctuation) - set("',-.")})
MTEVAL_SPLITS = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])-"), r"\1 - "),
)


def rouge_score_tokens(text: str) -> list[str]:
    """rouge-score's default tokenizer: lower case, and everything but a-z and 0-9 separates tokens.

    Letters with accents and all other scripts are separators too: a text in Cyrillic has no tokens.
    A line feed is a token of its own, `LINE_END`.

    >>> rouge_score_tokens("The cat's 2 naïve mats.")
    ['the', 'cat', 's', '2', 'na', 've', 'mats']
    """
    # bytes.translate is one pass, while a regular expression loops over matches.
    spaced = text.lower().encode("ascii", "replace").translate(_ALPHANUMERIC)
    return spaced.decode("ascii").replace("\n", f" {LINE_END} ").split()


def unicode_tokens(text: str) -> list[str]:
    """Words of any script: NFKC, case folding, then runs of letters, digits and marks.

    Scripts without spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar) have one token
    per character, with its marks. On ASCII texts this equals `rouge_score_tokens`.

    >>> unicode_tokens("Die Straße, 東京 2024")
    ['die', 'strasse', '東', '京', '2024']
    """
    if text.isascii():
        return rouge_score_tokens(text)
    normal = nfkc(nfkc(text).casefold())
    return _words().findall(normal.replace(LINE_END, " ").replace("\n", LINE_END))


@cache
def _words() -> "regex.Pattern[str]":
    # The two joiners (U+200C, U+200D) occur inside words of Persian and Indic scripts.
    inside = rf"[[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[{_UNSPACED}]]"
    first = rf"[[\p{{L}}\p{{N}}]--[{_UNSPACED}]]"
    return regex.compile(rf"(?V1){first}{inside}*|[{_UNSPACED}]\p{{M}}*|\{LINE_END}")


def valor_tokens(text: str) -> list[str]:
    """The tokenizer of Valor's BLEU: runs of word characters, or of anything else but spaces and periods.

    Case counts, periods are removed, and a hyphen or an apostrophe begins a new token. Word characters are
    those of NLTK 3.10: including combining marks, excluding superscript digits.

    >>> valor_tokens("It's $3.50 to re-use.")
    ['It', "'s", '$3', '50', 'to', 're', '-use']
    """
    return _valor_words().findall(text)


def mteval_tokens(text: str) -> list[str]:
    """The tokenizer `13a` of WMT's `mteval-v13a` script and sacrebleu: case counts, punctuation is split off.

    Periods and commas stay inside numbers, hyphens and apostrophes inside words.

    >>> mteval_tokens("It's 3.50, re-used.")
    ["It's", '3.50', ',', 're-used', '.']
    """
    # sacrebleu strips the end of the text first: a hyphen there joins nothing.
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} ".translate(SPACED_SYMBOLS)
    for pattern, split in MTEVAL_SPLITS:
        text = pattern.sub(split, text)
    return text.split()


def whitespace_tokens(text: str) -> list[str]:
    r"""Split at white space.

    >>> whitespace_tokens(" oak, elm\nand ")
    ['oak,', 'elm', 'and']
    """
    return text.split()


def unicode_words(text: str) -> list[str]:
    r"""`unicode_tokens` without line ends.

    >>> unicode_words("Über\nuns")
    ['über', 'uns']
    """
    return [token for token in unicode_tokens(text) if token != LINE_END]


def unicode_words_or_signs(text: str) -> list[str]:
    """`unicode_words`; of a text without a word, such as an emoji, what white space separates.

    >>> unicode_words_or_signs("Yes!"), unicode_words_or_signs("\N{THUMBS UP SIGN} !!")
    (['yes'], ['👍', '!!'])
    """
    return unicode_words(text) or nfkc(text).casefold().split()


@cache
def _valor_words() -> "regex.Pattern[str]":
    # `regex` instead of `re`: they disagree about marks and numbers, and NLTK uses `regex`.
    return regex.compile(r"\w+|\$\d+|[^\s.]+")


ROUGE_TOKENIZERS: MappingProxyType[str, Tokenizer] = MappingProxyType(
    {"rouge-score": rouge_score_tokens, "unicode": unicode_tokens}
)
BLEU_TOKENIZERS: MappingProxyType[str, Tokenizer] = MappingProxyType(
    {
        "valor": valor_tokens,
        "13a": mteval_tokens,
        "whitespace": whitespace_tokens,
        "unicode": unicode_words_or_signs,
    }
)
