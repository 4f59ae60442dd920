"""Agreement of raters beyond chance: Cohen's kappa, plain and weighted, and Gwet's AC1."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, finite
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.spread import FEWEST, Spread
from thresher.kernels.inference.statistic import group_sums, sums_without

Floats = npt.NDArray[np.float64]
KappaWeights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement; 1 is perfect agreement, 0 is agreement by chance.

    Attributes:
        coefficient: name of the coefficient.
        value: NaN if it is undefined, for example because all ratings are the same.
        interval: None if unknown.
        standard_error: NaN if unknown.
        items: items that at least two raters rated.
    """

    coefficient: str
    value: float
    interval: Interval | None
    standard_error: float
    items: int

    @classmethod
    def of(cls, coefficient: str, spread: Spread, items: int, level: float, method: str) -> "Agreement":
        """Build a coefficient with an interval within -1 to 1."""
        known = spread.known and not math.isnan(spread.value)
        interval = None
        if known:
            skewness = spread.skewness / math.sqrt(spread.number)
            sums = UnitSums.of_error(spread.value, spread.standard_error, items, skewness)
            interval = Interval(*OneMore(sums, (-1.0, 1.0)).limits(level), level, method)
        return cls(coefficient, spread.value, interval, spread.standard_error, items)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {
            "coefficient": self.coefficient,
            "value": finite(self.value),
            "interval": self.interval.to_dict() if self.interval else None,
            "standard_error": finite(self.standard_error),
            "items": self.items,
        }


def cohen_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    weights: KappaWeights = "none",
    categories: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Agreement:
    """Cohen's kappa, with the large-sample standard error of Fleiss, Cohen and Everitt (1969).

    Formula: (observed - expected) / (1 - expected), both sums of agreement weights: 1 - distance / (k - 1)
        (linear) or 1 - (distance / (k - 1))^2 (quadratic), where distance counts places between categories
    Source: Cohen (1960), A Coefficient of Agreement for Nominal Scales; Cohen (1968) for the weights.

    Args:
        first: one label per item; items with None on either side are left out.
        second: the other rater's labels.
        weights: how much near misses count.
        categories: all categories in order; default: the labels that occur, sorted.
        level: nominal coverage.

    Raises:
        InputError: for unequal lengths or a label that is not among the categories.

    >>> cohen_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"]).value
    0.5
    """
    table = contingency(first, second, categories)
    items, size = int(table.sum()), len(table)
    if not items:
        return Agreement(_kappa_name(weights), math.nan, None, math.nan, 0)
    shares = table / items
    gain = _agreement_weights(size, weights)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((gain * shares).sum()), float(rows @ gain @ columns)
    if size < FEWEST or expected >= 1:
        return Agreement(_kappa_name(weights), math.nan, None, math.nan, items)
    kappa = (observed - expected) / (1 - expected)
    chance = (gain @ columns)[:, None] + (rows @ gain)[None, :]
    spread_of_items = (shares * (gain - chance * (1 - kappa)) ** 2).sum()
    variance = float(spread_of_items - (kappa - expected * (1 - kappa)) ** 2) / items / (1 - expected) ** 2
    spread = Spread(kappa, math.sqrt(max(0.0, variance)), math.inf)
    return Agreement.of(_kappa_name(weights), spread, items, level, "asymptotic")


def gwet_ac1(ratings: Sequence[Sequence[Hashable]], *, level: float = LEVEL, seed: int = SEED) -> Agreement:
    """Gwet's AC1, which does not collapse if almost all items get the same label.

    Formula: (observed - expected) / (1 - expected), expected = sum of share (1 - share) / (k - 1)
    Source: Gwet (2008), Computing Inter-rater Reliability and its Variance in the Presence of High Agreement.

    Args:
        ratings: per rater one label per item; None for items that the rater did not rate.
        level: nominal coverage.
        seed: seed of the jackknife's random groups.

    Raises:
        InputError: for unequal lengths.

    >>> round(gwet_ac1([["a", "a", "b", "b"], ["a", "a", "b", "a"]]).value, 4)
    0.5294
    """
    counts = rating_counts(ratings)
    raters = counts.sum(axis=1)
    pairable = raters >= FEWEST
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.where(pairable, raters * (raters - 1), 1)
    shares = counts / np.maximum(raters, 1)[:, None]
    rows = np.column_stack([agreeing * pairable, pairable, raters > 0, shares]).astype(np.float64)
    items = int(np.count_nonzero(pairable))
    if items < FEWEST or counts.shape[1] < FEWEST:
        return Agreement("gwet_ac1", math.nan, None, math.nan, items)
    without = _ac1(sums_without(group_sums([rows.T], *jackknife_groups(len(rows), seed))))
    spread = jackknife_spread(float(_ac1(rows.sum(axis=0)[None])[0]), without)
    return Agreement.of("gwet_ac1", spread, items, level, "jackknife")


