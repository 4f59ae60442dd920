"""Choice of a threshold by labels: chosen on one part of the items, evaluated on the other."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, finite
from thresher.kernels.inference.objectives import BestF, Objective
from thresher.kernels.inference.one_more import OneMore, UnitSums, rate_limits
from thresher.kernels.inference.operating_points import OperatingPoints, ScoredLabels
from thresher.kernels.inference.resampling import draw_weights, percentile_interval
from thresher.kernels.inference.units import codes_of
from thresher.results import Direction

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
DRAWS = 200
"""Each draw searches the threshold again. A standard error from 200 is known to 5 % (1 / sqrt(2 * 200))."""


@dataclass(frozen=True)
class Quality:
    """The quality of a threshold on some items.

    Attributes:
        tp: positives called positive.
        fp: negatives called positive.
        fn: positives called negative.
        tn: negatives called negative.
        beta: weight of recall relative to precision in F.
        level: nominal coverage of the intervals.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    beta: float
    level: float

    @property
    def values(self) -> dict[str, float]:
        """Precision, recall, specificity, accuracy and F-beta; NaN for 0/0."""
        return {name: _share(*counts) for name, counts in self._rates().items()} | {
            "f": _share(*(float(terms.sum()) for terms in self._f()))
        }

    @property
    def intervals(self) -> dict[str, Interval | None]:
        """Intervals of the values, with one more item; None for 0/0."""
        intervals: dict[str, Interval | None] = {}
        for name, (hits, total) in self._rates().items():
            limits = rate_limits(hits, total, self.level) if total else None
            intervals[name] = Interval(*limits, self.level, OneMore.method) if limits else None
        sums, sizes = self._f()
        if not len(sizes):
            return {**intervals, "f": None}
        rule = OneMore(UnitSums.of_clusters(sums, sizes), (0.0, 1.0))
        return {**intervals, "f": Interval(*rule.limits(self.level), self.level, rule.method)}

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data: counts, then each value with its interval."""
        intervals = self.intervals
        values = {
            name: {
                "value": finite(value),
                "interval": None if (known := intervals[name]) is None else known.to_dict(),
            }
            for name, value in self.values.items()
        }
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn, "beta": self.beta, **values}

    def _rates(self) -> dict[str, tuple[int, int]]:
        every = self.tp + self.fp + self.fn + self.tn
        return {
            "precision": (self.tp, self.tp + self.fp),
            "recall": (self.tp, self.tp + self.fn),
            "specificity": (self.tn, self.tn + self.fp),
            "accuracy": (self.tp + self.tn, every),
        }

    def _f(self) -> tuple[Floats, Floats]:
        """F-beta as a ratio of sums: what each item that it counts adds to the numerator and the denominator."""
        square, counts = self.beta**2, (self.tp, self.fn, self.fp)
        return np.repeat([1 + square, 0.0, 0.0], counts), np.repeat([1 + square, square, 1.0], counts)


@dataclass(frozen=True)
class ChosenThreshold:
    """A threshold and its quality.

    Attributes:
        threshold: scores at least as high (or low) are called positive; infinite to call nothing positive.
        direction: whether higher or lower scores are called positive.
        objective: name of the objective that it was chosen by.
        interval: of thresholds chosen on bootstrap draws of the same items; None without draws.
        chosen: quality on the items that it was chosen on; optimistic.
        reported: quality on the other items; None if all were used to choose.
    """

    threshold: float
    direction: Direction
    objective: str
    interval: Interval | None
    chosen: Quality
    reported: Quality | None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data; an infinite threshold is None."""
        return {
            "threshold": finite(self.threshold),
            "direction": self.direction,
            "objective": self.objective,
            "interval": self.interval.to_dict() if self.interval else None,
            "chosen": self.chosen.to_dict(),
            "reported": self.reported.to_dict() if self.reported else None,
        }


