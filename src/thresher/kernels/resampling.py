"""Intervals by resampling items: a bootstrap draw is a vector of weights, so every reduction has one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.results import MetricResult, Statistics

Floats = npt.NDArray[np.float64]

DRAWS = 1000
SEED = 20240403
_CELLS = 4_000_000
"""Weights held at once: memory does not grow with draws x items."""
_FEWEST = 2
"""One item says nothing about spread."""


@dataclass(frozen=True)
class Interval:
    """An interval and how it was made.

    Attributes:
        low: lower limit.
        high: upper limit.
        level: nominal coverage, 0 to 1.
        method: name of the method.
        draws: number of bootstrap draws.
        seed: seed of the generator that made them.
    """

    low: float
    high: float
    level: float
    method: str
    draws: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as reports print it."""
        return {
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "draws": self.draws,
            "seed": self.seed,
        }


def draw_weights(items: int, draws: int, seed: int) -> Iterator[Floats]:
    """Blocks of multinomial weights (draws x items): how often each item was drawn with replacement.

    The same arguments give the same draws, so two runs over the same items are resampled alike.

    >>> block = next(draw_weights(items=3, draws=2, seed=1))
    >>> block.shape, block.sum(axis=1).tolist()
    ((2, 3), [3.0, 3.0])
    """
    generator = np.random.default_rng(seed)
    block = max(1, min(draws, _CELLS // max(items, 1)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        picked = generator.integers(0, items, (rows, items)) + np.arange(rows)[:, None] * items
        counts = np.bincount(picked.ravel(), minlength=rows * items)
        yield counts.reshape(rows, items).astype(np.float64)


@dataclass(frozen=True)
class Target:
    """One measure to be resampled.

    Attributes:
        result: the result that it reads.
        name: name of the measure.
        counted: mask of the items that count; the scored ones without.
    """

    result: MetricResult
    name: str
    counted: npt.NDArray[np.bool_] | None = None

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """The items that count: scored, and wanted."""
        return self.result.scored if self.counted is None else self.result.scored & self.counted


def resample(targets: Sequence[Target], draws: int = DRAWS, seed: int = SEED) -> list[Floats]:
    """The values of several measures over the same items under the same bootstrap draws.

    Args:
        targets: measures of results over one and the same list of items.
        draws: number of draws.
        seed: seed of the generator.

    Returns:
        Per target `draws` values; NaN where a draw holds no item that counts.
    """
    if not targets or not len(targets[0].result):
        return [np.full(draws, np.nan) for _ in targets]
    masks = [target.mask for target in targets]
    kept = [_kept(target.result.statistics, mask) for target, mask in zip(targets, masks, strict=True)]
    blocks: list[list[Floats]] = [[] for _ in targets]
    for weights in draw_weights(len(targets[0].result), draws, seed):
        for values, target, statistics, mask in zip(blocks, targets, kept, masks, strict=True):
            reduction = target.result.measure(target.name).reduction
            values.append(reduction.many(statistics, weights if mask.all() else weights[:, mask]))
    return [np.concatenate(values) for values in blocks]


def percentile_interval(
    values: Floats, items: int, level: float = 0.95, method: str = "bootstrap", seed: int = SEED
) -> Interval | None:
    """The central `level` of resampled values; None with fewer than two items behind them."""
    known = values[~np.isnan(values)]
    if items < _FEWEST or not len(known):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail]).tolist()
    return Interval(low, high, level, method, len(values), seed)


def bootstrap_intervals(
    targets: Sequence[Target], level: float = 0.95, draws: int = DRAWS, seed: int = SEED
) -> list[Interval | None]:
    """A percentile bootstrap interval for each measure (Efron and Tibshirani 1993, ch. 13)."""
    values = resample(targets, draws, seed)
    return [
        percentile_interval(each, int(target.mask.sum()), level, seed=seed)
        for each, target in zip(values, targets, strict=True)
    ]


def paired_intervals(
    pairs: Sequence[tuple[Target, Target]], level: float = 0.95, draws: int = DRAWS, seed: int = SEED
) -> list[Interval | None]:
    """An interval for each difference second minus first, both resampled with the same draws.

    Args:
        pairs: two measures over the same items in the same order; all pairs over the same items.
        level: nominal coverage.
        draws: number of draws.
        seed: seed of the generator.
    """
    values = resample([target for pair in pairs for target in pair], draws, seed)
    differences = [second - first for first, second in zip(values[::2], values[1::2], strict=True)]
    return [
        percentile_interval(each, int(first.mask.sum()), level, "paired bootstrap", seed)
        for each, (first, _) in zip(differences, pairs, strict=True)
    ]


def _kept(statistics: Statistics, mask: npt.NDArray[np.bool_]) -> Statistics:
    return statistics if mask.all() else statistics.take(mask)
