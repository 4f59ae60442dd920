"""Arithmetic of comparisons of two answers, and the ranking that follows from many of them.

A vote says which of two answers is better, in the frame of the one who asked: 1 the first, 0 the second,
0.5 neither.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

WIN, TIE, LOSS = "win", "tie", "loss"
"""Statistics of a comparison: 1 in the one that became of the item, seen from the first system."""
PAIRED, CONSISTENT = "paired", "consistent"
"""Statistics: whether both orders were asked, and whether they agreed."""
CHOICES, CHOSE_SHOWN_FIRST = "choices", "chose_shown_first"
"""Statistics over both orders: votes that chose an answer, and those that chose the one shown first."""
ENTROPY = "entropy"
"""Statistic: how far an item's votes are divided, in nats."""

_ROUNDING = 1e-9
"""Means of the same scores in another order differ by less."""
_NEWTON_STEPS = 100
_LONGEST_STEP = 2.0
_PRECISION = 1e-10


def vote(first: float, second: float, margin: float = 0.0) -> float:
    """The vote that two scores amount to: a tie unless they differ by more than the margin.

    Source: JudgeLM's comparison of scores, with its threshold T as the margin.

    >>> vote(8, 7), vote(7, 8), vote(8, 7, margin=1)
    (1.0, 0.0, 0.5)
    """
    if abs(first - second) <= margin + _ROUNDING:
        return 0.5
    return 1.0 if first > second else 0.0


def consensus(votes: Sequence[float], tie_and_win: str = "win") -> float:
    """What the votes of both orders come to: their agreement, and a tie where they contradict each other.

    Source: LlamaIndex, `PairwiseComparisonEvaluator` with `enforce_consensus`, every outcome in the
    caller's frame.

    Args:
        votes: one for each order, in the frame of the caller; one alone stands for itself.
        tie_and_win: what a tie in one order and a win in the other come to: the `win`, or a `tie`.

    >>> consensus([1, 1]), consensus([1, 0]), consensus([0.5, 0]), consensus([0.5, 0], tie_and_win="tie")
    (1.0, 0.5, 0.0, 0.5)
    """
    decided = {float(each) for each in votes if each != 0.5}  # noqa: PLR2004  (the vote for neither)
    if len(decided) != 1 or (tie_and_win == "tie" and any(each not in decided for each in votes)):
        return 0.5
    return decided.pop()


def calibrated(scores: npt.ArrayLike) -> tuple[float, float]:
    """Each answer's mean score over all samples of both orders, which cancels a bonus for a position.

    Source: Wang et al. 2023, "Large Language Models are not Fair Evaluators", balanced position calibration.

    Args:
        scores: one row for each sample: the first answer's score and the second's, in the caller's frame.

    >>> calibrated([[9, 8], [8, 9]])
    (8.5, 8.5)
    """
    first, second = np.asarray(scores, np.float64).mean(axis=0).tolist()
    return first, second


def vote_entropy(votes: Sequence[float]) -> float:
    """How far the votes on one item are divided among win, tie and loss, in nats: 0 to log 3.

    Source: the same, balanced position diversity entropy; the items highest in it go to a human first.

    >>> vote_entropy([1, 1, 1]), round(vote_entropy([1, 0]), 4)
    (0.0, 0.6931)
    """
    counts = [list(votes).count(value) for value in (1.0, 0.5, 0.0)]
    shares = [count / len(votes) for count in counts if count]
    return abs(-sum(share * math.log(share) for share in shares))


def most_divided(entropy: npt.ArrayLike, share: float = 0.2) -> list[int]:
    """Positions of the share of items whose votes are most divided, most divided first.

    Items on which all votes agree are never among them; those without a number do not count.

    >>> most_divided([0.0, 0.69, 1.05, float("nan")], share=0.5)
    [2, 1]
    """
    known = np.asarray(entropy, np.float64)
    number = math.ceil(share * np.count_nonzero(~np.isnan(known)))
    divided = np.nan_to_num(known, nan=0.0)
    order = np.argsort(-divided, kind="stable")[:number]
    return [int(item) for item in order if divided[item] > 0]


def bradley_terry(wins: npt.ArrayLike, prior: float = 1.0) -> Floats:
    """Strengths under which the odds of a beating b are exp(strength a - strength b).

    Source: Bradley and Terry 1952, "Rank Analysis of Incomplete Block Designs"; the maximum is found by
    Newton's method. A tie counts as half a win for both.

    Args:
        wins: (..., n, n), how often the row's system beat the column's; leading axes are separate tables.
        prior: ties added to every pair that was compared in any of the tables; they keep the strength of a
            system that won or lost everything finite. 0 gives the maximum likelihood where it exists.

    Returns:
        (..., n), with mean 0; NaN for all where there is no maximum: some were never compared with the
        others, not even through third ones, or (without a prior) won or lost all of it.

    >>> (bradley_terry([[0, 3], [1, 0]], prior=0) * 2 / math.log(3)).round(6).tolist()
    [1.0, -1.0]
    """
    table = np.asarray(wins, np.float64)
    systems = table.shape[-1]
    flat = table.reshape(-1, systems, systems)
    compared = (flat + flat.transpose(0, 2, 1)).sum(axis=0) > 0
    flat = flat + prior / 2 * (compared & ~np.eye(systems, dtype=np.bool_))
    strengths = np.full(flat.shape[:-1], np.nan)
    found = _has_maximum(flat)
    strengths[found] = _maximum(flat[found])
    return strengths.reshape(table.shape[:-1])


def _maximum(wins: Floats) -> Floats:
    """The strengths of each table; NaN should Newton's method not arrive."""
    met = wins + wins.transpose(0, 2, 1)
    strengths = np.zeros(wins.shape[:-1])
    longest = np.full(len(wins), np.inf)
    for _ in range(_NEWTON_STEPS):
        step = _newton_step(wins, met, strengths)
        longest = np.abs(step).max(axis=1, initial=0.0)
        strengths += step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))[:, None]
        if (longest < _PRECISION).all():
            break
    strengths[longest >= _PRECISION] = np.nan
    return strengths


def _newton_step(wins: Floats, met: Floats, strengths: Floats) -> Floats:
    """Gradient over curvature; the mean is held at 0 by a constant added to the singular curvature."""
    chance = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
    gradient = (wins - met * chance).sum(axis=2)
    weights = met * chance * (1 - chance)
    curvature = np.eye(wins.shape[1]) * weights.sum(axis=2)[:, :, None] - weights + 1.0
    return np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], np.float64)


def _has_maximum(wins: Floats) -> npt.NDArray[np.bool_]:
    """Whether wins lead from every system to every other one (Ford 1957), per table."""
    reach = (wins > 0) | np.eye(wins.shape[1], dtype=np.bool_)
    for _ in range(wins.shape[1].bit_length()):
        reach = np.matmul(reach.astype(np.float64), reach) > 0
    return np.asarray(reach.all(axis=(1, 2)))


def expected_win_rates(strengths: npt.ArrayLike) -> Floats:
    """Each system's chance to win against one of the others drawn at random.

    Args:
        strengths: (..., n), as `bradley_terry` gives them.

    >>> expected_win_rates([0.0, 0.0, 0.0]).tolist()
    [0.5, 0.5, 0.5]
    """
    strength = np.asarray(strengths, np.float64)
    chance = 1 / (1 + np.exp(strength[..., None, :] - strength[..., :, None]))
    return np.asarray((chance.sum(axis=-1) - 0.5) / (strength.shape[-1] - 1))
