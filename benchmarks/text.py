"""Text metrics of Thresher and of common packages: processor seconds, ratio and largest difference.

Run `python benchmarks/text.py [--pairs 10000] [--threads 2]`; `THRESHER_KERNELS=numpy` measures the kernels
of Python. Seconds are those of all threads. A peer that is not installed is left out of the table
(`pip install --group bench` installs them).
"""

import argparse
import importlib.util
import os
import re
import statistics
import string
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from text_pairs import text_pairs

from thresher.kernels.text.bleu import bleu_counts, bleu_counts_of_texts, sentence_bleu
from thresher.kernels.text.chrf import chrf, ngram_counts
from thresher.kernels.text.rouge import rouge
from thresher.kernels.text.sacrebleu import SacrebleuFormula, sacrebleu_sentences
from thresher.kernels.text.squad_pairs import SquadPairs
from thresher.kernels.text.tokenize import mteval_tokens, valor_tokens
from thresher.native.library import kernels_in_use

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
PUNCTUATION = frozenset(string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
WEIGHTS = (0.25, 0.25, 0.25, 0.25)
PEERS = ("nltk", "sacrebleu", "rouge-score", "rouge-score-rs", "fastchrf")
Scores = npt.NDArray[np.float64]
SECONDS_OF_CALLS = 1.0
"""Processor seconds for which a side is called again."""


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
    for n_words in (60, 300):
        yield bleu_contest(n_pairs, n_words, from_texts=True)
        yield squad_contest(n_pairs, n_words)
    yield bleu_contest(n_pairs, 300)
    if is_installed("sacrebleu"):
        yield from (sacrebleu_contest(n_pairs, n_words) for n_words in (60, 300))
        yield from (chrf_contest(n_pairs, 60, word_order) for word_order in (0, 2))
    if is_installed("fastchrf"):
        yield fastchrf_contest(n_pairs, 60)
    for package in ("rouge_score", "rouge_score_rs"):
        if is_installed(package):
            yield from rouge_contests(n_pairs, package)


def rouge_contests(n_pairs: int, package: str) -> Iterator[Contest]:
    """Yield the rows of ROUGE against one package."""
    for use_stemmer in (False, True):
        yield rouge_contest(n_pairs, 60, use_stemmer=use_stemmer, package=package)
    yield rouge_contest(n_pairs, 300, use_stemmer=False, package=package)
    if package == "rouge_score_rs":  # rouge-score would take minutes
        yield rouge_contest(n_pairs, 300, use_stemmer=True, package=package)


def is_installed(peer: str) -> bool:
    """Return whether a peer is installed; print a message if it is not."""
    installed = importlib.util.find_spec(peer) is not None
    if not installed:
        print(f"{peer} is not installed: left out", flush=True)
    return installed


def rouge_contest(n_pairs: int, n_words: int, *, use_stemmer: bool, package: str) -> Contest:
    """ROUGE-1, -2, -L and -Lsum; precision, recall and F-measure of each."""
    predictions, references = text_pairs(n_pairs, n_words)

    def peer() -> Scores:
        if package == "rouge_score_rs":
            from rouge_score_rs import RougeScorer as BatchScorer

            scores = BatchScorer(TYPES, use_stemmer=use_stemmer).score_batch(references, predictions)
            rows = [
                [(of.precision, of.recall, of.fmeasure) for of in map(score.get, TYPES)] for score in scores
            ]
            return np.array(rows).swapaxes(0, 1)
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(TYPES, use_stemmer)
        scores = [scorer.score(*pair) for pair in zip(references, predictions, strict=True)]
        return np.array([[score[name] for score in scores] for name in TYPES])

    def ours() -> Scores:
        scores = rouge(predictions, references, TYPES, use_stemmer=use_stemmer)
        return np.array([np.stack(scores[name], axis=1) for name in TYPES])

    stemmed = ", stemmed" if use_stemmer else ""
    return Contest(f"{package.replace('_', '-')}, {n_words} words{stemmed}", peer, ours)


def squad_contest(n_pairs: int, n_words: int) -> Contest:
    """Token F1 and exact match of each item, against the same in plain Python, a pair and a metric at a time.

    As in SQuAD's evaluation script, each metric normalises its texts for itself, a character at a time.
    """
    predictions, references = text_pairs(n_pairs, n_words)

    def f1(prediction: str, reference: str) -> float:
        ours, theirs = squad_words(prediction), squad_words(reference)
        shared = (Counter(ours) & Counter(theirs)).total()
        if not shared:
            return 0.0
        precision, recall = shared / len(ours), shared / len(theirs)
        return 2 * precision * recall / (precision + recall)

    def peer() -> Scores:
        pairs = [*zip(predictions, references, strict=True)]
        exact = [float(squad_words(prediction) == squad_words(reference)) for prediction, reference in pairs]
        return np.array([[f1(*pair) for pair in pairs], exact])

    def ours() -> Scores:
        pairs = SquadPairs(predictions, references)
        return np.array([pairs.tokens().f1(), pairs.matches()])

    return Contest(f"SQuAD's F1 and EM, plain Python, {n_words} words", peer, ours)


def squad_words(text: str) -> list[str]:
    """Words of a text in lower case, without ASCII punctuation and English articles."""
    letters = "".join(character for character in text.lower() if character not in PUNCTUATION)
    return ARTICLES.sub(" ", letters).split()


def sacrebleu_contest(n_pairs: int, n_words: int) -> Contest:
    """Sacrebleu's sentence BLEU with its tokenizer 13a, from texts."""
    predictions, references = text_pairs(n_pairs, n_words)
    groups = [[text] for text in references]

    def peer() -> Scores:
        from sacrebleu import BLEU

        scorer = BLEU(effective_order=True)
        pairs = zip(predictions, groups, strict=True)
        return np.array([scorer.sentence_score(text, texts).score / 100 for text, texts in pairs])

    def ours() -> Scores:
        counts = bleu_counts_of_texts(predictions, groups, len(WEIGHTS), "13a", mteval_tokens)
        return sacrebleu_sentences(counts, SacrebleuFormula("exp", None, effective_order=True))

    return Contest(f"sacrebleu BLEU 13a, {n_words} words", peer, ours)


def bleu_contest(
    n_pairs: int, n_words: int, *, method: int = 0, n_references: int = 1, from_texts: bool = False
) -> Contest:
    """BLEU-4 of each item, from tokens on both sides, or from texts by Valor's tokenizer."""
    predictions, texts = text_pairs(n_pairs, n_words)
    groups = [[texts[(item + 7 * nth) % n_pairs] for nth in range(n_references)] for item in range(n_pairs)]
    tokenize = valor_tokens if from_texts else str.split
    candidates = [tokenize(text) for text in predictions]
    references = [[tokenize(text) for text in group] for group in groups]

    def peer() -> Scores:
        smooth = getattr(SmoothingFunction(), f"method{method}")
        pairs = zip(references, candidates, strict=True)
        if from_texts:
            tokenized = ([tokenize(text) for text in group] for group in groups)
            pairs = zip(tokenized, map(tokenize, predictions), strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array([nltk_sentence_bleu(*pair, WEIGHTS, smooth) for pair in pairs], dtype=np.float64)

    def ours() -> Scores:
        if from_texts:
            counts = bleu_counts_of_texts(predictions, groups, len(WEIGHTS), "valor", tokenize)
        else:
            counts = bleu_counts(candidates, references, len(WEIGHTS))
        return sentence_bleu(counts, WEIGHTS, method)

    several = f", {n_references} references" if n_references > 1 else ""
    source = ", from texts" if from_texts else ""
    return Contest(f"nltk BLEU method {method}, {n_words} words{several}{source}", peer, ours)


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


def fastchrf_contest(n_pairs: int, n_words: int) -> Contest:
    """ChrF of each item by fastchrf, pair by pair because it compares whole groups of texts."""
    predictions, references = text_pairs(n_pairs, n_words)

    def peer() -> Scores:
        import fastchrf

        groups = [[text] for text in predictions], [[text] for text in references]
        return np.array(fastchrf.pairwise_chrf(*groups)).reshape(-1)

    def ours() -> Scores:
        return 100 * chrf(ngram_counts(predictions, references))

    return Contest(f"fastchrf chrF, {n_words} words", peer, ours)


def timed(run: Callable[[], Scores]) -> tuple[float, Scores]:
    """Return the median processor seconds, of all threads, of calls for a second, and their result."""
    # Another program disturbs calls of milliseconds together: three calls were a third too slow.
    taken, scores = _one_call(run)
    calls = [taken]
    while sum(calls) < SECONDS_OF_CALLS:
        taken, scores = _one_call(run)
        calls.append(taken)
    return statistics.median(calls), scores


def _one_call(run: Callable[[], Scores]) -> tuple[float, Scores]:
    start = time.process_time()
    scores = run()
    return time.process_time() - start, scores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of texts per row (default: 1000)")
    parser.add_argument("--threads", type=int, default=1, help="threads of both sides (default: 1)")
    chosen = parser.parse_args()
    # The peers in Rust read theirs when they are first called.
    os.environ["THRESHER_THREADS"] = os.environ["RAYON_NUM_THREADS"] = str(chosen.threads)
    installed = [name for name in PEERS if importlib.util.find_spec(name.replace("-", "_"))]
    versions = ", ".join(f"{name} {version(name)}" for name in installed)
    print(f"kernels: {kernels_in_use()}, threads: {chosen.threads}; {versions}")
    print(f"{'peer':<46}{'peer s':>9}{'ours s':>9}{'ratio':>8}  largest difference ({chosen.pairs} pairs)")
    for contest in contests(chosen.pairs):
        contest.ours()  # once to warm up: imports, caches
        ours, our_scores = timed(contest.ours)
        peer, peer_scores = timed(contest.peer)
        difference = np.abs(our_scores - peer_scores).max()
        print(f"{contest.name:<46}{peer:>9.2f}{ours:>9.3f}{peer / ours:>7.1f}x  {difference:g}", flush=True)


if __name__ == "__main__":
    main()
