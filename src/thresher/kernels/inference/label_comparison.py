"""Comparison of two runs label by label, for a mean over labels."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from thresher.kernels.inference.comparison import check_pair, compared
from thresher.kernels.inference.evidence import Evidence, group_sizes
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.label_estimates import label_sums, label_values
from thresher.kernels.inference.one_more import OneMore
from thresher.kernels.inference.spread import Spread
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.inference.verdict import Comparison
from thresher.results import Label


def compare_labels(
    first: Target,
    second: Target,
    *,
    level: float = LEVEL,
    margin: float | None = None,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> dict[Label, Comparison]:
    """Second run minus first run for each label that both have, over the items that both scored.

    The rule is that of the measure, with one more unit of the label. A label with too few objects for the measure
    has neither interval nor verdict.

    Args:
        first: a mean over labels of one run.
        second: the same measure of another run over the same items in the same order.
        level: nominal coverage; p-values are compared with 1 - level.
        margin: largest difference that does not matter; None for no verdict `equivalent`.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        seed: seed of the jackknife's random groups.

    Returns:
        Label -> comparison, in the order of the first run's labels; none for other measures.

    Raises:
        InputError: as for `compare`.
    """
    check_pair(first, second, margin)
    units = Units.of(first.mask & second.mask, clusters, repeats)
    sides = [label_values(target.over(units.mask), units, seed) for target in (first, second)]
    if sides[0] is None or sides[1] is None:
        return {}
    places = {label: at for at, label in enumerate(sides[1].labels or ())}
    group, groups = jackknife_groups(units.size, seed)
    sizes = None if units.cluster is None else group_sizes(units, group, groups)
    low, high = first.measure.bounds
    reach = first.measure.reduction.item_reach(first.result.statistics, units.weights, high - low)
    comparisons = {}
    for at, label in enumerate(sides[0].labels or ()):
        if label not in places:
            continue
        other = places[label]
        values = float(sides[0].values[at]), float(sides[1].values[other])
        if math.isnan(values[0]) or math.isnan(values[1]):
            continue
        value, spread, rule = values[1] - values[0], Spread(values[1] - values[0], math.nan, 0), None
        if sides[0].objects[at] >= first.measure.reduction.fewest_objects:
            without = sides[1].without[:, other] - sides[0].without[:, at]
            spread = jackknife_spread(value, without, sizes)
            if spread.known:
                sums = label_sums(value, without, sides[0], at, group)
                sums = replace(sums, share=sums.share * reach / (high - low))
                rule = OneMore(sums, (low - high, high - low))
        evidence = Evidence(value, spread, rule, units.size)
        comparisons[label] = compared(first.measure, units, values, evidence, level=level, margin=margin)
    return comparisons
