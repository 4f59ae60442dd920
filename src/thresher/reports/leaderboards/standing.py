"""What the items show about the order of runs: which may be the best, and which ranks are possible."""

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.kernels.inference.many_systems import best_set, different_pairs, letters, rank_intervals
from thresher.reports.leaderboards.differences import Family


@dataclass(frozen=True)
class Standing:
    """What the items show about the order of runs, per run.

    Attributes:
        possible: whether the run may be the best.
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
        """Compute what all pairs show.

        The set of possible best runs needs one-sided bounds only, and is smaller than the set of runs without
        a shown difference to the best value. Two runs have the verdict of their comparison instead, so that
        the leaderboard says no more than `compare`.

        Args:
            pairs: the differences of all pairs.
            order: the runs from the best to the worst value.
        """
        if len(order) == 2:  # noqa: PLR2004
            return cls._of_two(pairs, order)
        scores, level = pairs.fair.scores, pairs.ordering.level(pairs.level)
        lowest, highest = rank_intervals(scores, pairs.rows)
        return cls(
            tuple(map(bool, best_set(scores, level=level).possible)),
            tuple(map(int, lowest)),
            tuple(map(int, highest)),
            tuple(letters(different_pairs(pairs.rows, len(order)), order)),
        )

    @classmethod
    def _of_two(cls, pairs: Family, order: Sequence[int]) -> "Standing":
        differ = pairs.between(order[0], order[1]).verdict == "worse"
        top = [run == order[0] for run in range(2)]
        return cls(
            tuple(first or not differ for first in top),
            tuple(2 if differ and not first else 1 for first in top),
            tuple(1 if differ and first else 2 for first in top),
            tuple("b" if differ and not first else "a" for first in top),
        )
