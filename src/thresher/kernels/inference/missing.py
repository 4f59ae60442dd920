"""Missing scores: what a verdict becomes if they are as bad as they can be for the run that leads.

Runs lose the scores of their hardest items, so that leaving these out favours the run that lost them. Nothing is
assumed of the lost scores but the bounds of the measure (Manski 1990, Nonparametric Bounds on Treatment Effects).
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.comparison import compare
from thresher.kernels.inference.interval import LEVEL
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.verdict import Comparison, Missing, Verdict
from thresher.results import Mean, MetricResult, Statistics

Mask = npt.NDArray[np.bool_]
Groups = Sequence[Hashable] | None


def bounded_by_missing(
    comparison: Comparison,
    first: Target,
    second: Target,
    lost: tuple[Mask, Mask],
    *,
    clusters: Groups = None,
    repeats: Groups = None,
    level: float | None = None,
) -> Comparison:
    """The comparison with what the missing scores could make of it; see `Comparison.missing`.

    Args:
        comparison: of the items that both runs scored; corrected, if it is one of several.
        first: a measure of one run.
        second: the same measure of the other run over the same items in the same order.
        lost: per run, mask of the items whose score exists but is not known.
        clusters: per item its cluster.
        repeats: per item the item that it repeats.
        level: level at which the verdict must hold with the missing scores; default: that of the (corrected) test.
    """
    number = int(np.count_nonzero(lost[0] | lost[1]))
    if not number or not can_fill(first) or comparison.interval is None or comparison.unchanged:
        return comparison

    def if_better_loses(better: int) -> Comparison:
        """The comparison if the missing scores of one run are bad, and those of the other good."""
        higher = comparison.direction == "higher"
        sides = [
            filled(target, mask, good=(place != better) == higher)
            for place, (target, mask) in enumerate(zip((first, second), lost, strict=True))
        ]
        at = level or _level(comparison, comparison.interval.level if comparison.interval else LEVEL)
        return compare(*sides, level=at, margin=comparison.margin, clusters=clusters, repeats=repeats)

    worst = {better: if_better_loses(better) for better in (1, 0)}
    ends = (worst[1].difference, worst[0].difference)
    comparison = replace(comparison, lost=number, if_lost_are=ends)
    verdict = comparison.verdict
    undone = [worst[place] for place in _leaders(verdict) if worst[place].verdict != verdict]
    if not undone:
        return comparison
    return replace(comparison, missing=Missing(number, verdict, undone[0].difference))


def _level(comparison: Comparison, level: float) -> float:
    """The level of one of several tests that the correction amounts to; margins are not corrected."""
    pairs = {
        Verdict.BETTER: (comparison.far_p_value, comparison.p_adjusted),
        Verdict.LIKELY_BETTER: (comparison.visible_p, comparison.visible_adjusted),
    }
    pairs |= {Verdict.WORSE: pairs[Verdict.BETTER], Verdict.LIKELY_WORSE: pairs[Verdict.LIKELY_BETTER]}
    p_value, adjusted = pairs.get(comparison.verdict, (0.0, None))
    return 1 - (1 - level) * min(1.0, p_value / adjusted) if adjusted else level


def filled(target: Target, lost: Mask, *, good: bool) -> Target:
    """The measure with missing scores at its high (`good`) or low bound."""
    measure, counted = target.measure, target.counted
    reduction = measure.reduction
    column = reduction.column if isinstance(reduction, Mean) else ""
    scores = target.result.statistics.column(column).astype(np.float64)
    scores[lost] = measure.bounds[1 if good else 0]
    result = MetricResult(
        [replace(measure, reduction=Mean(), item_score="score")],
        Statistics({"score": scores}),
        np.where(lost, 0, target.result.status),
    )
    return Target(result, measure.name, None if counted is None else counted | lost)


def can_fill(target: Target) -> bool:
    """Whether missing scores can be put at a bound."""
    return isinstance(target.measure.reduction, Mean) and all(map(math.isfinite, target.measure.bounds))


def _leaders(verdict: Verdict) -> tuple[int, ...]:
    """Whose missing scores could undo a verdict: those of the better run, of either where both are alike."""
    if verdict in (Verdict.BETTER, Verdict.LIKELY_BETTER):
        return (1,)
    if verdict in (Verdict.WORSE, Verdict.LIKELY_WORSE):
        return (0,)
    return () if verdict == Verdict.INCONCLUSIVE else (0, 1)
