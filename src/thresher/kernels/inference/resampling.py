"""The bootstrap: a draw is a vector of weights, which every reduction accepts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import DRAWS, LEVEL, SEED, Interval
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.statistic import CELLS, SumStatistic, UnitStatistic

Floats = npt.NDArray[np.float64]
ERROR_DRAWS = 200
"""Draws for a standard error: it is then known to 5 % (1 / sqrt(2 * 200)), and percentiles are not needed."""
_CACHED_CELLS = 2_000_000
"""Counts of draws that are cached: 200 draws of 10,000 items in 2 MB."""
_SAMPLED_ROWS = 10_000
"""Rows that decide whether few rows are distinct."""


def draw_weights(
    items: int, draws: int, seed: int, times: npt.NDArray[np.int64] | None = None
) -> Iterator[Floats]:
    """Yield blocks of multinomial weights (draws x items): counts of items drawn with replacement.

    The same arguments give the same draws, so that two runs over the same items get the same resamples.

    Args:
        items: number of items.
        draws: number of draws.
        seed: seed of the generator.
        times: number of copies of each item, default 1; the size of a draw is the number of copies.

    >>> block = next(draw_weights(items=3, draws=2, seed=1))
    >>> block.shape, block.sum(axis=1).tolist()
    ((2, 3), [3.0, 3.0])
    """
    if times is None and items * draws <= _CACHED_CELLS:
        counts: Iterable[npt.NDArray[Any]] = _cached_counts(items, draws, seed)
    else:
        counts = _counts(items, draws, seed, times)
    return (block.astype(np.float64) for block in counts)


def _counts(
    items: int, draws: int, seed: int, times: npt.NDArray[np.int64] | None = None
) -> Iterator[npt.NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    block = max(1, min(draws, CELLS // max(items, 1)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        if times is not None:
            total = int(times.sum())
            yield generator.multinomial(total, times / total, rows)
            continue
        picked = generator.integers(0, items, (rows, items)) + np.arange(rows)[:, None] * items
        yield np.bincount(picked.ravel(), minlength=rows * items).reshape(rows, items)


@lru_cache(maxsize=1)
def _cached_counts(items: int, draws: int, seed: int) -> list[npt.NDArray[Any]]:
    """The counts of the last few draws: all measures of a report use the same ones, mostly a byte each."""
    blocks = _counts(items, draws, seed)
    return [block.astype(np.min_scalar_type(block.max(initial=0))) for block in blocks]


def bootstrap_values(
    statistics: Sequence[UnitStatistic], units: int, draws: int = DRAWS, seed: int = SEED
) -> list[Floats]:
    """The values of several statistics of the same units under the same draws.

    Sums with few distinct rows are drawn as counts per distinct row, which is the same distribution.

    Returns:
        Per statistic `draws` values; NaN for draws without a value.
    """
    distinct, times = _distinct(statistics)
    blocks: list[list[Floats]] = [[] for _ in statistics]
    for weights in draw_weights(units if times is None else len(times), draws, seed, times):
        for values, statistic in zip(blocks, distinct, strict=True):
            values.append(statistic.many(weights))
    return [np.concatenate(values) for values in blocks]


def percentile_interval(values: Floats, items: int, level: float = LEVEL) -> Interval | None:
    """The central share `level` of resampled values; None with fewer than two items."""
    known = values[~np.isnan(values)]
    if items < FEWEST or not len(known):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail]).tolist()
    return Interval(low, high, level, "bootstrap")


def _distinct(
    statistics: Sequence[UnitStatistic],
) -> tuple[Sequence[UnitStatistic], npt.NDArray[np.int64] | None]:
    """The statistics over their distinct rows, and the number of copies of each, if that is less work."""
    sums = [statistic for statistic in statistics if isinstance(statistic, SumStatistic)]
    if len(sums) < len(statistics):
        return statistics, None
    rows = np.hstack([statistic.rows for statistic in sums])
    if len(np.unique(rows[:_SAMPLED_ROWS], axis=0)) > min(len(rows), _SAMPLED_ROWS) / 10:
        return statistics, None
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    ends = np.cumsum([statistic.rows.shape[1] for statistic in sums])[:-1]
    parts = np.split(distinct, ends, axis=1)
    return [
        SumStatistic.of(statistic.reduction, part) for statistic, part in zip(sums, parts, strict=True)
    ], times
