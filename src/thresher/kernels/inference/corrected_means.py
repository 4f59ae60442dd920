"""Means that human labels would have given, from few labels and a judge on all items."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.human_labels import check_lengths, judge_quality, yes_or_no
from thresher.kernels.inference.interval import LEVEL, Interval, finite
from thresher.kernels.inference.spread import FEWEST, Spread
from thresher.kernels.inference.wilson import bounded_interval

Floats = npt.NDArray[np.float64]
ENOUGH = 100
"""With fewer random labels a corrected mean's interval is too short (measured in docs/statistics.md)."""


@dataclass(frozen=True)
class CorrectedMean:
    """The mean that human labels would have given, estimated from few of them and a judge on all items.

    Attributes:
        method: `ppi++` or `rogan-gladen`.
        value: the corrected mean; NaN where it does not exist.
        interval: its interval; None where it is unknown.
        standard_error: NaN where it is unknown.
        labelled: items with a human label.
        judged: items with the judge's score only.
        judge_only: the judge's own mean over all items.
        labels_only: the mean of the labels alone.
        tuning: how much the judge's scores count, 0 to 1 (`ppi++`); NaN for others.
        enough: whether there are 100 labels or more; with fewer the interval is too short.
    """

    method: str
    value: float
    interval: Interval | None
    standard_error: float
    labelled: int
    judged: int
    judge_only: float
    labels_only: float
    tuning: float
    enough: bool

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        told: dict[str, Any] = {
            name: finite(value) if isinstance(value, float) else value for name, value in vars(self).items()
        }
        return {**told, "interval": self.interval.to_dict() if self.interval else None}


def prediction_powered_mean(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    level: float = LEVEL,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> CorrectedMean:
    """PPI++: the judge's mean over all items, moved by what random human labels say about its error.

    Right on average however bad the judge is, and never much wider than the labels alone. The labelled
    items must have been drawn at random; labels of hand-picked items (failures, doubtful ones) break it.

    Formula: mean(y) + t (mean(f, unlabelled) - mean(f, labelled)), with standard error
        sqrt(t^2 Var(f) / N + Var(y - t f) / n) and t = Cov(y, f) / ((1 + n / N) Var(f)) held to 0..1;
        the interval takes the t quantile with n - 1 degrees of freedom
    Source: Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference.

    Args:
        scores: the judge's score of every item; NaN where it has none (the item is left out).
        labels: the human label on the same scale; NaN where nobody labelled the item.
        level: nominal coverage.
        bounds: smallest and largest possible value; the interval bends to stay between them.

    Raises:
        InputError: for unequal lengths.

    >>> scores, labels = [1, 0, 1, 0], [1, 0, math.nan, math.nan]
    >>> prediction_powered_mean(scores, labels).value  # the judge is right wherever it is looked at
    0.5
    """
    judge, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    check_lengths(judge, truth)
    known = ~np.isnan(judge)
    labelled, rest = known & ~np.isnan(truth), known & np.isnan(truth)
    y, f, unseen = truth[labelled], judge[labelled], judge[rest]
    tuning = _tuning(y, f, unseen)
    value, error = math.nan, math.nan
    if len(y):
        shift = tuning * (unseen.mean() - f.mean()) if len(unseen) else 0.0
        value = float(y.mean() + shift)
        imputed = tuning**2 * unseen.var() / len(unseen) if len(unseen) else 0.0
        error = math.sqrt(imputed + (y - tuning * f).var() / len(y)) if len(y) >= FEWEST else math.nan
    means = _mean(judge[known]), _mean(y)
    interval = _bent(Spread(value, error, len(y) - 1), bounds, level)
    return CorrectedMean(
        "ppi++", value, interval, error, len(y), len(unseen), *means, tuning, len(y) >= ENOUGH
    )


def rogan_gladen(verdicts: npt.ArrayLike, labels: npt.ArrayLike, *, level: float = LEVEL) -> CorrectedMean:
    """The rate behind a yes-or-no judge's verdicts, from its sensitivity and specificity.

    Works where labels of good and of bad items were drawn separately, which PPI++ does not allow. Useless
    where sensitivity + specificity comes near 1: such a judge says nothing.

    Formula: (p + sp - 1) / (se + sp - 1), held to 0..1; variance
        (p (1 - p) / N + v^2 se (1 - se) / n1 + (1 - v)^2 sp (1 - sp) / n0) / (se + sp - 1)^2
    Source: Rogan and Gladen (1978), Estimating Prevalence from the Results of a Screening Test.

    Args:
        verdicts: per item 1 if the judge calls it good, else 0; NaN where it said nothing.
        labels: per item 1 if people call it good, else 0; NaN where nobody labelled it.
        level: nominal coverage.

    Raises:
        InputError: for unequal lengths or an entry that is not 0, 1 or NaN.
    """
    judged, truth = yes_or_no(verdicts, "verdicts"), yes_or_no(labels, "labels")
    quality = judge_quality(judged, truth, level=level)
    rest = ~np.isnan(judged) & np.isnan(truth)
    labelled = int(np.count_nonzero(~np.isnan(judged) & ~np.isnan(truth)))
    seen = judged[rest] if rest.any() else judged[~np.isnan(judged)]
    share, se, sp = _mean(seen), quality.sensitivity.value, quality.specificity.value
    slope, value, error = se + sp - 1, math.nan, math.nan
    if slope > 0:
        value = min(1.0, max(0.0, (share + sp - 1) / slope))
        sides = (
            value**2 * se * (1 - se) / quality.sensitivity.items,
            (1 - value) ** 2 * sp * (1 - sp) / quality.specificity.items,
        )
        error = math.sqrt(share * (1 - share) / len(seen) + sum(sides)) / slope
    interval = None
    if not math.isnan(error):
        low, high = Spread(value, error, math.inf).limits(level)
        interval = Interval(max(0.0, low), min(1.0, high), level, "rogan-gladen")
    means = _mean(judged[~np.isnan(judged)]), _mean(truth[~np.isnan(truth)])
    return CorrectedMean(
        "rogan-gladen",
        value,
        interval,
        error,
        labelled,
        int(rest.sum()),
        *means,
        math.nan,
        labelled >= ENOUGH,
    )


def _tuning(y: Floats, f: Floats, unseen: Floats) -> float:
    """How much of the judge to use; 0 where it does not vary or there is nothing left to judge."""
    every = np.concatenate([f, unseen])
    if not len(unseen) or len(y) < FEWEST or every.min() == every.max():
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(unseen)) * float(every.var(ddof=1)))))


def _bent(spread: Spread, bounds: tuple[float, float], level: float) -> Interval | None:
    """The t interval, or between finite bounds Wilson's with the effective number of items."""
    if not spread.known:
        return None
    limits = spread.limits(level)
    if all(map(math.isfinite, bounds)):
        limits = bounded_interval(
            spread.value,
            spread.standard_error,
            bounds,
            level=level,
            degrees=spread.degrees,
            otherwise=spread.degrees + 1,
        )
    return Interval(*limits, level, "ppi++")


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
