"""Interning: every distinct token becomes one character, so that a text becomes a short `str`.

numpy reads such strings without a loop (`as_arrays`), and rapidfuzz is fastest on them. Texts are processed
in blocks, to bound memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.text.tokenize import LINE_END

Integers = npt.NDArray[np.int64]

_SURROGATES = 0xD800, 0xE000
_FIRST, _LAST = 0x20, 0x10FFFF
BLOCK_CHARACTERS = 1 << 18
"""About how many characters are processed at once.

Four types of ROUGE of 4,000 pairs of 60 words take 0.25 s of the processor; with blocks of a quarter 0.31 s,
of four times 0.32 s (pairs of `benchmarks/text.py`).
"""
_LARGE_VOCABULARY = 1 << 18
"""Tokens; Unicode has 1.1 million characters, and a block adds far fewer than the rest."""


class Vocabulary(dict[str, str]):
    """Token -> its character, growing as tokens are looked up.

    Args:
        stem: maps a token to its stem; tokens of one stem share a character. None: no stemming.

    Raises:
        InputError: for more than 1,112,032 distinct tokens, all that Unicode has room for.

    >>> Vocabulary().encode(["to", "be", "or", "not", "to", "be"])
    ' !"# !'
    """

    __slots__ = ("_of_stem", "_stem")

    def __init__(self, stem: Callable[[str], str] | None = None) -> None:
        super().__init__()
        self._stem = stem
        self._of_stem: dict[str, str] = {}

    def __missing__(self, token: str) -> str:
        stem = token if self._stem is None else self._stem(token)
        character = self._of_stem.get(stem)
        if character is None:
            character = self._of_stem[stem] = _character(len(self._of_stem))
        self[token] = character
        return character

    def encode(self, tokens: Iterable[str]) -> str:
        """The tokens as one string, one character per token."""
        return "".join(map(self.__getitem__, tokens))

    def renewed(self) -> "Vocabulary":
        """This vocabulary, or an empty one if it is too large for another block of texts."""
        return self if len(self) < _LARGE_VOCABULARY else Vocabulary(self._stem)


def interned_lines(
    texts: Sequence[str], tokenize: Callable[[str], list[str]], vocabulary: Vocabulary
) -> list[list[str]]:
    r"""Intern the lines of each text.

    Args:
        texts: texts; a line feed ends a line.
        tokenize: returns `LINE_END` for a line feed.
        vocabulary: receives the tokens.

    >>> from thresher.kernels.text.tokenize import rouge_score_tokens
    >>> interned_lines(["to be", "or not\nto be"], rouge_score_tokens, Vocabulary())
    [[' !'], ['"#', ' !']]
    """
    # Tokenizing all distinct texts as one is several times faster than text by text.
    distinct = list(dict.fromkeys(texts))
    vocabulary[LINE_END] = "\n"
    lines = vocabulary.encode(tokenize("\n".join(distinct))).split("\n")
    ends = list(accumulate(text.count("\n") + 1 for text in distinct))
    of_text = {text: lines[start:end] for text, start, end in zip(distinct, [0, *ends], ends, strict=False)}
    return [of_text[text] for text in texts]


def spaced_tokens(
    texts: Sequence[str], tokenize: Callable[[str], list[str]], stem: Callable[[str], str] | None = None
) -> list[str]:
    r"""Texts whose tokens, or their stems, are separated by spaces; lines stay.

    >>> from thresher.kernels.text.tokenize import unicode_tokens
    >>> spaced_tokens(["Über-all\nuns", ""], unicode_tokens)
    ['über all\nuns', '']
    """
    tokens = tokenize("\n".join(texts))
    if stem is not None:
        stems = {token: stem(token) for token in set(tokens)}
        tokens = [stems[token] for token in tokens]
    lines = [line.strip(" ") for line in " ".join(tokens).split(LINE_END)]
    ends = list(accumulate(text.count("\n") + 1 for text in texts))
    return ["\n".join(lines[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def as_arrays(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """Code points of the concatenated texts, and the length of each text.

    >>> codes, lengths = as_arrays(["ab", "", "c"])
    >>> codes.tolist(), lengths.tolist()
    ([97, 98, 99], [2, 0, 1])
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes.astype(np.int64), lengths


def as_texts(codes: Integers, lengths: Integers) -> list[str]:
    """The inverse of `as_arrays`.

    >>> as_texts(np.array([97, 98, 99]), np.array([2, 0, 1]))
    ['ab', '', 'c']
    """
    whole = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    ends = np.cumsum(lengths).tolist()
    return [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def blocks(sizes: npt.ArrayLike, budget: int) -> Iterator[slice]:
    """Yield consecutive slices whose sizes sum to at most `budget`; larger entries are slices by themselves.

    >>> [(part.start, part.stop) for part in blocks([4, 4, 4, 20, 1], budget=10)]
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    before = np.concatenate(([0], np.cumsum(sizes)))
    start, last = 0, len(before) - 1
    while start < last:
        stop = int(np.searchsorted(before, before[start] + budget, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def text_blocks(*columns: Sequence[str], budget: int | None = None) -> Iterator[slice]:
    """Yield blocks of parallel lists of texts with about `BLOCK_CHARACTERS` characters each."""
    sizes = [sum(map(len, texts)) for texts in zip(*columns, strict=True)]
    yield from blocks(sizes, budget or BLOCK_CHARACTERS)


def _character(number: int) -> str:
    first, end = _SURROGATES
    code = number + _FIRST
    if code >= first:
        code += end - first
    if code > _LAST:
        raise InputError(
            f"a text has more than {counted(number, 'distinct token')}; split it into several items"
        )
    return chr(code)
