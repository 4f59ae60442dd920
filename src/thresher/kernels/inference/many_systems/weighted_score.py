"""A weighted sum of several measures per system, with the uncertainty of all of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.jackknife import Codes
from thresher.kernels.inference.many_systems.contrasts import aligned
from thresher.kernels.inference.many_systems.contribution_tables import unit_group
from thresher.kernels.inference.many_systems.influences import Influences
from thresher.kernels.inference.many_systems.system_scores import INFINITE, SystemScores

Floats = npt.NDArray[np.float64]
Scale = tuple[float, float]
NAME = "weighted_score"


def weighted_score(
    measures: Sequence[SystemScores],
    weights: Mapping[str, float],
    references: Mapping[str, Scale] | None = None,
    *,
    seed: int = SEED,
) -> SystemScores:
    """Combine measures into one score per system, from 0 (worst) to 1 (best).

    Each measure counts by its position between its bounds, turned if lower is better. The scale never
    depends on the systems: with the smallest and largest value of the systems as ends, one more bad system
    could change the winner. Contributions of items are summed over the measures, so that intervals and
    comparisons include how measures are correlated.

    Formula: sum w u / sum w, where u = (value - low) / (high - low), or 1 - that if lower is better

    Args:
        measures: measures of the same systems over the same items; each over the items that all systems
            scored.
        weights: per measure its weight, a positive number.
        references: per measure the smallest and largest value of its scale, where its bounds are infinite,
            as in `{"latency": (0.0, 5.0)}`; values outside are not cut off. Also replaces finite bounds.
        seed: seed of the random groups of many items.

    Returns:
        Scores with influences, for all comparisons of this package.

    Raises:
        InputError: for a measure without a weight, a weight without a measure or that is not positive, a
            measure without finite bounds and reference, other systems, or other items.
    """
    _check_weights(measures, weights)
    scales = [_scale(scores, dict(references or {})) for scores in measures]
    shares = np.array([weights[scores.measure] for scores in measures])
    shares = shares / shares.sum()
    whole = _combined(measures, shares, scales, seed)
    if any(scores.unclustered is None for scores in measures):
        return whole
    plain = [scores.unclustered for scores in measures if scores.unclustered is not None]
    return replace(whole, unclustered=_combined(plain, shares, scales, seed))


def _combined(
    measures: Sequence[SystemScores], shares: Floats, scales: Sequence[Scale], seed: int
) -> SystemScores:
    common = [_over_common_items(scores) for scores in measures]
    contributions = aligned([(scores, np.eye(len(scores))) for scores in common], seed)
    group = unit_group(common, seed)
    values, parts = np.zeros(len(measures[0])), np.zeros((contributions[0].units, len(measures[0])))
    for share, scores, part, (low, high) in zip(shares, common, contributions, scales, strict=True):
        worst = low if scores.direction == "higher" else high
        values += share * scores.sign * (part.estimate - worst) / (high - low)
        parts += share * scores.sign * part.all_parts / (high - low)
    sizes = np.max([_sizes(scores, group, contributions[0].units) for scores in common], axis=0)
    if measures[0].cluster is None:
        sizes = (sizes > 0).astype(np.float64)
    equal = measures[0].cluster is None and bool(sizes.all())
    finite = all(scores.bounds == scale for scores, scale in zip(measures, scales, strict=True))
    return SystemScores(
        NAME,
        measures[0].names,
        values,
        influences=Influences(
            parts, min(scores.common for scores in measures), group, None if equal else sizes
        ),
        cluster=measures[0].cluster,
        bounds=(0.0, 1.0) if finite else INFINITE,
    )


def _over_common_items(scores: SystemScores) -> SystemScores:
    """The same items, but only those count that all systems scored."""
    if scores.scores is None:
        return scores
    table = np.where(scores.complete[:, None], scores.scores, np.nan)
    return replace(scores, scores=table, unclustered=None)


def _sizes(scores: SystemScores, group: Codes | None, units: int) -> Floats:
    """Number of items that count in each unit."""
    if scores.influences is not None:
        sizes = scores.influences.sizes
        return np.ones(units) if sizes is None else sizes
    codes: Codes = np.arange(len(scores.complete)) if scores.cluster is None else scores.cluster
    codes = codes if group is None else group[codes]
    return np.bincount(codes, scores.complete, units).astype(np.float64)


def _check_weights(measures: Sequence[SystemScores], weights: Mapping[str, float]) -> None:
    names = [scores.measure for scores in measures]
    for name in [*names, *weights]:
        if name not in weights or name not in names:
            missing = "weight" if name not in weights else "measure"
            raise InputError(f"weighted score: {name!r} has no {missing}; give one weight per measure")
        if not (math.isfinite(weights[name]) and weights[name] > 0):
            raise InputError(f"weighted score: {name!r} has weight {weights[name]!r}; give a positive number")
    if len({scores.names for scores in measures}) > 1:
        raise InputError("weighted score: the measures have different systems; give the same systems")


def _scale(scores: SystemScores, references: Mapping[str, Scale]) -> Scale:
    low, high = references.get(scores.measure, scores.bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"weighted score: {scores.measure!r} has no finite scale ({low:g} to {high:g}); "
            f"give one, for example references={{{scores.measure!r}: (0.0, 10.0)}}"
        )
    return low, high
