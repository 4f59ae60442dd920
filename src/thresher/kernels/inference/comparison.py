"""Comparison of two runs over the same items."""

import math
from collections.abc import Hashable, Sequence

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.distributions import t_quantile
from thresher.kernels.inference.evidence import Evidence, evidence_of_difference, value_of
from thresher.kernels.inference.gains import Gains, gains_of
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.one_more import USUAL, OneMore
from thresher.kernels.inference.sample_sizes import POWER, variance_limits
from thresher.kernels.inference.spread import FEWEST_FOR_VERDICTS
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.inference.verdict import Comparison
from thresher.results import Mean, Measure
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
    """Second run minus first run for one measure, over the items that both scored; for the rules see `evidence`.

    Args:
        first: a measure of one run.
        second: the same measure of another run over the same items in the same order.
        level: nominal coverage; p-values are compared with 1 - level.
        margin: largest difference that does not matter: the runs are equivalent if the interval of level
            1 - 2 (1 - level) lies within it. Without a margin no runs are equivalent.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        seed: seed of random weights and groups.

    Raises:
        InputError: for different numbers of items, a margin that is not a positive number, and clusters or
            repeats that do not fit the items.
    """
    check_pair(first, second, margin)
    units = Units.of(first.mask & second.mask, clusters, repeats)
    evidence = evidence_of_difference(first, second, units, seed)
    values = value_of(first, units), value_of(second, units)
    gains = gains_of(first, second, units)
    return compared(first.measure, units, values, evidence, level=level, margin=margin, gains=gains)


def compared(
    measure: Measure,
    units: Units,
    values: tuple[float, float],
    evidence: Evidence,
    *,
    level: float,
    margin: float | None,
    gains: Gains | None = None,
) -> Comparison:
    """The comparison of two values, from what the units show of their difference; see `compare`."""
    rule, visible = evidence.rule, evidence.visible
    low, high = measure.bounds
    narrow, wide = evidence.interval(round(2 * level - 1, 12)), evidence.interval(level)
    higher = measure.direction == "higher"
    counts: tuple[int | None, int | None, int | None] = None, None, None
    if gains is not None:
        counts = (
            (gains.above, gains.equal, gains.below) if higher else (gains.below, gains.equal, gains.above)
        )
    effect, kind = _effect(evidence, gains if isinstance(measure.reduction, Mean) else None)
    p_value = evidence.p_value(far=level > USUAL)
    shows = isinstance(rule, OneMore) and evidence.units >= FEWEST_FOR_VERDICTS
    span = rule.bounds[1] if isinstance(rule, OneMore) else high - low
    return Comparison(
        measure=measure.name,
        direction=measure.direction,
        items=units.items,
        clusters=units.clusters,
        first_value=values[0],
        second_value=values[1],
        difference=evidence.value,
        standard_error=visible.standard_error,
        interval=wide,
        narrow=narrow,
        p_value=p_value,
        far_p_value=max(p_value, evidence.p_value(far=True)),
        visible_p=_visible_p(evidence) if shows else math.nan,
        effect=effect,
        effect_kind=kind,
        detectable=_detectable(visible.standard_error, visible.degrees, level),
        margin=margin,
        span=span,
        wins=counts[0],
        ties=counts[1],
        losses=counts[2],
        variances=variance_limits(
            visible, rule.sums if isinstance(rule, OneMore) else None, evidence.units, span
        ),
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


def _visible_p(evidence: Evidence) -> float:
    """P-value by the visible spread; equal differences show none, so they are taken for certain."""
    visible = evidence.visible
    if visible.standard_error == 0:
        return 1.0 if evidence.value == 0 else 0.0
    return visible.p_value()


def _effect(evidence: Evidence, gains: Gains | None) -> tuple[float, str | None]:
    """Odds of a win for 0/1 scores, else the mean difference in standard deviations."""
    if gains is None or not evidence.visible.known:
        return math.nan, None
    if gains.binary:
        wins, losses = gains.above, gains.below
        return float(wins / losses) if losses else math.nan if not wins else math.inf, "odds"
    return (gains.mean / gains.deviation if gains.deviation > 0 else math.nan), "d_z"


def _detectable(error: float, degrees: float, level: float) -> float:
    """The smallest difference that is detected with 80 % power; NaN if unknown, as where no item differs.

    Formula: (quantile of 1 - alpha / 2 + quantile of the power) * standard error; 2.80 standard
        errors for 5 %, 80 % and many items
    Source: Miller (2024), Adding Error Bars to Evals.
    """
    if math.isnan(error) or not error:
        return math.nan
    return error * (t_quantile((1 + level) / 2, degrees) + t_quantile(POWER, degrees))
