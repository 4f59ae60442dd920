"""Estimates of the mean human label, from few labels and a judge's scores of all items."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import critical
from thresher.kernels.inference.human_labels import check_lengths, judge_quality, yes_or_no
from thresher.kernels.inference.interval import LEVEL, Interval, finite
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.spread import FEWEST, spread_of

Floats = npt.NDArray[np.float64]
ENOUGH = 100
"""With fewer random labels the interval of a corrected mean is usually wide (docs/statistics.md, by
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
        enough: whether there are at least 100 labels.
        errors_seen: number of labelled items on which the judge's score differs from the label.
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
    errors_seen: int

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

    A judge who makes no error among few labels is not taken for perfect: with finite bounds one more label is
    imagined, with the largest possible error (see `one_more`), and the tuning counts two more, wrong by everything
    once each way. Without bounds the limits are the longer of t's and Hall's.

    Formula: mean(y) + t (mean(f, unlabelled) - mean(f, labelled)), from the errors y - t f and the variance
        t^2 Var(f, unlabelled) / N, with t = Cov(y, f) / ((1 + n / N) Var(f)) clipped to 0..1
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
    bounded = all(map(math.isfinite, bounds))
    tuning, value, error, interval = (
        _tuning(y, f, unseen, bounds if bounded else None),
        math.nan,
        math.nan,
        None,
    )
    base = tuning * float(unseen.mean()) if len(unseen) else 0.0
    noise = tuning**2 * float(unseen.var()) / len(unseen) if len(unseen) else 0.0
    if len(y):
        moments = Moments.of(y - tuning * f)
        value = base + moments.mean
        spread = replace(spread_of(moments), value=value).with_noise(noise)
        error = spread.standard_error
        limits = spread.limits(level)
        if bounded:
            low, high = bounds
            sums = replace(UnitSums.of_items(moments), mean=value)
            ends = base + low - tuning * high, base + high - tuning * low
            limits = OneMore(sums, ends, noise).limits(level)
            limits = max(low, limits[0]), min(high, limits[1])
        if limits is not None and len(y) >= FEWEST:
            interval = Interval(*limits, level, "ppi++")
    means, errors = (_mean(judge[known]), _mean(y)), int(np.count_nonzero(y != f))
    counts = len(y), len(unseen)
    return CorrectedMean("ppi++", value, interval, error, *counts, *means, tuning, len(y) >= ENOUGH, errors)


def rogan_gladen(verdicts: npt.ArrayLike, labels: npt.ArrayLike, *, level: float = LEVEL) -> CorrectedMean:
    """The true rate behind a yes-or-no judge's verdicts, from its sensitivity and specificity.

    Unlike PPI++, it allows separate draws of good and of bad items for labelling. Useless if sensitivity +
    specificity is near 1: the verdicts of such a judge carry no information.

    Formula: (p + sp - 1) / (se + sp - 1), clipped to 0..1; variance
        (var(p) + v^2 var(se) + (1 - v)^2 var(sp)) / (se + sp - 1)^2 with two hits and two misses added to each
        rate
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
        variances = [
            float(_rate_variance(rate, items))
            for rate, items in (
                (share, len(seen)),
                (se, quality.sensitivity.items),
                (sp, quality.specificity.items),
            )
        ]
        error = math.sqrt(variances[0] + value**2 * variances[1] + (1 - value) ** 2 * variances[2]) / slope
    interval = None
    if not math.isnan(error):
        half = critical(level) * error
        interval = Interval(max(0.0, value - half), min(1.0, value + half), level, "rogan-gladen")
    known = ~np.isnan(judged) & ~np.isnan(truth)
    means, errors = (
        (_mean(judged[~np.isnan(judged)]), _mean(truth[~np.isnan(truth)])),
        int(np.count_nonzero(judged[known] != truth[known])),
    )
    counts = labelled, int(rest.sum())
    enough = labelled >= ENOUGH
    return CorrectedMean("rogan-gladen", value, interval, error, *counts, *means, math.nan, enough, errors)


def _rate_variance(rate: npt.ArrayLike, objects: npt.ArrayLike) -> Floats:
    """Variance of a rate over objects, with two hits and two misses added.

    Formula: p (1 - p) / (m + 4) with p = (m * rate + 2) / (m + 4) for m objects
    Source: Agresti and Coull (1998), Approximate Is Better than "Exact" for Interval Estimation of Binomial
        Proportions.
    """
    more = np.asarray(objects, dtype=np.float64) + 4
    shrunk = (np.asarray(objects) * np.asarray(rate) + 2) / more
    return np.asarray(shrunk * (1 - shrunk) / more)


def _tuning(y: Floats, f: Floats, unseen: Floats, bounds: tuple[float, float] | None) -> float:
    """Weight of the judge; 0 if its scores do not vary or all items are labelled."""
    every = np.concatenate([f, unseen])
    if not len(unseen) or not len(y) or every.min() == every.max():
        return 0.0
    labels, scores, variance = y, f, float(every.var(ddof=1))
    if bounds is not None:
        labels, scores = np.append(y, bounds), np.append(f, bounds[::-1])
        variance = float(scores.var())
    covariance = float(((labels - labels.mean()) * (scores - scores.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(unseen)) * variance)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