def find_threshold(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    objective: Objective | None = None,
    *,
    direction: Direction = "higher",
    chosen_on: Mask | None = None,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> ChosenThreshold:
    """Choose the best threshold on some items, and report its quality on the others.

    Args:
        scores: one per item: a judge's scores, a classifier's or a detector's confidences; NaN is left out.
        labels: 1 for positive, 0 for negative, NaN for unknown.
        objective: what to optimise; default: F1.
        direction: whether higher or lower scores look positive.
        chosen_on: mask of the items to choose on, see `split_mask`; default: all, and nothing is reported.
        level: nominal coverage.
        draws: bootstrap draws for the interval of the threshold; 0 for none.
        seed: seed of the draws.

    Raises:
        InputError: if scores, labels or mask do not fit, if no item to choose on is positive, or if no
            threshold satisfies the objective.

    >>> find_threshold([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0], draws=0).threshold
    0.8
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    mask = np.ones(values.shape, np.bool_) if chosen_on is None else np.asarray(chosen_on, dtype=np.bool_)
    if mask.shape != values.shape:
        raise InputError(
            f"chosen_on has {counted(mask.size, 'entry', 'entries')} for {counted(values.size, 'item')}"
        )
    objective = BestF() if objective is None else objective
    beta = objective.beta if isinstance(objective, BestF) else 1.0
    part = ScoredLabels.of(np.where(mask, values, np.nan), truth, direction)
    _check_positives(part, truth)
    points = part.points()
    threshold = float(points.thresholds[objective.pick(points)])
    reported = None
    if not mask.all():
        rest = ScoredLabels.of(np.where(mask, np.nan, values), truth, direction)
        reported = quality_at(rest, threshold, beta=beta, level=level)
    chosen = quality_at(part, threshold, beta=beta, level=level)
    interval = _bootstrap_interval(part, objective, level, draws, seed)
    return ChosenThreshold(threshold, direction, objective.name, interval, chosen, reported)


def _check_positives(part: ScoredLabels, labels: Floats) -> None:
    """Raise if no item to choose on is positive: all thresholds would be equally bad."""
    if (part.labels == 1).any():
        return
    if not (labels == 1).any():
        raise InputError(
            "no entry is labelled positive, so no threshold can be chosen; label positive entries"
        )
    raise InputError(
        f"none of the {counted(len(part.labels), 'entry', 'entries')} to choose on is positive; label more, "
        "or choose on a larger part"
    )


def quality_at(data: ScoredLabels, threshold: float, *, beta: float = 1.0, level: float = LEVEL) -> Quality:
    """The quality of a threshold on some items."""
    called = data.scores >= threshold if data.direction == "higher" else data.scores <= threshold
    called &= np.isfinite(data.scores)
    positive = data.labels == 1
    cells = (called & positive, called & ~positive, ~called & positive, ~called & ~positive)
    tp, fp, fn, tn = (int(np.count_nonzero(cell)) for cell in cells)
    return Quality(tp, fp, fn, tn, beta, level)


def split_mask(
    labels: npt.ArrayLike,
    *,
    share: float = 0.5,
    clusters: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> Mask:
    """Draw the items to choose on: the same share of positives and negatives, or of whole clusters.

    Args:
        labels: one per item.
        share: share of the items to choose on, between 0 and 1.
        clusters: per item its cluster; clusters are not split.
        seed: seed of the generator.

    >>> int(split_mask([1, 1, 0, 0, 0, 0]).sum())
    3
    """
    if not 0 < share < 1:
        raise InputError(f"share={share!r} leaves a side empty; give a number between 0 and 1")
    generator = np.random.default_rng(seed)
    if clusters is not None:
        codes, number = codes_of(clusters)
        return np.asarray((generator.permutation(number) < round(share * number))[codes])
    truth = np.asarray(labels, dtype=np.float64)
    chosen = np.zeros(truth.shape, np.bool_)
    for label in (0, 1):
        items = generator.permutation(np.flatnonzero(truth == label))
        chosen[items[: round(share * len(items))]] = True
    return chosen


def _bootstrap_interval(
    data: ScoredLabels, objective: Objective, level: float, draws: int, seed: int
) -> Interval | None:
    """The interval of thresholds chosen on bootstrap draws."""
    thresholds: list[float] = []
    weights_of_all = np.zeros(int(data.order.max()) + 1)
    for block in draw_weights(len(data.order), draws, seed) if draws else ():
        for weights in block:
            weights_of_all[data.order] = weights
            thresholds.append(_best_threshold(data.points(weights_of_all), objective))
    if not thresholds:
        return None
    return percentile_interval(np.array(thresholds), len(data.order), level)


def _best_threshold(points: OperatingPoints, objective: Objective) -> float:
    """The best threshold; NaN if a draw has none, or if nothing should be called positive."""
    try:
        threshold = float(points.thresholds[objective.pick(points)])
    except InputError:
        return math.nan
    return threshold if math.isfinite(threshold) else math.nan


def _share(hits: float, total: float) -> float:
    return hits / total if total else math.nan
