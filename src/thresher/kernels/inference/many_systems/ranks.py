"""What the items show about ranks, and how much the best mean is flattered by being chosen."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import DRAWS, SEED
from thresher.kernels.inference.many_systems.contrasts import Contrasts, aligned
from thresher.kernels.inference.many_systems.system_scores import SystemScores
from thresher.kernels.inference.resampling import draw_weights

Ranks = npt.NDArray[np.int64]


def rank_intervals(scores: SystemScores, pairs: Contrasts) -> tuple[Ranks, Ranks]:
    """Best and worst possible rank of each system; all contain the true ranks together.

    Do not use percentiles of bootstrap ranks instead: where systems are equal, they contain all true ranks in
    0 to 5 % of samples.

    Formula: 1 + number of systems that are surely better, to N - number of systems that are surely worse
    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks with Applications to Mobility
        across Neighbourhoods and Academic Achievement across Countries.

    Args:
        scores: one measure of N systems.
        pairs: `contrasts(scores, all_pairs(N))`.
    """
    systems = len(scores)
    best, worst = np.ones(systems, np.int64), np.full(systems, systems, np.int64)
    gains = scores.sign * ((pairs.low > 0).astype(int) - (pairs.high < 0).astype(int))
    for (first, second), gain in zip(combinations(range(systems), 2), gains.tolist(), strict=True):
        if gain:
            better, worse = (second, first) if gain > 0 else (first, second)
            best[worse] += 1
            worst[better] -= 1
    return best, worst


def winners_curse(scores: SystemScores, *, draws: int = DRAWS, seed: int = SEED) -> float:
    """How much better the best system looks than it is, because it was chosen as the best of all.

    If all systems are equal, this is about two thirds of the true optimism; if one is clearly the best, both
    are 0.

    Formula: mean over bootstrap draws of (value of the draw's best system in the draw - its value in the
        sample); values of a draw are the sample's plus the contributions of the drawn units
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 17, for bootstrap optimism.

    Returns:
        The optimism as a positive number in the units of the measure; NaN without common items.
    """
    (contributions,) = aligned([(scores, np.eye(len(scores)))], seed)
    if not contributions.known.all():
        return float("nan")
    optimism = []
    for weights in draw_weights(contributions.units, draws, seed):
        changes = scores.sign * ((weights - 1) @ contributions.all_parts)
        winner = (scores.sign * contributions.estimate + changes).argmax(axis=1)
        optimism.append(changes[np.arange(len(winner)), winner])
    return float(np.concatenate(optimism).mean())
