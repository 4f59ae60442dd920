"""A threshold against labels: chosen on one part of the items, reported on the other, with intervals."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.distributions import critical
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, finite
from thresher.kernels.inference.objectives import BestF, Objective
from thresher.kernels.inference.operating_points import OperatingPoints, ScoredLabels
from thresher.kernels.inference.resampling import draw_weights, percentile_interval
from thresher.kernels.inference.units import codes_of
from thresher.kernels.inference.wilson import bounded_interval, wilson_interval
from thresher.results import Direction

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
DRAWS = 200


@dataclass(frozen=True)
class Quality:
    """What a threshold does on some items.

    Attributes:
        tp: positives called positive.
        fp: negatives called positive.
        fn: positives called negative.
        tn: negatives called negative.
        beta: how much more recall counts in F.
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
        return {name: _share(*counts) for name, counts in self._rates().items()} | {"f": self._f()[0]}

    @property
    def intervals(self) -> dict[str, Interval | None]:
        """Wilson intervals of the values; None for 0/0."""
        found: dict[str, Interval | None] = {}
        for name, (hits, of) in self._rates().items():
            limits = wilson_interval(hits / of, of, critical(self.level)) if of else None
            found[name] = Interval(*limits, self.level, "wilson") if limits else None
        value, error = self._f()
        if math.isnan(value):
            return {**found, "f": None}
        limits = bounded_interval(
            value,
            error,
            (0.0, 1.0),
            level=self.level,
            degrees=math.inf,
            otherwise=self.tp + self.fp + self.fn,
        )
        return {**found, "f": Interval(*limits, self.level, "wilson")}

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data: counts, then each value with its interval."""
        intervals = self.intervals
        told = {
            name: {
                "value": finite(value),
                "interval": None if (known := intervals[name]) is None else known.to_dict(),
            }
            for name, value in self.values.items()
        }
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn, "beta": self.beta, **told}

    def _rates(self) -> dict[str, tuple[int, int]]:
        every = self.tp + self.fp + self.fn + self.tn
        return {
            "precision": (self.tp, self.tp + self.fp),
            "recall": (self.tp, self.tp + self.fn),
            "specificity": (self.tn, self.tn + self.fp),
            "accuracy": (self.tp + self.tn, every),
        }

    def _f(self) -> tuple[float, float]:
        """F-beta and its standard error by linearisation over the items that it counts."""
        square = self.beta**2
        below = (1 + square) * self.tp + square * self.fn + self.fp
        if not below:
            return math.nan, math.nan
        value = (1 + square) * self.tp / below
        variance = ((1 + square) * (1 - value)) ** 2 * self.tp + value**2 * (square**2 * self.fn + self.fp)
        return value, math.sqrt(variance) / below


@dataclass(frozen=True)
class ChosenThreshold:
    """A threshold and what it does where it was not chosen.

    Attributes:
        threshold: scores at least as high (or low) are called positive; infinite if nothing should be.
        direction: whether higher or lower scores are called positive.
        objective: what it was chosen for.
        interval: thresholds chosen on bootstrap draws of the same items; None where none was drawn.
        chosen: quality on the items that it was chosen on; flattering.
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
    """The best threshold on some items, and its quality on the others.

    Args:
        scores: one per item: a judge's scores, a classifier's or a detector's confidences; NaN is left out.
        labels: 1 for positive, 0 for negative, NaN for unknown.
        objective: what to be good at; the best F1 without.
        direction: whether higher or lower scores look positive.
        chosen_on: the items to choose on; see `split_mask`. All without, and nothing is reported.
        level: nominal coverage.
        draws: bootstrap draws for the interval of the threshold itself; 0 for none.
        seed: seed of the draws.

    Raises:
        InputError: if scores, labels or mask do not fit, if nothing that is chosen on is positive, or no
            threshold does what is asked.

    >>> find_threshold([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0], draws=0).threshold
    0.8
    """
    given, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    mask = np.ones(given.shape, np.bool_) if chosen_on is None else np.asarray(chosen_on, dtype=np.bool_)
    if mask.shape != given.shape:
        raise InputError(f"chosen_on has {mask.size} entries for {given.size} items")
    wanted = BestF() if objective is None else objective
    beta = wanted.beta if isinstance(wanted, BestF) else 1.0
    part = ScoredLabels.of(np.where(mask, given, np.nan), truth, direction)
    _check_positives(part, truth)
    points = part.points()
    threshold = float(points.thresholds[wanted.pick(points)])
    reported = None
    if not mask.all():
        rest = ScoredLabels.of(np.where(mask, np.nan, given), truth, direction)
        reported = quality_at(rest, threshold, beta=beta, level=level)
    chosen = quality_at(part, threshold, beta=beta, level=level)
    interval = _redrawn(part, wanted, level, draws, seed)
    return ChosenThreshold(threshold, direction, wanted.name, interval, chosen, reported)


def _check_positives(part: ScoredLabels, labels: Floats) -> None:
    """Refuse to choose where nothing is positive: any threshold would be as bad."""
    if (part.labels == 1).any():
        return
    if not (labels == 1).any():
        raise InputError("no entry is labelled positive, so there is nothing for a threshold to find")
    raise InputError(
        f"none of the {len(part.labels)} entries to choose on is positive; "
        "label more, or choose on a larger part"
    )


def quality_at(data: ScoredLabels, threshold: float, *, beta: float = 1.0, level: float = LEVEL) -> Quality:
    """What a threshold does on some items."""
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
    """Which items to choose on, at random: the same share of positives and negatives, or whole clusters.

    Args:
        labels: one per item.
        share: how much to choose on, between 0 and 1.
        clusters: per item what it belongs to; clusters are not torn apart.
        seed: seed of the generator.

    >>> split_mask([1, 1, 0, 0, 0, 0]).sum()
    np.int64(3)
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


def _redrawn(
    data: ScoredLabels, objective: Objective, level: float, draws: int, seed: int
) -> Interval | None:
    """The thresholds that other samples of the same size would have chosen."""
    found: list[float] = []
    weights_of_all = np.zeros(int(data.order.max()) + 1)
    for block in draw_weights(len(data.order), draws, seed) if draws else ():
        for weights in block:
            weights_of_all[data.order] = weights
            found.append(_picked(data.points(weights_of_all), objective))
    return percentile_interval(np.array(found), len(data.order), level, seed=seed) if found else None


def _picked(points: OperatingPoints, objective: Objective) -> float:
    """The best threshold; NaN where a draw has none, and where nothing should be called positive."""
    try:
        threshold = float(points.thresholds[objective.pick(points)])
    except InputError:
        return math.nan
    return threshold if math.isfinite(threshold) else math.nan


def _share(hits: int, of: int) -> float:
    return hits / of if of else math.nan
