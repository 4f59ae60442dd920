"""Comparison of two runs label by label, for a mean over labels."""

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.comparison import check_pair, compared
from thresher.kernels.inference.estimate import group_sizes
from thresher.kernels.inference.few_differ import adjusted_clusters, with_two_more
from thresher.kernels.inference.gains import FEW
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.label_estimates import label_values
from thresher.kernels.inference.paired_spread import PairedDifference
from thresher.kernels.inference.paired_tests import sign_flip
from thresher.kernels.inference.shares import label_share
from thresher.kernels.inference.spread import Spread
from thresher.kernels.inference.statistic import Floats, LabelValues
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

    Intervals and p-values are of the jackknife. If fewer than 50 groups of items contain the label or change
    the difference, the p-value is at least that of a sign-flip test of their pseudo-values, so a label that
    concerns five items or fewer is never significant at 5 %. A label with too few objects for the measure has
    neither.

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
    sizes = group_sizes(units, group, groups)
    low, high = first.measure.bounds
    reach = first.measure.reduction.item_reach(first.result.statistics, units.weights, high - low)
    comparisons = {}
    for at, label in enumerate(sides[0].labels or ()):
        if label not in places:
            continue
        values = float(sides[0].values[at]), float(sides[1].values[places[label]])
        if math.isnan(values[0]) or math.isnan(values[1]):
            continue
        if sides[0].objects[at] < first.measure.reduction.fewest_objects:
            difference = values[1] - values[0]
            paired = PairedDifference(Spread(difference, math.nan, 0), difference, "none", reach=high - low)
        else:
            paired = _paired(
                sides[0],
                sides[1],
                (at, places[label]),
                sizes=sizes,
                span=high - low,
                share=label_share(sides[0], at, group),
                reach=reach,
            )
        comparisons[label] = compared(first.measure, units, values, paired, level=level, margin=margin)
    return comparisons


def _paired(
    first: LabelValues,
    second: LabelValues,
    at: tuple[int, int],
    *,
    sizes: Floats | None,
    span: float,
    share: float,
    reach: float,
) -> PairedDifference:
    """The difference of one label; for `share` and `reach` see `with_two_more`."""
    value = float(second.values[at[1]] - first.values[at[0]])
    without = second.without[:, at[1]] - first.without[:, at[0]]
    holds = first.holds[:, at[0]]
    spread, method = jackknife_spread(value, without, sizes), "jackknife"
    if not spread.known:
        return PairedDifference(spread, value, "none", reach=span)
    guarded = with_two_more(spread, share, reach, sizes)
    if not spread.standard_error:
        spread, method = _alike(value, int(np.count_nonzero(holds)), span), "adjusted"
    pseudo = _pseudo_values(value, without, holds)
    exact = sign_flip(pseudo) if len(pseudo) < FEW else np.nan
    return PairedDifference(spread, value, method, exact, "sign flip", reach=span, guarded=guarded)


def _pseudo_values(value: float, without: Floats, holds: npt.NDArray[np.bool_]) -> Floats:
    """The differences of single groups, exact for means over them.

    They are those of groups that contain the label or change its difference.

    Formula: g * v - (g - 1) * v_i for g such groups
    Source: Tukey (1958), Bias and Confidence in Not-quite Large Samples.
    """
    left_out = without[holds | (np.abs(without - value) > _ROUNDING)]
    groups = len(left_out)
    pseudo = groups * value - (groups - 1) * left_out
    return np.where(np.abs(pseudo) > _ROUNDING * groups, pseudo, 0.0)


def _alike(value: float, holders: int, span: float) -> Spread:
    """The spread of a label that is the same in both runs: two items are added, a win and a loss."""
    items = max(holders, 1)
    spread = adjusted_clusters(np.zeros(items), np.ones(items), span)
    return Spread(value, spread.standard_error, np.inf)


_ROUNDING = 1e-12
