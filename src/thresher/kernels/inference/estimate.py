"""A value and its interval."""

from collections.abc import Hashable, Sequence

from thresher.kernels.inference.evidence import Evidence, evidence_of
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, IntervalEstimate
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import MetricResult


def interval(
    result: MetricResult,
    measure: str | None = None,
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> Interval | None:
    """The interval of a result's measure (default: the headline); see `estimate`."""
    target = Target(result, result.measure(measure).name)
    return estimate(target, level=level, clusters=clusters, repeats=repeats, seed=seed).interval


def estimate(
    target: Target,
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    repeats: Sequence[Hashable] | None = None,
    seed: int = SEED,
) -> IntervalEstimate:
    """A measure's value with standard error and interval; for the rules see `evidence`.

    With clusters these are the units instead of items. The judges of a panel are a second source of variance.

    Args:
        target: the measure and the items that count.
        level: nominal coverage, 0 to 1.
        clusters: per item its cluster; items of one cluster are not independent.
        repeats: per item the item that it repeats; repeats are averaged first.
        seed: seed of random weights, and of the jackknife's random groups.

    Raises:
        InputError: if `clusters` or `repeats` does not fit the items.
    """
    units = Units.of(target.mask, clusters, repeats)
    return estimated(evidence_of(target, units, seed), units, level)


def estimated(evidence: Evidence, units: Units, level: float) -> IntervalEstimate:
    """The estimate that some evidence gives."""
    error = evidence.visible.standard_error
    return IntervalEstimate(
        evidence.value, evidence.interval(level), error, units.items, units.clusters, decides=evidence.decides
    )
