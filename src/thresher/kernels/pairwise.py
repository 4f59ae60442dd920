"""Arithmetic of pairwise comparisons of answers, and rankings of systems from many of them.

A vote for the better of two answers is 1 for the first, 0 for the second and 0.5 for a tie, in the caller's
order of the answers.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

WIN, TIE, LOSS = "win", "tie", "loss"
"""Statistics of a comparison: 1 for the outcome of the item, seen from the first system, else 0."""
PAIRED, CONSISTENT = "paired", "consistent"
"""Statistics: whether both orders were judged, and whether they agreed."""
CHOICES, CHOSE_SHOWN_FIRST = "choices", "chose_shown_first"
"""Statistics over both orders: votes that chose an answer, and those that chose the one shown first."""
ENTROPY = "entropy"
"""Statistic: entropy of an item's votes, in nats."""

_ROUNDING = 1e-9
"""Means of the same scores in another order differ by less than this."""
_NEWTON_STEPS = 100
"""At most 12 were needed in 2,000 random tables of 2 to 8 systems."""
_LONGEST_STEP = 2.0  # a full step may overshoot where one system has nearly always won
_PRECISION = 1e-10  # of a strength on the scale of log-odds, far below what a report prints


def vote(first: float, second: float, margin: float = 0.0) -> float:
    """The vote of two scores: a tie unless they differ by more than the margin.

    Source: JudgeLM's comparison of scores, with its threshold T as the margin.

    >>> vote(8, 7), vote(7, 8), vote(8, 7, margin=1)
    (1.0, 0.0, 0.5)
    """
    if abs(first - second) <= margin + _ROUNDING:
        return 0.5
    return 1.0 if first > second else 0.0


def consensus(votes: Sequence[float], tie_and_win: str = "win") -> float:
    """Combine the votes of both orders: their common winner, or a tie if they contradict each other.

    Source: LlamaIndex, `PairwiseComparisonEvaluator` with `enforce_consensus`, every outcome in the
    caller's frame.

    Args:
        votes: one for each order, in the caller's frame; a single vote is returned as it is.
        tie_and_win: result of a tie in one order and a win in the other: `win` or `tie`.

    >>> consensus([1, 1]), consensus([1, 0]), consensus([0.5, 0]), consensus([0.5, 0], tie_and_win="tie")
    (1.0, 0.5, 0.0, 0.5)
    """
    winners = {float(vote) for vote in votes if vote != 0.5}  # noqa: PLR2004  (a tie)
    if len(winners) != 1 or (tie_and_win == "tie" and any(vote not in winners for vote in votes)):
        return 0.5
    return winners.pop()


def calibrated(scores: npt.ArrayLike) -> tuple[float, float]:
    """Each answer's mean score over all samples of both orders, which cancels position bias.

    Source: Wang et al. 2023, "Large Language Models are not Fair Evaluators", balanced position calibration.

    Args:
        scores: one row per sample: the first answer's score and the second's, in the caller's frame.

    >>> calibrated([[9, 8], [8, 9]])
    (8.5, 8.5)
    """
    first, second = np.asarray(scores, np.float64).mean(axis=0).tolist()
    return first, second


def vote_entropy(votes: Sequence[float]) -> float:
    """Entropy of an item's votes over win, tie and loss, in nats: 0 to log 3.

    Source: the same, balanced position diversity entropy; items with the highest go to a human first.

    >>> vote_entropy([1, 1, 1]), round(vote_entropy([1, 0]), 4)
    (0.0, 0.6931)
    """
    counts = [list(votes).count(value) for value in (1.0, 0.5, 0.0)]
    shares = [count / len(votes) for count in counts if count]
    return abs(-sum(share * math.log(share) for share in shares))


def most_divided(entropy: npt.ArrayLike, share: float = 0.2) -> list[int]:
    """Positions of the items with the highest entropy of votes, a share of all items, highest first.

    Items on which all votes agree are never included; items with NaN do not count.

    >>> most_divided([0.0, 0.69, 1.05, float("nan")], share=0.5)
    [2, 1]
    """
    values = np.asarray(entropy, np.float64)
    number = math.ceil(share * np.count_nonzero(~np.isnan(values)))
    values = np.nan_to_num(values, nan=0.0)
    order = np.argsort(-values, kind="stable")[:number]
    return [int(item) for item in order if values[item] > 0]


def bradley_terry(wins: npt.ArrayLike, prior: float = 1.0) -> Floats:
    """Strengths under which the odds of a beating b are exp(strength a - strength b).

    Source: Bradley and Terry 1952, "Rank Analysis of Incomplete Block Designs"; the maximum is found by
    Newton's method. A tie counts as half a win for both.

    Args:
        wins: (..., n, n), how often the row's system beat the column's; leading axes are separate tables.
        prior: ties added to every pair that was compared in any of the tables; they keep the strength of a
            system that won or lost every comparison finite. 0 gives the maximum likelihood if it exists.

    Returns:
        (..., n), with mean 0; NaN for all systems if there is no maximum: some systems are not connected with
        the others by comparisons, or (without a prior) won or lost all of them.

    >>> (bradley_terry([[0, 3], [1, 0]], prior=0) * 2 / math.log(3)).round(6).tolist()
    [1.0, -1.0]
    """
    table = np.asarray(wins, np.float64)
    systems = table.shape[-1]
    flat = table.reshape(-1, systems, systems)
    compared = (flat + flat.transpose(0, 2, 1)).sum(axis=0) > 0
    flat = flat + prior / 2 * (compared & ~np.eye(systems, dtype=np.bool_))
    strengths = np.full(flat.shape[:-1], np.nan)
    solvable = _has_maximum(flat)
    strengths[solvable] = _maximum(flat[solvable])
    return strengths.reshape(table.shape[:-1])


def _maximum(wins: Floats) -> Floats:
    """The strengths of each table; NaN if Newton's method does not converge."""
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
    """Gradient over curvature; adding a constant to the singular curvature fixes the mean at 0."""
    chance = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
    gradient = (wins - met * chance).sum(axis=2)
    weights = met * chance * (1 - chance)
    curvature = np.eye(wins.shape[1]) * weights.sum(axis=2)[:, :, None] - weights + 1.0
    return np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], np.float64)


def _has_maximum(wins: Floats) -> npt.NDArray[np.bool_]:
    """Whether a path of wins leads from every system to every other one (Ford 1957), per table."""
    reach = (wins > 0) | np.eye(wins.shape[1], dtype=np.bool_)
    for _ in range(wins.shape[1].bit_length()):
        reach = np.matmul(reach.astype(np.float64), reach) > 0
    return np.asarray(reach.all(axis=(1, 2)))


def expected_win_rates(strengths: npt.ArrayLike) -> Floats:
    """Each system's probability to win against a random other system.

    Args:
        strengths: (..., n), from `bradley_terry`.

    >>> expected_win_rates([0.0, 0.0, 0.0]).tolist()
    [0.5, 0.5, 0.5]
    """
    strength = np.asarray(strengths, np.float64)
    chance = 1 / (1 + np.exp(strength[..., None, :] - strength[..., :, None]))
    return np.asarray((chance.sum(axis=-1) - 0.5) / (strength.shape[-1] - 1))
