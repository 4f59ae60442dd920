"""Panels of judges: bias and agreement of the judges, and the variance that judges add to a mean.

The statistics are a column `by_judge` (items x judges) with the score that the votes of each judge alone
give, NaN for none, and the ragged columns `label_votes` and `number_votes` with one row of votes per subject.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.agreement import cohen_kappa, fleiss_kappa
from thresher.kernels.inference.krippendorff import krippendorff_alpha
from thresher.kernels.inference.spread import FEWEST, Spread
from thresher.results import Breakdown, Detail, Mean, Statistics
from thresher.results.labels import Label
from thresher.results.ragged import Ragged

Floats = npt.NDArray[np.float64]
SCORES, LABELS, NUMBERS = "by_judge", "label_votes", "number_votes"
_VOTES = "votes"


@dataclass(frozen=True)
class PanelMean(Mean):
    """The mean of scores pooled from several judges; its interval includes the differences between judges.

    Attributes:
        judges: number of judges.
    """

    kind: ClassVar[str] = "panel_mean"
    judges: int = 2


def with_judges(spread: Spread, scores: Floats, gain: float = 1.0) -> Spread:
    """The spread of a mean over items and judges, both drawn from populations.

    Formula: SE^2 = SE_items^2 + g^2 s_J^2 / J, with the variance of the judges' means
        s_J^2 = max(0, sum b_j^2 / (J - 1) - sum r_ij^2 / ((n - 1) (J - 1)) / n), where b_j is the bias of
        judge j (mean minus the mean of all) and r_ij what item and judge leave of a score; degrees of
        freedom by Satterthwaite, n - 1 for the items and J - 1 for the judges
    Source: Satterthwaite (1946), An Approximate Distribution of Estimates of Variance Components; the two-way
        model with random items and judges of Shrout and Fleiss (1979), Intraclass Correlations.

    Args:
        spread: the mean of the pooled scores, with its standard error over items.
        scores: items x judges; NaN for none. Judges without any score, and items that another judge did not
            score, are left out; with fewer than two of either the spread stays as it is.
        gain: g, how far the pooled mean moves if the means of all judges move by 1; see `gain_of_majority`.
    """
    scores = scores[:, ~np.isnan(scores).all(axis=0)] if len(scores) else scores
    scores = scores[~np.isnan(scores).any(axis=1)]
    items, judges = scores.shape
    if min(items, judges) < FEWEST or not spread.known:
        return spread
    means = scores.mean(axis=0)
    rest = scores - scores.mean(axis=1, keepdims=True) - (means - means.mean())
    between = float(means.var(ddof=1))
    noise = float(np.square(rest).sum()) / (items - 1) / (judges - 1) / items
    added = gain**2 * max(0.0, between - noise) / judges
    variance = spread.standard_error**2 + added
    if not added:
        return spread
    of_items = spread.standard_error**4 / spread.effective_degrees
    degrees = variance**2 / (of_items + added**2 / (judges - 1))
    return replace(
        spread,
        standard_error=math.sqrt(variance),
        degrees=degrees,
        kurtosis=0.0,
        skewness=0.0,
        units=degrees + 1,
    )


def gain_of_majority(judges: int) -> float:
    """How far the share of subjects with a majority moves at most if the rates of all judges move by 1.

    Formula: J C(J - 1, floor((J - 1) / 2)) / 2^(J - 1), the derivative of the chance of a majority for
        subjects with a rate of a half, where it is largest

    >>> gain_of_majority(2), gain_of_majority(3), gain_of_majority(5)
    (1.0, 1.5, 1.875)
    """
    return judges * math.comb(judges - 1, (judges - 1) // 2) * 0.5 ** (judges - 1)


def spread_with_judges(spread: Spread, statistics: Statistics, mask: npt.NDArray[np.bool_]) -> Spread:
    """`with_judges` for the items of a mask; verdicts are pooled by a vote, ratings by a mean.

    Args:
        spread: the mean of the pooled scores.
        statistics: statistics of a metric with a panel.
        mask: the items that count.
    """
    scores = statistics.column(SCORES)[mask]
    voted = statistics.ragged[LABELS].entries > 0
    return with_judges(spread, scores, gain_of_majority(scores.shape[1]) if voted else 1.0)


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
        LABELS: Ragged(list(map(len, of_labels)), {_VOTES: np.array(coded).reshape(shape).astype(np.int32)}),
        NUMBERS: Ragged(list(map(len, of_numbers)), {_VOTES: np.array(numbers, np.float64).reshape(shape)}),
    }
    labels = [Label.of(label) for label in known]
    return Statistics({**columns, SCORES: scores}, ragged, labels, [f"{LABELS}.{_VOTES}"])


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


@dataclass(frozen=True)
class PanelJudges(Breakdown):
    """Score, bias and coverage of each judge of a panel."""

    kind: ClassVar[str] = "panel_judges"
    judges: tuple[str, ...]
    name: str = "judges"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per judge."""
        rows = _rows(weights)
        scores = statistics[SCORES][rows].astype(np.float64)
        cast, asked = _cast(statistics, weights)
        number = (~np.isnan(scores)).sum(axis=0)
        totals = np.nansum(scores, axis=0)
        means = np.where(number > 0, totals / np.maximum(number, 1), np.nan)
        columns: dict[str, list[Any]] = {"judge": list(self.judges)}
        columns |= {"mean": means.tolist(), "bias": judge_biases(scores).tolist(), "items": number.tolist()}
        columns["votes"] = (cast if asked else number).tolist()
        columns["coverage"] = ((cast if asked else number) / max(1, asked or len(rows))).tolist()
        return Detail(self.name, "table", ("judge",), columns)


