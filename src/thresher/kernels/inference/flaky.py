"""Items whose scores differ between tries of one system: how much of a value is chance."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import finite

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
FEWEST_TRIES = 2


@dataclass(frozen=True, eq=False)
class Stability:
    """How scores of items vary over tries.

    Attributes:
        tries: per item the number of tries with a score.
        passes: per item the number of tries that passed; None if scores are not 0 and 1.
        flaky: mask of the items whose scores differ between tries.
        variances: per item the unbiased variance of one try; NaN with fewer than two tries.
        flips: expected share of items that change between two tries; NaN if scores are not 0 and 1.
        one_try: standard error that chance between tries gives to the mean of one try of every item.
        all_tries: the same for the mean over all tries.
    """

    tries: Counts
    passes: Counts | None
    flaky: npt.NDArray[np.bool_]
    variances: Floats
    flips: float
    one_try: float
    all_tries: float

    @property
    def repeated(self) -> int:
        """Number of items with at least two tries."""
        return int(np.count_nonzero(self.tries >= FEWEST_TRIES))

    def to_dict(self) -> dict[str, float | int | None]:
        """JSON data."""
        shares = {name: finite(getattr(self, name)) for name in ("flips", "one_try", "all_tries")}
        return {"items": self.repeated, "flaky": int(np.count_nonzero(self.flaky)), **shares}


def stability(scores: Floats) -> Stability:
    """Describe how scores vary over tries of the same items by the same system.

    Formula: v_i = sum over tries (y - mean_i)^2 / (K_i - 1), the variance of a sample; for 0/1 scores it is
        k_i (K_i - k_i) / (K_i (K_i - 1)) and p_i (1 - p_i) on average, while the observed rate q_i has
        q_i (1 - q_i) smaller by a share of 1 / K_i. Expected flips: 2 * mean(v_i). Standard error of one try:
        sqrt(sum v_i) / n, of all tries: sqrt(sum v_i / K_i) / n
    Source: Snijders and Bosker (1999), Multilevel Analysis, ch. 3 (variance within units).

    An item that passes with probability p shows both outcomes in K tries with 1 - p^K - (1 - p)^K: three
    tries show 48 % of the items with p = 0.8. So `k of K` says more than a label does.

    Args:
        scores: items x tries, NaN without a score. Items with one try do not count.

    >>> known = stability(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]))
    >>> known.passes.tolist(), round(known.flips, 9), round(known.one_try, 9)
    ([2, 3], 0.333333333, 0.288675135)
    """
    known = np.isfinite(scores)
    tries = known.sum(axis=1)
    enough = tries >= FEWEST_TRIES
    filled = np.where(known, scores, 0.0)
    means = filled.sum(axis=1) / np.maximum(tries, 1)
    squares = np.where(known, np.square(scores - means[:, None]), 0.0).sum(axis=1)
    lowest = np.where(known, scores, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(known, scores, -np.inf).max(axis=1, initial=-np.inf)
    flaky = enough & (lowest < highest)
    variances = np.where(flaky, squares / np.maximum(tries - 1, 1), np.where(enough, 0.0, np.nan))
    binary = bool(np.isin(scores[known], (0.0, 1.0)).all())
    count, counted = int(enough.sum()), variances[enough]
    return Stability(
        tries,
        filled.sum(axis=1).astype(np.int64) if binary else None,
        flaky,
        variances,
        float(2 * counted.mean()) if binary and count else math.nan,
        math.sqrt(float(counted.sum())) / count if count else math.nan,
        math.sqrt(float((counted / tries[enough]).sum())) / count if count else math.nan,
    )
