"""Estimates of the mean human label, from few labels and a judge's scores of all items."""

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
"""With fewer random labels the interval of a corrected mean is too short (docs/statistics.md, by
`benchmarks/inference.py --only labels`)."""


@dataclass(frozen=True)
class CorrectedMean:
    """The mean human label, estimated from few labels and a judge's scores of all items.

    Attributes:
        method: `ppi++` or `rogan-gladen`.
        value: the corrected mean; NaN if undefined.
        interval: None if unknown.
        standard_error: NaN if unknown.
        labelled: items with a human label.
        judged: items with the judge's score only.
        judge_only: the judge's mean over all items.
        labels_only: the mean of the labels alone.
        tuning: weight of the judge's scores, 0 to 1 (`ppi++`); NaN for other methods.
        enough: whether there are at least 100 labels; with fewer the interval is too short.
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
        fields: dict[str, Any] = {
            name: finite(value) if isinstance(value, float) else value for name, value in vars(self).items()
        }
        return {**fields, "interval": self.interval.to_dict() if self.interval else None}


def prediction_powered_mean(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    level: float = LEVEL,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> CorrectedMean:
    """PPI++: the judge's mean over all items, corrected by its error on randomly drawn human labels.

    Unbiased however bad the judge is, and the interval is never much wider than that of the labels alone. The
    labelled items must be drawn at random; labels of selected items (failures, doubtful ones) bias it.

    Formula: mean(y) + t (mean(f, unlabelled) - mean(f, labelled)), with standard error
        sqrt(t^2 Var(f) / N + Var(y - t f) / n) and t = Cov(y, f) / ((1 + n / N) Var(f)) clipped to 0..1;
        the interval uses the t quantile with n - 1 degrees of freedom
    Source: Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference.

    Args:
        scores: the judge's score of every item; NaN for items without one, which are left out.
        labels: the human label on the same scale; NaN for unlabelled items.
        level: nominal coverage.
        bounds: smallest and largest possible value; the interval stays between them.

    Raises:
        InputError: for unequal lengths.

    >>> scores, labels = [1, 0, 1, 0], [1, 0, math.nan, math.nan]
    >>> prediction_powered_mean(scores, labels).value  # the judge is right on all labelled items
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
    interval = _bounded(Spread(value, error, len(y) - 1), bounds, level)
    return CorrectedMean(
        "ppi++", value, interval, error, len(y), len(unseen), *means, tuning, len(y) >= ENOUGH
    )


def rogan_gladen(verdicts: npt.ArrayLike, labels: npt.ArrayLike, *, level: float = LEVEL) -> CorrectedMean:
    """The true rate behind a yes-or-no judge's verdicts, from its sensitivity and specificity.

    Unlike PPI++, it allows separate draws of good and of bad items for labelling. Useless if sensitivity +
    specificity is near 1: the verdicts of such a judge carry no information.

    Formula: (p + sp - 1) / (se + sp - 1), clipped to 0..1; variance
        (p (1 - p) / N + v^2 se (1 - se) / n1 + (1 - v)^2 sp (1 - sp) / n0) / (se + sp - 1)^2
    Source: Rogan and Gladen (1978), Estimating Prevalence from the Results of a Screening Test.

    Args:
        verdicts: per item 1 if the judge calls it good, else 0; NaN without a verdict.
        labels: per item 1 if people call it good, else 0; NaN for unlabelled items.
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
    """Weight of the judge; 0 if its scores do not vary or all items are labelled."""
    every = np.concatenate([f, unseen])
    if not len(unseen) or len(y) < FEWEST or every.min() == every.max():
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(unseen)) * float(every.var(ddof=1)))))


def _bounded(spread: Spread, bounds: tuple[float, float], level: float) -> Interval | None:
    """The t interval; with finite bounds Wilson's for the effective number of items."""
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