@dataclass(frozen=True)
class PanelAgreement(Breakdown):
    """Agreement of the judges of a panel on the subjects that they voted on."""

    kind: ClassVar[str] = "panel_agreement"
    judges: tuple[str, ...]
    name: str = "agreement_of_judges"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per coefficient, and per pair of judges."""
        labels = _votes(statistics, LABELS, weights)
        numbers = _votes(statistics, NUMBERS, weights)
        if not len(labels) + len(
            numbers
        ):  # judges answered in words of their own: their scores are the votes
            numbers = statistics[SCORES][_rows(weights)].astype(np.float64)
        rows = [*self._of_labels(labels), *_of_numbers(numbers)]
        names = ("coefficient", "judges", "value", "subjects")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return Detail(self.name, "table", ("coefficient", "judges"), columns)

    def _of_labels(self, votes: Floats) -> list[tuple[Any, ...]]:
        if not len(votes):
            return []
        by_judge = _by_judge(votes)
        whole = [fleiss_kappa(by_judge), krippendorff_alpha(by_judge)]
        pairs = [
            ("cohen_kappa", f"{self.judges[one]}, {self.judges[other]}", kappa.value, kappa.items)
            for one, other in combinations(range(len(by_judge)), 2)
            for kappa in [cohen_kappa(by_judge[one], by_judge[other])]
        ]
        return [_unanimous(votes), *((it.coefficient, "all", it.value, it.items) for it in whole), *pairs]


def _of_numbers(votes: Floats) -> list[tuple[Any, ...]]:
    if not len(votes):
        return []
    by_judge = _by_judge(votes)
    alphas = [krippendorff_alpha(by_judge, "ordinal"), krippendorff_alpha(by_judge, "interval")]
    return [_unanimous(votes), *((alpha.coefficient, "all", alpha.value, alpha.items) for alpha in alphas)]


def _unanimous(votes: Floats) -> tuple[Any, ...]:
    """The share of subjects with equal votes, among those with at least two."""
    several = votes[(~np.isnan(votes)).sum(axis=1) >= FEWEST]
    share = (
        float((np.nanmax(several, axis=1) == np.nanmin(several, axis=1)).mean()) if len(several) else math.nan
    )
    return "unanimous", "all", share, len(several)


def _by_judge(votes: Floats) -> list[list[float | None]]:
    return [[None if math.isnan(vote) else vote for vote in column] for column in votes.T.tolist()]


def _rows(weights: Floats) -> npt.NDArray[np.int64]:
    """Positions of the items that count, repeated where a whole weight is above 1."""
    counted = np.flatnonzero(weights > 0)
    whole = (weights == np.floor(weights)).all()
    return np.repeat(counted, weights[counted].astype(np.int64)) if whole else counted


def _votes(statistics: Statistics, name: str, weights: Floats) -> Floats:
    """Subjects x judges of the items that count; codes of labels or numbers, NaN for lost votes."""
    entries = statistics.ragged[name].take(_rows(weights))
    votes = entries[_VOTES].astype(np.float64)
    return np.where(votes < 0, np.nan, votes) if name == LABELS else votes


def _cast(statistics: Statistics, weights: Floats) -> tuple[npt.NDArray[np.int64], int]:
    """Number of votes of each judge, and of subjects."""
    tables = [_votes(statistics, name, weights) for name in (LABELS, NUMBERS)]
    cast = sum((~np.isnan(table)).sum(axis=0) for table in tables)
    return np.asarray(cast, dtype=np.int64), sum(map(len, tables))
