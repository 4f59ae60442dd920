"""Contributions to contrasts from item scores, with or without gaps, and from influences."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.jackknife import Codes
from thresher.kernels.inference.many_systems.contributions import Contributions
from thresher.kernels.inference.many_systems.few_units import few_differing
from thresher.kernels.inference.many_systems.influences import Influences
from thresher.kernels.inference.many_systems.system_scores import SystemScores

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
MOST_UNITS = 20_000
"""Above this many units their contributions are summed in random groups: 10,000 draws of signs of 20,000
units take 2 s."""
GROUPS = 2_000
"""A standard error from 2,000 groups is known to 1.6 % (1 / sqrt(2 * 2,000))."""


def unit_group(measures: Sequence[SystemScores], seed: int = SEED) -> Codes | None:
    """Per item or cluster the group in which measures of the same items are summed; None: each is a unit.

    The jackknife's groups if a measure has them, else 2,000 random groups above 20,000 units.
    """
    for scores in measures:
        if scores.influences is not None and scores.influences.group is not None:
            return scores.influences.group
    units = max((_units(scores) for scores in measures), default=0)
    return np.random.default_rng(seed).permutation(units) % GROUPS if units > MOST_UNITS else None


def _units(scores: SystemScores) -> int:
    """Number of items or clusters of a mean; 0 for other values."""
    if scores.scores is None:
        return 0
    return len(scores.scores) if scores.cluster is None else int(scores.cluster.max(initial=-1)) + 1


def contributions_of(
    scores: SystemScores, matrix: npt.ArrayLike, group: Codes | None = None
) -> Contributions:
    """Contributions of the units of `scores` to linear combinations of its systems.

    Args:
        scores: one measure of N systems.
        matrix: contrasts x N.
        group: per item or cluster the group in which it is summed, from `unit_group`.

    Raises:
        InputError: if the matrix does not have one column per system and at least one row.
    """
    rows = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != len(scores) or not len(rows):  # noqa: PLR2004
        raise InputError(
            f"contrasts of shape {rows.shape}: give one column for each of {counted(len(scores), 'system')}"
        )
    if scores.scores is None:
        return _of_influences(scores, rows)
    return _of_scores(scores, scores.scores, rows, _member(scores, group))


def _of_influences(scores: SystemScores, rows: Floats) -> Contributions:
    influences = scores.influences or Influences(np.zeros((0, len(scores))), 0)
    sizes = influences.sizes
    number = len(influences.parts) if sizes is None else int(np.count_nonzero(sizes))
    low, high = scores.bounds
    span = high - low if np.isfinite(high - low) else influences.span
    with np.errstate(invalid="ignore"):
        estimate = rows @ scores.values
    return Contributions(
        estimate=estimate,
        parts=influences.parts,
        combine=rows.T.copy(),
        number=np.where(rows.any(axis=1), float(number), 0.0),
        shares=None if sizes is None else (sizes / max(sizes.sum(), 1.0))[:, None],
        floor=_floor(scores, rows),
        largest=np.abs(rows) @ np.abs(np.nan_to_num(scores.values)),
        reach=np.abs(rows).sum(axis=1) / 2 * span,
        few=np.zeros(len(rows), np.bool_),
        differences=_differences(rows),
        possible=_possible(scores, rows),
        most_degrees=influences.most_degrees,
    )


def _of_scores(
    scores: SystemScores, table: Floats, rows: Floats, member: tuple[Codes, int] | None
) -> Contributions:
    complete = bool(scores.complete.all())
    estimate, parts, number, shares = (_complete if complete else _with_gaps)(
        table, rows, member, clustered=scores.cluster is not None
    )
    low, high = scores.bounds
    if not np.isfinite(high - low):
        low, high = np.nanmin(table, initial=np.inf), np.nanmax(table, initial=-np.inf)
    span = np.abs(rows).sum(axis=1) / 2 * max(0.0, float(high - low))
    largest = np.abs(rows) @ np.fmax.reduce(np.abs(table), axis=0, initial=0.0)
    few, reach = np.zeros(len(rows), np.bool_), np.abs(np.nan_to_num(estimate))
    if len(table) <= MOST_UNITS:
        few, reach = few_differing(scores, table, rows, largest)
    return Contributions(
        estimate=estimate,
        parts=parts,
        combine=rows.T.copy() if complete else np.eye(len(rows)),
        number=np.where(rows.any(axis=1), number, 0.0),
        shares=shares,
        floor=_floor(scores, rows),
        largest=largest,
        reach=np.where(reach > 0, reach, span),
        few=few,
        differences=_differences(rows),
        possible=_possible(scores, rows),
    )


def _possible(scores: SystemScores, rows: Floats) -> Floats:
    """The largest value of each difference of systems between finite bounds; infinite for other rows."""
    low, high = scores.bounds
    if not np.isfinite(high - low):
        return np.full(len(rows), np.inf)
    return np.where(_differences(rows), np.abs(rows).sum(axis=1) / 2 * (high - low), np.inf)


def _differences(rows: Floats) -> Mask:
    """Rows that sum to 0."""
    return np.asarray(np.abs(rows.sum(axis=1)) < 1e-9, dtype=np.bool_)  # noqa: PLR2004


Parts = tuple[Floats, Floats, Floats, Floats | None]


def _complete(table: Floats, rows: Floats, member: tuple[Codes, int] | None, *, clustered: bool) -> Parts:
    """Contributions of the systems, which each contrast combines."""
    items = len(table)
    means = table.T.copy().mean(axis=1) if items else np.full(table.shape[1], np.nan)
    parts, shares = (table - means) / max(items, 1), None
    number = items
    if member is not None:
        parts, number = _summed(parts, *member), member[1]
        if clustered:
            shares = (np.bincount(member[0], minlength=number) / items)[:, None]
    return rows @ means, parts, np.full(len(rows), float(number)), shares


def _with_gaps(table: Floats, rows: Floats, member: tuple[Codes, int] | None, *, clustered: bool) -> Parts:
    """Contributions to each contrast from the items that all its systems scored; one contrast at a time."""
    units = len(table) if member is None else member[1]
    known = np.isfinite(table)
    estimate, number = np.full(len(rows), np.nan), np.zeros(len(rows))
    parts, shares = np.zeros((units, len(rows))), np.zeros((units, len(rows)))
    for place, row in enumerate(rows):
        systems = np.flatnonzero(row)
        used = known[:, systems].all(axis=1)
        count = int(np.count_nonzero(used))
        if not count:
            continue
        chosen = table[used][:, systems]
        means = chosen.T.copy().mean(axis=1)
        estimate[place] = row[systems] @ means
        values = (chosen - means) @ row[systems] / count
        codes = np.flatnonzero(used) if member is None else member[0][used]
        parts[:, place] = np.bincount(codes, values, units)
        shares[:, place] = np.bincount(codes, minlength=units) / count
        number[place] = np.count_nonzero(shares[:, place])
    return estimate, parts, number, shares if clustered else None


def _member(scores: SystemScores, group: Codes | None) -> tuple[Codes, int] | None:
    """Per item the unit in which it is summed, and the number of units; None if items are units."""
    if group is None:
        return None if scores.cluster is None else (scores.cluster, _units(scores))
    codes = group if scores.cluster is None else group[scores.cluster]
    return codes, int(group.max()) + 1


def _summed(parts: Floats, codes: Codes, units: int) -> Floats:
    return np.stack([np.bincount(codes, column, units) for column in parts.T], axis=1)


def _floor(scores: SystemScores, rows: Floats) -> Floats:
    """Standard errors without clusters, because few clusters may have equal means by chance."""
    if scores.unclustered is None:
        return np.zeros(len(rows))
    plain = contributions_of(scores.unclustered, rows, unit_group([scores.unclustered]))
    return np.where(plain.variable, np.sqrt(plain.variances), 0.0)
