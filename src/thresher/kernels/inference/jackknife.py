"""Standard errors by leaving units out, for any statistic."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.spread import FEWEST, Spread, tails

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer[Any]]
GROUPS = 100
"""Up to this many units are left out one by one; more are left out in that many random groups.

A standard error from 100 groups is known to 7 % (1 / sqrt(2 * 100)). The coverage with 200 and 300 items,
where groups are used, is 93.9 to 96.5 % (rows pooled F1 and ROC AUC of `benchmarks/inference.py --only
coverage`).
"""
_ROUNDING = 1e-12  # values differ by less if only the order of a sum differs


def jackknife_groups(units: int, seed: int = SEED) -> tuple[Codes, int]:
    """Assign units to groups that are left out together: one group per unit, or 100 random groups.

    >>> jackknife_groups(3)[0].tolist(), jackknife_groups(1000)[1]
    ([0, 1, 2], 100)
    """
    if units <= GROUPS:
        return np.arange(units), units
    return _random_groups(units, seed), GROUPS


@lru_cache(maxsize=1)
def _random_groups(units: int, seed: int) -> Codes:
    """Random groups of equal size; one byte per unit, shared by the measures of a report."""
    # The shuffle depends on the number of units only, so bytes are shuffled as the units' numbers would be.
    groups = np.resize(np.arange(GROUPS, dtype=np.uint8), units)
    np.random.default_rng(seed).shuffle(groups)
    groups.flags.writeable = False
    return groups


def jackknife_spread(value: float, without: Floats, sizes: Floats | None = None) -> Spread:
    """Return the standard error of a value from its values without each group of units.

    It is unknown if the value is undefined without one of the groups. Groups of unequal size (clusters) get
    the weights and degrees of freedom with which the jackknife of a mean is exactly its CR2 variance; the
    plain jackknife is far too wide if one cluster dominates.

    Formula: sqrt(sum (1 - h_g) (v_g - v)^2), where h_g are the groups' shares of the items and v is the mean
        of the v_g weighted by 1 - h_g; for G equal groups sqrt((G - 1) / G * sum (v_g - mean v)^2), G - 1
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 11; Bell and McCaffrey
        (2002) for unequal groups.

    Args:
        value: the value over all units.
        without: the values without each group.
        sizes: per group its number of items; default: all equal.

    >>> jackknife_spread(1.0, np.array([2.0, 0.0])).standard_error
    1.0
    """
    groups = len(without)
    if groups < FEWEST or np.isnan(without).any():
        return Spread(value, math.nan, groups - 1)
    number = np.ones(groups) if sizes is None else sizes
    degrees = groups - 1 if sizes is None else bell_mccaffrey(number)
    if without.min() == without.max():
        return Spread(value, 0.0, degrees, units=groups)
    weights = 1 - number / number.sum()
    deviations = np.sqrt(weights) * (without - float(weights @ without) / float(weights.sum()))
    error = math.sqrt(float(deviations @ deviations))
    return Spread(value, error, degrees, *tails(-deviations / np.sqrt(number)), units=groups)


def label_spread(spread: Spread, values: Floats, objects: Floats, without: Floats) -> Spread:
    """Widen the spread of a mean over labels by labels whose few objects show no spread.

    If no group changes a label's value, for example because all of its three objects are detected, its
    jackknife variance is 0, so the mean would look most certain where the rarest label is known least. Such
    a label gets the variance of a rate over its objects instead.

    Formula: variance of the mean + sum over such labels of p (1 - p) / (m + 4) / K^2, where
        p = (m * value + 2) / (m + 4) for m objects, and K is the number of labels that have a value
    Source: Agresti and Coull (1998), Approximate Is Better than "Exact" for Interval Estimation of
        Binomial Proportions, for the two added hits and two added misses.

    Args:
        spread: of the mean, from `jackknife_spread`.
        values: per label; NaN for one without a value.
        objects: per label the number of objects behind its value.
        without: the labels' values without each group (groups x labels).

    >>> constant = Spread(1.0, 0.0, 9)
    >>> label_spread(constant, np.ones(1), np.full(1, 4.0), np.ones((10, 1))).standard_error.__round__(4)
    0.1531
    """
    if not spread.known:
        return spread
    changed = (np.abs(without - values) > _ROUNDING).any(axis=0)
    constant = ~np.isnan(values) & ~changed
    labels = max(1, int(np.count_nonzero(~np.isnan(values))))
    added = float(np.sum(rate_variance(values[constant], objects[constant]))) / labels**2
    variance = spread.standard_error**2 + added
    known = spread.standard_error**2 / variance if variance else 1.0
    kurtosis = spread.kurtosis * known**2
    return replace(spread, standard_error=math.sqrt(variance), kurtosis=kurtosis)


def rate_variance(rate: npt.ArrayLike, objects: npt.ArrayLike) -> Floats:
    """Variance of a rate over objects, with two hits and two misses added.

    Formula: p (1 - p) / (m + 4) with p = (m * rate + 2) / (m + 4) for m objects
    Source: Agresti and Coull (1998), see `label_spread`.

    >>> float(rate_variance(1.0, 4.0).round(4))
    0.0234
    """
    more = np.asarray(objects, dtype=np.float64) + 4
    shrunk = (np.asarray(objects) * np.asarray(rate) + 2) / more
    return np.asarray(shrunk * (1 - shrunk) / more)
