"""The tokenizers of sacrebleu, by their names in its signatures."""

import re
from functools import cache
from types import MappingProxyType

import regex

from thresher.kernels.text.tokenize import (
    ENTITIES,
    MTEVAL_SPLITS,
    SPACED_SYMBOLS,
    Tokenizer,
    mteval_tokens,
    whitespace_tokens,
)

# sacrebleu gives the blocks beyond U+FFFF as '\u20000' and '\u2f800', which Python reads as U+2000 and
# U+2F80 followed by a digit; the ranges U+2001-2A6D and U+2F81-2FA1 are what its comparison then accepts.
_CHINESE = re.compile(
    "([\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1"
    "\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f"
    "\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u3200-\u33ff])"
)
_ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULL_WIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
_ASIAN_MARKS = re.compile(f"[{_ASIAN_PUNCTUATION}{_FULL_WIDTH_PUNCTUATION}]")
# Tercom's rules for runs of kana require one at the start of the text, where normalisation has put a space:
# they never apply, so kana are not split here either.
_ASIAN = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f\u3200-\u3f22"
    f"{_ASIAN_PUNCTUATION}{_FULL_WIDTH_PUNCTUATION}])"
)
_PUNCTUATION = re.compile(r"[.,?:;!\"()]")


def chinese_tokens(text: str) -> list[str]:
    """`zh`: each Chinese character is a token, other text is tokenised as by `13a`; entities stay.

    >>> chinese_tokens("我爱 Paris, 是的。")
    ['我', '爱', 'Paris', ',', '是', '的', '。']
    """
    return _split_western(_CHINESE.sub(r" \1 ", text.strip()))


def international_tokens(text: str) -> list[str]:
    """`intl` (mteval-v14): punctuation and symbols of any script are split off, but not inside numbers.

    >>> international_tokens("«Hé!» 1,5 km²")
    ['«', 'Hé', '!', '»', '1,5', 'km²']
    """
    text = text.rstrip()  # as sacrebleu: a period at the end stays with a number, one before a space does not
    for pattern, split in _international():
        text = pattern.sub(split, text)
    return text.split()


def characters(text: str) -> list[str]:
    """`char`: every character but white space.

    >>> characters("a b")
    ['a', 'b']
    """
    return list("".join(text.split()))


def tercom_tokens(text: str, *, normalized: bool, no_punct: bool, asian_support: bool) -> list[str]:
    """The words of TER, as of Tercom and sacrebleu; case is unchanged.

    Args:
        text: the text to tokenise.
        normalized: decode XML entities, split off punctuation and possessives.
        no_punct: remove the marks .,?:;!"().
        asian_support: with `normalized` split Chinese characters, with `no_punct` remove Asian marks.

    >>> tercom_tokens("It's 5%.", normalized=True, no_punct=False, asian_support=False)
    ['It', "'s", '5', '%', '.']
    >>> tercom_tokens("It's 5%.", normalized=False, no_punct=True, asian_support=False)
    ["It's", '5%']
    """
    if normalized and text:
        text = _normalized(text)
        text = _ASIAN.sub(r" \1 ", text) if asian_support else text
    if no_punct:
        text = _PUNCTUATION.sub("", text)
        text = _ASIAN_MARKS.sub("", text) if asian_support else text
    return text.split()


SACREBLEU_TOKENIZERS: MappingProxyType[str, Tokenizer] = MappingProxyType(
    {
        "13a": mteval_tokens,
        "intl": international_tokens,
        "zh": chinese_tokens,
        "char": characters,
        "whitespace": whitespace_tokens,
    }
)


def _normalized(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} ".translate(SPACED_SYMBOLS)
    text = re.sub(r"'s$", " 's", text.replace("'s ", " 's "))
    for pattern, split in MTEVAL_SPLITS:
        text = pattern.sub(split, text)
    return text


def _split_western(text: str) -> list[str]:
    text = text.translate(SPACED_SYMBOLS)
    for pattern, split in MTEVAL_SPLITS:
        text = pattern.sub(split, text)
    return text.split()


@cache
def _international() -> "tuple[tuple[regex.Pattern[str], str], ...]":
    return (
        (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
        (regex.compile(r"(\p{S})"), r" \1 "),
    )
