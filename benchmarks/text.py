"""Text metrics beside the packages that people use for them: time, ratio and largest difference, in one run.

Run `python benchmarks/text.py [--pairs 10000]`; peers must be installed (`pip install --group bench`).
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rouge_score.rouge_scorer import RougeScorer
from text_pairs import text_pairs

from thresher.kernels.text.rouge import rouge

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
Scores = npt.NDArray[np.float64]


class Contest(NamedTuple):
    """One row: both sides give the same array of scores."""

    name: str
    peer: Callable[[], Scores]
    ours: Callable[[], Scores]


def rouge_contest(n_pairs: int, n_words: int, *, use_stemmer: bool) -> Contest:
    """ROUGE-1, -2, -L and -Lsum; precision, recall and F-measure of each."""
    predictions, references = text_pairs(n_pairs, n_words)

    def peer() -> Scores:
        scorer = RougeScorer(TYPES, use_stemmer)
        scores = [scorer.score(*pair) for pair in zip(references, predictions, strict=True)]
        return np.array([[score[name] for score in scores] for name in TYPES])

    def ours() -> Scores:
        scores = rouge(predictions, references, TYPES, use_stemmer=use_stemmer)
        return np.array([np.stack(scores[name], axis=1) for name in TYPES])

    stemmed = ", stemmed" if use_stemmer else ""
    return Contest(f"rouge-score, {n_words} words{stemmed}", peer, ours)


def contests(n_pairs: int) -> Iterator[Contest]:
    """Every row of the table, made one after the other."""
    yield rouge_contest(n_pairs, 60, use_stemmer=False)
    yield rouge_contest(n_pairs, 60, use_stemmer=True)
    yield rouge_contest(n_pairs, 300, use_stemmer=False)


def timed(run: Callable[[], Scores]) -> tuple[float, Scores]:
    """Seconds that one call takes, and what it returns."""
    start = time.perf_counter()
    scores = run()
    return time.perf_counter() - start, scores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of texts per row (default: 1000)")
    n_pairs = parser.parse_args().pairs
    print(f"{'peer':<34}{'peer s':>9}{'ours s':>9}{'ratio':>8}  largest difference ({n_pairs} pairs)")
    for contest in contests(n_pairs):
        contest.ours()  # once to warm up: imports, caches
        ours, our_scores = timed(contest.ours)
        peer, peer_scores = timed(contest.peer)
        difference = np.abs(our_scores - peer_scores).max()
        print(f"{contest.name:<34}{peer:>9.2f}{ours:>9.3f}{peer / ours:>7.1f}x  {difference:g}")


if __name__ == "__main__":
    main()