def fleiss_kappa(
    ratings: Sequence[Sequence[Hashable]], *, level: float = LEVEL, seed: int = SEED
) -> Agreement:
    """Fleiss' kappa, over the items that all raters rated.

    Formula: (observed - expected) / (1 - expected); observed is the mean share of agreeing pairs of raters,
        expected the sum of the squared shares of the labels
    Source: Fleiss (1971), Measuring Nominal Scale Agreement among Many Raters.

    Args:
        ratings: per rater one label per item; items with None are left out.
        level: nominal coverage.
        seed: seed of the jackknife's random groups.

    Raises:
        InputError: for unequal lengths.

    >>> round(fleiss_kappa([["a", "a", "b", "b"], ["a", "a", "b", "a"]]).value, 4)
    0.4667
    """
    counts = rating_counts(ratings)
    counts = counts[counts.sum(axis=1) == len(ratings)]
    items, raters = len(counts), len(ratings)
    if items < FEWEST or raters < FEWEST:
        return Agreement("fleiss_kappa", math.nan, None, math.nan, items)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    rows = np.column_stack([agreeing, np.ones(items), counts / raters]).astype(np.float64)
    without = _fleiss(sums_without(group_sums([rows.T], *jackknife_groups(items, seed))))
    spread = jackknife_spread(float(_fleiss(rows.sum(axis=0)[None])[0]), without)
    return Agreement.of("fleiss_kappa", spread, items, level, "jackknife")


def contingency(
    first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable] | None = None
) -> Floats:
    """Count the pairs of labels (first rater's label x second's).

    >>> contingency(["a", "b", None], ["a", "a", "b"]).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    if len(first) != len(second):
        raise InputError(
            f"one rater has {counted(len(first), 'label')} and the other {len(second)}; give one per item"
        )
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    known = _categories([label for pair in pairs for label in pair], categories)
    table = np.zeros((len(known), len(known)))
    if pairs:
        codes = np.array([(known[a], known[b]) for a, b in pairs], dtype=np.int64)
        np.add.at(table, (codes[:, 0], codes[:, 1]), 1)
    return table


def rating_counts(ratings: Sequence[Sequence[Hashable]]) -> npt.NDArray[np.int64]:
    """Count how often each item got each label (items x labels)."""
    lengths = {len(labels) for labels in ratings}
    if len(lengths) != 1:
        raise InputError(f"raters have {sorted(lengths)} labels; give each one per item, None if missing")
    known = _categories([label for labels in ratings for label in labels if label is not None], None)
    counts = np.zeros((lengths.pop(), len(known)), np.int64)
    for labels in ratings:
        cells = [(item, known[label]) for item, label in enumerate(labels) if label is not None]
        if cells:
            np.add.at(counts, tuple(np.array(cells).T), 1)
    return counts


def _categories(labels: Sequence[Any], categories: Sequence[Hashable] | None) -> dict[Any, int]:
    if categories is None:
        distinct = set(labels)
        numeric = all(isinstance(label, int | float) for label in distinct)
        ordered: Sequence[Any] = sorted(distinct, key=None if numeric else str)
    else:
        ordered = categories
        unknown = set(labels) - set(categories)
        if unknown:
            raise InputError(
                f"label {min(map(repr, unknown))} is not one of the categories {list(categories)}"
            )
    return {label: place for place, label in enumerate(ordered)}


def _agreement_weights(size: int, weights: KappaWeights) -> Floats:
    if weights == "none" or size < FEWEST:
        return np.eye(size)
    places = np.arange(size)
    distance = np.abs(places[:, None] - places) / (size - 1)
    return np.asarray(1 - (distance if weights == "linear" else distance**2), dtype=np.float64)


def _kappa_name(weights: KappaWeights) -> str:
    return "cohen_kappa" if weights == "none" else f"cohen_kappa_{weights}"


def _ac1(sums: Floats) -> Floats:
    """AC1 from sums: agreement, pairable items, rated items, shares of each label."""
    shares = sums[:, 3:] / sums[:, 2:3]
    expected = (shares * (1 - shares)).sum(axis=1) / (shares.shape[1] - 1)
    return np.asarray((sums[:, 0] / sums[:, 1] - expected) / (1 - expected), dtype=np.float64)


def _fleiss(sums: Floats) -> Floats:
    """Fleiss' kappa from sums: agreement, items, shares of each label; NaN if all labels are the same."""
    shares = sums[:, 2:] / sums[:, 1:2]
    expected = np.square(shares).sum(axis=1)
    known = expected < 1 - 1e-12
    return np.where(known, (sums[:, 0] / sums[:, 1] - expected) / np.where(known, 1 - expected, 1.0), np.nan)
