"""Text metrics of Thresher and of common packages: time, ratio and largest difference.

Run `python benchmarks/text.py [--pairs 10000]`. A peer that is not installed is left out of the table
(`pip install --group bench` installs them).
"""

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from text_pairs import text_pairs

from thresher.kernels.text.bleu import bleu_counts, sentence_bleu
from thresher.kernels.text.chrf import chrf, ngram_counts
from thresher.kernels.text.rouge import rouge

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
WEIGHTS = (0.25, 0.25, 0.25, 0.25)
Scores = npt.NDArray[np.float64]


class Contest(NamedTuple):
    """One row of the table: both sides return the same array of scores."""

    name: str
    peer: Callable[[], Scores]
    ours: Callable[[], Scores]


def contests(n_pairs: int) -> Iterator[Contest]:
    """Yield every row of the table."""
    for method in range(5):
        yield bleu_contest(n_pairs, 60, method=method)
    yield bleu_contest(n_pairs, 60, n_references=3)
    yield bleu_contest(n_pairs, 300)
    if is_installed("sacrebleu"):
        for word_order in (0, 2):
            yield chrf_contest(n_pairs, 60, word_order)
    if is_installed("rouge_score"):
        for use_stemmer in (False, True):
            yield rouge_contest(n_pairs, 60, use_stemmer=use_stemmer)
        yield rouge_contest(n_pairs, 300, use_stemmer=False)


def is_installed(peer: str) -> bool:
    """Return whether a peer is installed; print a message if it is not."""
    installed = importlib.util.find_spec(peer) is not None
    if not installed:
        print(f"{peer} is not installed: left out", flush=True)
    return installed


def rouge_contest(n_pairs: int, n_words: int, *, use_stemmer: bool) -> Contest:
    """ROUGE-1, -2, -L and -Lsum; precision, recall and F-measure of each."""
    predictions, references = text_pairs(n_pairs, n_words)

    def peer() -> Scores:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(TYPES, use_stemmer)
        scores = [scorer.score(*pair) for pair in zip(references, predictions, strict=True)]
        return np.array([[score[name] for score in scores] for name in TYPES])

    def ours() -> Scores:
        scores = rouge(predictions, references, TYPES, use_stemmer=use_stemmer)
        return np.array([np.stack(scores[name], axis=1) for name in TYPES])

    stemmed = ", stemmed" if use_stemmer else ""
    return Contest(f"rouge-score, {n_words} words{stemmed}", peer, ours)


def bleu_contest(n_pairs: int, n_words: int, *, method: int = 0, n_references: int = 1) -> Contest:
    """BLEU-4 of each item, from tokens on both sides."""
    predictions, texts = text_pairs(n_pairs, n_words)
    tokens = [text.split() for text in texts]
    references = [
        [tokens[(item + 7 * nth) % n_pairs] for nth in range(n_references)] for item in range(n_pairs)
    ]
    candidates = [text.split() for text in predictions]

    def peer() -> Scores:
        smooth = getattr(SmoothingFunction(), f"method{method}")
        pairs = zip(references, candidates, strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array([nltk_sentence_bleu(*pair, WEIGHTS, smooth) for pair in pairs], dtype=np.float64)

    def ours() -> Scores:
        return sentence_bleu(bleu_counts(candidates, references, len(WEIGHTS)), WEIGHTS, method)

    told = f", {n_references} references" if n_references > 1 else ""
    return Contest(f"nltk BLEU method {method}, {n_words} words{told}", peer, ours)


def chrf_contest(n_pairs: int, n_words: int, word_order: int) -> Contest:
    """chrF, or with words chrF++, of each item."""
    predictions, references = text_pairs(n_pairs, n_words)

    def peer() -> Scores:
        from sacrebleu import CHRF

        scorer = CHRF(word_order=word_order)
        pairs = zip(predictions, references, strict=True)
        return np.array([scorer.sentence_score(ours, [theirs]).score for ours, theirs in pairs])

    def ours() -> Scores:
        return 100 * chrf(ngram_counts(predictions, references, word_order=word_order))

    return Contest(f"sacrebleu chrF{'++' if word_order else ''}, {n_words} words", peer, ours)


def timed(run: Callable[[], Scores]) -> tuple[float, Scores]:
    """Return the seconds of one call, and its result."""
    start = time.perf_counter()
    scores = run()
    return time.perf_counter() - start, scores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of texts per row (default: 1000)")
    n_pairs = parser.parse_args().pairs
    print(f"{'peer':<42}{'peer s':>9}{'ours s':>9}{'ratio':>8}  largest difference ({n_pairs} pairs)")
    for contest in contests(n_pairs):
        contest.ours()  # once to warm up: imports, caches
        ours, our_scores = timed(contest.ours)
        peer, peer_scores = timed(contest.peer)
        difference = np.abs(our_scores - peer_scores).max()
        print(f"{contest.name:<42}{peer:>9.2f}{ours:>9.3f}{peer / ours:>7.1f}x  {difference:g}", flush=True)


if __name__ == "__main__":
    main()
