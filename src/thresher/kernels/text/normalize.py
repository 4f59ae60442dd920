"""Normalisation of texts before they are compared."""

import re
import string
from collections.abc import Callable, Sequence
from functools import partial
from types import MappingProxyType

from thresher.errors import InputError
from thresher.kernels.text.tokenize import unicode_words_or_signs

Normalize = Callable[[str], str]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NO_DIGITS = str.maketrans("", "", string.digits)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def squad(text: str) -> str:
    """SQuAD's normalisation: lower case, no ASCII punctuation, no English articles, single spaces.

    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016). Typographic quotes stay, and a
    text without spaces stays one token. It empties "A" and "?", which `normal_pair` compares in another form.

    >>> squad("The  Eiffel-Tower, in Paris!")
    'eiffeltower in paris'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def words(text: str) -> str:
    """The words of a text in any language, case-folded, with single spaces between them.

    Words are those of the `unicode` tokenizer: single characters in scripts without spaces, and the signs
    of a text without words.

    >>> words("Tour Eiffel, à 東京!")
    'tour eiffel à 東 京'
    """
    return " ".join(unicode_words_or_signs(text))


def as_is(text: str) -> str:
    """The text unchanged."""
    return text


NORMALIZATIONS: MappingProxyType[str, tuple[Normalize, ...]] = MappingProxyType(
    {
        "none": (as_is,),
        "squad": (
            squad,
            lambda text: " ".join(text.lower().translate(_NO_PUNCTUATION).split()),
            lambda text: " ".join(text.lower().split()),
        ),
        "unicode": (words,),
    }
)
"""Name -> forms of a text; each removes less than the one before, down to white space."""
EMPTIED_TEXTS = MappingProxyType(
    {name: {} if name == "none" else {"emptied_texts": "less_normalized"} for name in NORMALIZATIONS}
)
"""Name -> the setting that says in a signature that such pairs are compared in a later form."""


def normal_pair(prediction: str, reference: str, normalization: str) -> tuple[str, str]:
    """Normalise two texts in the first form that leaves something of both.

    SQuAD's rule leaves nothing of the multiple-choice answer "A", which is an article. Blank texts are empty
    in every form, so an answer that has text never matches the blank reference of a question without one.

    >>> normal_pair("the cat", "A cat!", "squad"), normal_pair("A", "a.", "squad")
    (('cat', 'cat'), ('a', 'a'))
    >>> normal_pair("?", "A", "squad"), normal_pair("the", "", "squad")
    (('?', 'a'), ('the', ''))
    """
    forms = NORMALIZATIONS[normalization]
    ours, theirs = forms[0](prediction), forms[0](reference)
    for form in forms[1:]:
        if (ours or not prediction.strip()) and (theirs or not reference.strip()):
            break
        ours, theirs = form(prediction), form(reference)
    return ours, theirs


def ignoring(
    regexes: Sequence[str] = (), *, case: bool = False, punctuation: bool = False, numbers: bool = False
) -> Normalize:
    """Return a function that removes from a text what a comparison should ignore.

    The order is that of Hugging Face's `exact_match`: regular expressions, case, ASCII punctuation, ASCII
    digits. Removed parts are not replaced by spaces.

    Raises:
        InputError: for an expression that does not compile, or a string instead of a list.

    >>> ignoring(["^Answer: "], case=True, punctuation=True)("Answer: It's 42.")
    'its 42'
    """
    if isinstance(regexes, str):
        raise InputError(f"regexes_to_ignore is a string, {regexes!r}; give a list of strings")
    patterns = tuple(_compiled(expression) for expression in regexes)
    return partial(_without, patterns=patterns, case=case, punctuation=punctuation, numbers=numbers)


def _without(
    text: str, *, patterns: Sequence[re.Pattern[str]], case: bool, punctuation: bool, numbers: bool
) -> str:
    for pattern in patterns:
        text = pattern.sub("", text)
    if case:
        text = text.lower()
    if punctuation:
        text = text.translate(_NO_PUNCTUATION)
    return text.translate(_NO_DIGITS) if numbers else text


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise InputError(f"{expression!r} is not a regular expression: {error}") from error
