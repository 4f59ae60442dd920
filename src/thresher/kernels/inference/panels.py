"""Panels of judges: the variance that judges add to a mean, their biases, and weights from labels.

The statistics are a column `by_judge` (items x judges) with the score that the votes of each judge alone
give, NaN for none, and the ragged columns `label_votes` and `number_votes` with one row of votes per subject.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.spread import FEWEST
from thresher.results import Mean, Statistics
from thresher.results.labels import Label
from thresher.results.ragged import Ragged

Floats = npt.NDArray[np.float64]
SCORES, LABELS, NUMBERS = "by_judge", "label_votes", "number_votes"
VOTES = "votes"


@dataclass(frozen=True)
class PanelMean(Mean):
    """The mean of scores pooled from several judges; its interval includes the differences between judges.

    Attributes:
        judges: number of judges.
    """

    kind: ClassVar[str] = "panel_mean"
    judges: int = 2


def judge_variance(scores: Floats, gain: float = 1.0) -> tuple[float, int]:
    """Variance that judges drawn from a population add to the mean of pooled scores, and their number.

    Formula: g^2 s_J^2 / J, with the variance of the judges' means
        s_J^2 = max(0, sum b_j^2 / (J - 1) - sum r_ij^2 / ((n - 1) (J - 1)) / n), where b_j is the bias of
        judge j (mean minus the mean of all) and r_ij what item and judge leave of a score
    Source: the two-way model with random items and judges of Shrout and Fleiss (1979), Intraclass Correlations.

    Args:
        scores: items x judges; NaN for none. Judges without any score, and items that another judge did not
            score, are left out; with fewer than two of either nothing is added.
        gain: g, how far the pooled mean moves if the means of all judges move by 1; see `gain_of_majority`.
    """
    scores = scores[:, ~np.isnan(scores).all(axis=0)] if len(scores) else scores
    scores = scores[~np.isnan(scores).any(axis=1)]
    items, judges = scores.shape
    if min(items, judges) < FEWEST:
        return 0.0, judges
    means = scores.mean(axis=0)
    rest = scores - scores.mean(axis=1, keepdims=True) - (means - means.mean())
    noise = float(np.square(rest).sum()) / (items - 1) / (judges - 1) / items
    return gain**2 * max(0.0, float(means.var(ddof=1)) - noise) / judges, judges


def gain_of_majority(judges: int) -> float:
    """How far the share of subjects with a majority moves at most if the rates of all judges move by 1.

    Formula: J C(J - 1, floor((J - 1) / 2)) / 2^(J - 1), the derivative of the chance of a majority for
        subjects with a rate of a half, where it is largest

    >>> gain_of_majority(2), gain_of_majority(3), gain_of_majority(5)
    (1.0, 1.5, 1.875)
    """
    return judges * math.comb(judges - 1, (judges - 1) // 2) * 0.5 ** (judges - 1)


def variance_of_judges(statistics: Statistics, mask: npt.NDArray[np.bool_]) -> tuple[float, int]:
    """`judge_variance` for the items of a mask; verdicts are pooled by a vote, ratings by a mean."""
    scores = statistics.column(SCORES)[mask]
    voted = statistics.ragged[LABELS].entries > 0
    return judge_variance(scores, gain_of_majority(scores.shape[1]) if voted else 1.0)


def panel_columns(
    columns: Mapping[str, npt.ArrayLike],
    scores: Floats,
    votes: Sequence[Sequence[Sequence[str | float | None]]],
) -> Statistics:
    """Statistics with the scores and votes of the judges.

    Args:
        columns: the columns of the metric.
        scores: items x judges.
        votes: per item, per subject, one vote per judge: all labels or all numbers; None for a lost vote.
    """
    of_labels = [[row for row in rows if any(isinstance(vote, str) for vote in row)] for rows in votes]
    of_numbers = [[row for row in rows if not any(isinstance(vote, str) for vote in row)] for rows in votes]
    known = sorted({vote for rows in of_labels for row in rows for vote in row if isinstance(vote, str)})
    codes: dict[Any, float] = {None: -1.0, **{label: float(code) for code, label in enumerate(known)}}
    numbers = [
        [math.nan if vote is None else float(vote) for vote in row] for rows in of_numbers for row in rows
    ]
    coded = [[codes[vote] for vote in row] for rows in of_labels for row in rows]
    shape = (-1, scores.shape[1])
    ragged = {
        LABELS: Ragged(list(map(len, of_labels)), {VOTES: np.array(coded).reshape(shape).astype(np.int32)}),
        NUMBERS: Ragged(list(map(len, of_numbers)), {VOTES: np.array(numbers, np.float64).reshape(shape)}),
    }
    labels = [Label.of(label) for label in known]
    return Statistics({**columns, SCORES: scores}, ragged, labels, [f"{LABELS}.{VOTES}"])


def judge_biases(scores: Floats) -> Floats:
    """Mean of each judge's score minus the mean of the item's scores; NaN for a judge without scores.

    Args:
        scores: items x judges; NaN for none.

    >>> judge_biases(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist()
    [-0.5, 0.5]
    """
    present = ~np.isnan(scores)
    counts = np.maximum(present.sum(axis=1, keepdims=True), 1)
    deviations = scores - np.nansum(scores, axis=1, keepdims=True) / counts
    number = present.sum(axis=0)
    return np.where(number > 0, np.nansum(deviations, axis=0) / np.maximum(number, 1), np.nan)


def effective_votes(errors: npt.ArrayLike) -> float:
    """Number of independent judges that would err together as seldom; at most the number of judges.

    Formula: J / (1 + (J - 1) r), r the mean correlation of the errors of two judges; pairs of judges that
        never err, or always, have none and are left out; NaN without pairs
    Source: Kish (1965), Survey Sampling. Agreement on the truth says nothing about it, so labels are needed.

    Args:
        errors: items x judges, 1 for an error.

    Raises:
        InputError: for fewer than two judges.
    """
    table = np.asarray(errors, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < FEWEST:  # noqa: PLR2004  (items x judges)
        raise InputError("effective votes need a table of errors, items x at least two judges")
    varying = table[:, table.std(axis=0) > 0]
    judges = table.shape[1]
    if varying.shape[1] < FEWEST:
        return math.nan
    correlations = np.asarray(np.corrcoef(varying.T))[np.triu_indices(varying.shape[1], 1)]
    shared = 1 + (judges - 1) * float(correlations.mean())
    return float(judges) if shared < 1 else judges / shared


def learnt_weights(votes: npt.ArrayLike, labels: npt.ArrayLike) -> list[float]:
    """Weights of judges from human labels: the logarithm of the odds that a vote is right.

    Formula: max(0, log(a / (1 - a))), a = (right votes + 1) / (votes + 2); a judge that is right in half of
        its votes or fewer has weight 0
    Source: Nitzan and Paroush (1982), Optimal Decision Rules in Uncertain Dichotomous Choice Situations,
        for independent judges.

    Args:
        votes: items x judges, 0 or 1; NaN for none.
        labels: the human label of each item, 0 or 1; NaN for none.

    Raises:
        InputError: for other shapes or values, and if no judge is right in more than half of its votes.

    >>> first, second = learnt_weights([[1, 0], [1, 1], [0, 0], [0, 1]], [1, 1, 0, 0])
    >>> round(first, 2), second
    (1.61, 0.0)
    """
    table, truth = np.asarray(votes, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if table.ndim != 2 or truth.shape != table.shape[:1]:  # noqa: PLR2004  (items x judges)
        raise InputError(f"votes of shape {table.shape} need one label per row; labels have {truth.shape}")
    for name, values in (("votes", table), ("labels", truth)):
        if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
            raise InputError(f"{name} must be 0, 1 or NaN")
    counted = ~np.isnan(table) & ~np.isnan(truth)[:, None]
    right = ((table == truth[:, None]) & counted).sum(axis=0)
    shares = (right + 1) / (counted.sum(axis=0) + 2)
    weights = np.maximum(0.0, np.log(shares / (1 - shares)))
    if not weights.any():
        raise InputError("no judge is right in more than half of its votes; weights cannot be learnt")
    return [float(weight) for weight in weights]
