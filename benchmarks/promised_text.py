"""Rows of promised bounds: text metrics."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

import text
from promised import Row, Side, number

COMMAND = "python benchmarks/promises.py --only text"
SLOW_PAIRS = 500
"""Pairs for rouge-score, which takes minutes for thousands."""
SQUAD = "SQuAD's metrics in plain Python"


class Compared(NamedTuple):
    """A row: what is computed, the peer, how many pairs, how many times as fast, and how to measure it."""

    name: str
    peer: str
    pairs: int
    times: float
    make: Callable[[int], text.Contest]


def rows(pairs: int) -> list[Row]:
    """Compare with each text package: processor seconds of one thread, the median of calls for a second."""
    with _one_thread():
        return [_row(compared) for compared in (*_rouge(pairs), *_others(max(pairs // 5, 1)))]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Set the variables of one thread, and restore them: other rows are measured with all threads."""
    names = ("THRESHER_THREADS", "RAYON_NUM_THREADS")
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]
        os.environ.update(before)


def _rouge(pairs: int) -> Iterator[Compared]:
    for package, number_of_pairs in (("rouge-score-rs", pairs), ("rouge-score", min(pairs, SLOW_PAIRS))):
        for words in (60, 300):
            for stemmed in (False, True):
                options = {"use_stemmer": stemmed, "package": package.replace("-", "_")}
                name = f"ROUGE-1, -2, -L and -Lsum, {words} words{', stemmed' if stemmed else ''}"
                make = partial(text.rouge_contest, n_words=words, **options)
                yield Compared(name, package, number_of_pairs, 1, make)


def _others(pairs: int) -> Iterator[Compared]:
    for words in (60, 300):
        of_words = f"{words} words"
        bleu = partial(text.bleu_contest, n_words=words, from_texts=True)
        yield Compared(f"BLEU, {of_words}", "nltk", pairs, 20, bleu)
        of_sacrebleu = partial(text.sacrebleu_contest, n_words=words)
        yield Compared(f"BLEU 13a, {of_words}", "sacrebleu", pairs, 20, of_sacrebleu)
        chrf = partial(text.chrf_contest, n_words=words, word_order=0)
        yield Compared(f"chrF, {of_words}", "sacrebleu", pairs, 20, chrf)
        squad = partial(text.squad_contest, n_words=words)
        yield Compared(f"Token F1 and exact match, {of_words}", SQUAD, pairs, 20, squad)
    yield Compared("chrF, 60 words", "fastchrf", pairs, 1, partial(text.fastchrf_contest, n_words=60))


def _row(compared: Compared) -> Row:
    name = f"{compared.name}, {compared.pairs:,} pairs"
    if compared.peer != SQUAD and find_spec(compared.peer.replace("-", "_")) is None:
        ours, peer = Side("Thresher, one thread", None, "not measured"), Side(compared.peer, None)
        peer.missing = f"pip install {compared.peer}"
    else:
        ours, peer = _measured(compared)
    return Row(name, COMMAND, "s", ours, [peer], times={compared.peer: compared.times})


def _measured(compared: Compared) -> tuple[Side, Side]:
    contest = compared.make(compared.pairs)
    contest.ours()  # once to warm up: imports, caches
    taken, scores = text.timed(contest.ours)
    peer, theirs = text.timed(contest.peer)
    difference = abs(scores - theirs).max()
    same = "equal" if difference == 0 else f"largest difference {difference:.1g}"
    shown = compared.peer if compared.peer == SQUAD else f"{compared.peer} {text.version(compared.peer)}"
    note = f"{number(1e6 * taken / compared.pairs)} µs a pair"
    return Side("Thresher, one thread", taken, note), Side(shown, peer, same)
