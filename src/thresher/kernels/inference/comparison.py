"""Comparison of two runs over the same items: better, worse, equivalent within a margin, or inconclusive."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.differences import gains_of, paired_difference
from thresher.kernels.inference.estimate import value_of
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.paired_spread import PairedDifference
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.inference.verdict import POWER, Comparison
from thresher.results import Measure
from thresher.surface import given


def compare(
    first: Target,
    second: Target,
    *,
    level: float = LEVEL,
    margin: float | None = None,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> Comparison:
    """Second run minus first run for one measure, over the items that both scored.

    | measure | interval | p-value |
    |---|---|---|
    | mean of 0/1 scores | `bonett-price` | `mcnemar mid-p` |
    | other mean | `paired t`; `adjusted` if fewer than 20 items differ among ties | `paired t` |
    | with clusters | `cluster-t`; `cluster-adjusted` likewise | `cluster-t` |
    | any other reduction | `jackknife` | `jackknife` |

    If fewer than 50 units differ, p-values of means come from `sign flip` instead, and those of other
    reductions from `item swap` if there are fewer than 50 units.

    Args:
        first: a measure of one run.
        second: the same measure of another run over the same items in the same order.
        level: nominal coverage; p-values are compared with 1 - level.
        margin: largest difference that does not matter: the runs are equivalent if the interval of level
            1 - 2 (1 - level) lies within it. Without a margin no runs are equivalent.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        seed: seed of random signs, swaps and groups.

    Raises:
        InputError: for different numbers of items, a margin that is not a positive number, and clusters or
            repeats that do not fit the items.
    """
    check_pair(first, second, margin)
    units = Units.of(first.mask & second.mask, clusters, repeats)
    paired = paired_difference(first, second, units, seed)
    values = value_of(first, units), value_of(second, units)
    counts = _counts(first, second, units, paired)
    return compared(first.measure, units, values, paired, level=level, margin=margin, **counts)


def compared(
    measure: Measure,
    units: Units,
    values: tuple[float, float],
    paired: PairedDifference,
    *,
    level: float,
    margin: float | None,
    wins: int | None = None,
    ties: int | None = None,
    losses: int | None = None,
) -> Comparison:
    """The comparison of two values whose paired difference is known; see `compare`."""
    effect, kind = _effect(paired)
    low, high = measure.bounds
    one_sided = round(2 * level - 1, 12)
    return Comparison(
        measure=measure.name,
        direction=measure.direction,
        items=units.items,
        clusters=units.clusters,
        first_value=values[0],
        second_value=values[1],
        difference=paired.spread.value,
        standard_error=paired.spread.standard_error,
        interval=paired.possible(level),
        narrow=paired.possible(one_sided),
        guarded=paired.with_rare_differences(one_sided),
        p_value=paired.p_value,
        test=paired.test,
        effect=effect,
        effect_kind=kind,
        detectable=paired.detectable(level, POWER),
        margin=margin,
        span=min(high - low, 1.0 if paired.binary else math.inf),
        wins=wins,
        ties=ties,
        losses=losses,
    )


def check_pair(first: Target, second: Target, margin: float | None) -> None:
    """Raise unless two measures can be compared with a margin.

    Raises:
        InputError: for different numbers of items, and a margin that is not a positive number.
    """
    if len(first.result) != len(second.result):
        raise InputError(
            f"{first.name}: {len(first.result)} and {counted(len(second.result), 'item')}; join the runs "
            "first"
        )
    if margin is not None and not 0 < margin < math.inf:
        raise InputError(f"{given('margin', margin)}: give a positive difference that does not matter")


def _effect(paired: PairedDifference) -> tuple[float, str | None]:
    """Odds of a win for 0/1 scores, else the mean difference in standard deviations."""
    gains = paired.gains
    if gains is None or not paired.spread.known:
        return math.nan, None
    if paired.binary:
        wins, losses = gains.above, gains.below
        return float(wins / losses) if losses else math.nan if not wins else math.inf, "odds"
    return (gains.mean / gains.deviation if gains.deviation > 0 else math.nan), "d_z"


def _counts(first: Target, second: Target, units: Units, paired: PairedDifference) -> dict[str, Any]:
    """Items won, tied and lost; None if items have no scores."""
    gains = gains_of(first, second, units) if paired.gains is None else paired.gains
    if gains is None:
        return {"wins": None, "ties": None, "losses": None}
    higher = first.measure.direction == "higher"
    wins, losses = (gains.above, gains.below) if higher else (gains.below, gains.above)
    return {"wins": wins, "ties": gains.equal, "losses": losses}
