"""What the items show about the order of runs: which may be the best, and which ranks are possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from thresher.kernels.inference import Verdict
from thresher.kernels.inference.many_systems import letters
from thresher.reports.leaderboards.differences import Family


@dataclass(frozen=True)
class Standing:
    """What the items show about the order of runs, per run.

    Attributes:
        possible: whether the run may be the best: no other is shown to be better.
        best_ranks: its best possible rank.
        worst_ranks: its worst possible rank.
        letters: runs that share a letter are not shown to differ.
    """

    possible: tuple[bool, ...]
    best_ranks: tuple[int, ...]
    worst_ranks: tuple[int, ...]
    letters: tuple[str, ...]

    @classmethod
    def of(cls, pairs: Family, order: Sequence[int]) -> "Standing":
        """Count the verdicts of all pairs, which hold together.

        Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks with Applications to Mobility
            across Neighbourhoods and Academic Achievement across Countries.

        Args:
            pairs: the differences of all pairs.
            order: the runs from the best to the worst value.
        """
        size = len(order)
        beaten = np.zeros((size, size), np.bool_)
        for first, second in combinations(range(size), 2):
            verdict = pairs.between(first, second).verdict
            beaten[first, second] = verdict == Verdict.BETTER
            beaten[second, first] = verdict == Verdict.WORSE
        lost, won = beaten.sum(axis=1).tolist(), beaten.sum(axis=0).tolist()
        return cls(
            tuple(not count for count in lost),
            tuple(1 + count for count in lost),
            tuple(size - count for count in won),
            tuple(letters(beaten | beaten.T, order)),
        )

    @classmethod
    def unknown(cls, runs: int) -> "Standing":
        """Nothing is shown: each run may be the best."""
        return cls((True,) * runs, (1,) * runs, (runs,) * runs, ("a",) * runs)
