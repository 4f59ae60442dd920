"""Counts of text metrics by the native kernels; without the library the Python kernels count the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.normalize import normal_pair
from thresher.native.characters import CLASSES, character_classes
from thresher.native.kernel import Array, Kernel
from thresher.native.texts import DATA, OFFSETS, Texts, lowered
from thresher.native.threads import threads_for

Integers = npt.NDArray[np.int64]
Tokens = Sequence[str]

NATIVE_TOKENIZERS: Mapping[str, int] = MappingProxyType({"whitespace": 0, "valor": 1, "13a": 2, "char": 3})
"""Tokenizers of BLEU that the library has, and their numbers there."""
_SEPARATED = 5
_BYTES_PER_THREAD = 1 << 19
"""Bytes that make another thread worth its start (0.05 ms, what 50 kB of texts cost)."""
_PAIR = (DATA, OFFSETS, DATA, OFFSETS)
_COUNTS = Array("int64", written=True)

_squad_counts = Kernel("squad_counts", *_PAIR, CLASSES, int, _COUNTS)
_rouge_counts = Kernel("rouge_counts", *_PAIR, int, int, int, int, int, _COUNTS)
_bleu_counts = Kernel("bleu_counts", *_PAIR, Array("int64"), int, CLASSES, int, int, _COUNTS)
_chrf_counts = Kernel("chrf_counts", *_PAIR, int, int, int, CLASSES, int, _COUNTS)
_porter_stems = Kernel("porter_stems", Array("uint8", written=True), OFFSETS, _COUNTS)


def squad_counts(predictions: Sequence[str], references: Sequence[str]) -> Integers:
    """Tokens of pairs in SQuAD's normal form, as `normal_pair` gives it.

    The library knows the first form only; the few pairs with a text that it empties are counted here.

    Returns:
        Pairs x 4: shared tokens, tokens of the prediction, of the reference, 1 if the normal forms are equal.
    """
    ours, theirs = Texts(lowered(predictions)), Texts(lowered(references))
    counts = np.zeros((len(ours), 4), np.int64)
    classes = character_classes(ours, theirs)
    _squad_counts(*ours.columns, *theirs.columns, classes, _threads(ours, theirs), counts)
    counts_of: dict[tuple[str, str], tuple[int, int, int, bool]] = {}
    for row in np.flatnonzero((counts[:, 1] == 0) | (counts[:, 2] == 0)).tolist():
        pair = predictions[row], references[row]
        if pair not in counts_of:
            prediction, reference = (text.split() for text in normal_pair(*pair, "squad"))
            shared = (Counter(prediction) & Counter(reference)).total()
            counts_of[pair] = shared, len(prediction), len(reference), prediction == reference
        counts[row] = counts_of[pair]
    return counts


def rouge_counts(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    orders: int,
    subsequences: int,
    fold: bool = True,
    stem: bool = False,
) -> Integers:
    """Tokens of pairs, and what they share.

    Args:
        predictions: one text per pair.
        references: the other text of each pair.
        orders: the largest n of the n-grams.
        subsequences: 0 for none, 1 for the longest common one, 2 for the union of those of lines too.
        fold: whether texts are read as rouge-score does; else spaces separate their tokens.
        stem: whether tokens, which must be ASCII then, are stemmed.

    Returns:
        Pairs x (orders + 4): tokens of the prediction, of the reference, shared n-grams of each order,
        subsequence, union.
    """
    ours, theirs = Texts(predictions), Texts(references)
    counts = np.zeros((len(ours), orders + 4), np.int64)
    threads = _threads(ours, theirs)
    _rouge_counts(*ours.columns, *theirs.columns, fold, stem, orders, subsequences, threads, counts)
    return counts


def bleu_counts_of_texts(
    candidates: Sequence[str], references: Sequence[Sequence[str]], tokenizer: str, orders: int
) -> Integers:
    """Matches of each order, length, and closest reference length: items x (orders + 2).

    Args:
        candidates: one text per item.
        references: the references of each item, at least one.
        tokenizer: a name of `NATIVE_TOKENIZERS`.
        orders: the largest n of the n-grams.
    """
    theirs = Texts([*chain.from_iterable(references)])
    return _bleu_counts_of(Texts(candidates), theirs, references, NATIVE_TOKENIZERS[tokenizer], orders)


def bleu_counts_of_tokens(
    candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]], orders: int
) -> Integers | None:
    """`bleu_counts_of_texts` of tokenized texts; None if zero characters cannot separate the tokens."""
    ours, theirs = _joined(candidates), _joined([*chain.from_iterable(references)])
    if ours is None or theirs is None:
        return None
    return _bleu_counts_of(ours, theirs, references, _SEPARATED, orders)


def _bleu_counts_of(
    ours: Texts, theirs: Texts, references: Sequence[Sequence[object]], tokenization: int, orders: int
) -> Integers:
    counts = np.zeros((len(ours), orders + 2), np.int64)
    firsts = np.fromiter(accumulate(map(len, references), initial=0), np.int64)
    settings = tokenization, character_classes(ours, theirs), orders, _threads(ours, theirs)
    _bleu_counts(*ours.columns, *theirs.columns, firsts, *settings, counts)
    return counts


def _joined(texts: Sequence[Tokens]) -> Texts | None:
    """The tokens of each text joined by zero characters; None if that is ambiguous."""
    joined = Texts(["\0".join(tokens) for tokens in texts])
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    separators = int(np.count_nonzero(joined.data == 0))  # no other character has this byte
    is_empty = np.diff(joined.offsets) == 0
    if separators != np.maximum(sizes - 1, 0).sum() or bool(sizes[is_empty].any()):
        return None
    return joined


def chrf_counts(
    predictions: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    *,
    whitespace: bool,
) -> tuple[Integers, Integers]:
    """N-grams that pairs share: pairs x (char_order + word_order), characters first, then words.

    Returns:
        These, and pairs x 4: characters of the prediction, of the reference, words of both.
    """
    ours, theirs = Texts(predictions), Texts(references)
    orders = char_order + word_order
    counts = np.zeros((len(ours), orders + 4), np.int64)
    settings = char_order, word_order, whitespace, character_classes(), _threads(ours, theirs)
    _chrf_counts(*ours.columns, *theirs.columns, *settings, counts)
    return counts[:, :orders], counts[:, orders:]


def porter_stems(words: Sequence[str]) -> list[str]:
    """Stems of ASCII words in lower case."""
    column = Texts(words)
    data, sizes = column.data.copy(), np.zeros(len(words), np.int64)
    _porter_stems(data, column.offsets, sizes)
    stems = data.tobytes().decode("ascii")
    begins = column.offsets[:-1].tolist()
    return [stems[begin : begin + size] for begin, size in zip(begins, sizes.tolist(), strict=True)]


def _threads(*columns: Texts) -> int:
    return threads_for(sum(len(texts.data) for texts in columns), _BYTES_PER_THREAD)
