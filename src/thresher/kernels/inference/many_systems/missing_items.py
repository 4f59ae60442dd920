"""Fair values of systems that did not score the same items."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.many_systems.influences import Influences
from thresher.kernels.inference.many_systems.system_scores import SystemScores, column_means

Floats = npt.NDArray[np.float64]


def common_items(scores: SystemScores) -> SystemScores:
    """The same systems over the items that all of them scored.

    A system that fails on hard items looks better by its own mean: one of six equal systems that fails on
    the hardest 15 % of 60 items has the best mean in 92 % of samples, on common items in 14 %.
    Values that are not means are always over common items.
    """
    if scores.scores is None or scores.complete.all():
        return scores
    keep = scores.complete
    table = scores.scores[keep]
    plain = replace(scores, values=column_means(table), scores=table, cluster=None, unclustered=None)
    if scores.cluster is None:
        return plain
    cluster = np.unique(scores.cluster[keep], return_inverse=True)[1]
    return replace(plain, cluster=cluster, unclustered=plain)


def adjusted_means(scores: SystemScores) -> SystemScores:
    """Means that account for the difficulty of the items that each system lacks.

    For tables with too few common items. Equal to the means if no score is missing. Assumes that an item is
    about equally harder for all systems.

    Formula: least squares of score = item + system; the value of a system is its effect plus the mean of
        the items' effects. Contributions are those of least squares with one residual per unit (Liang and
        Zeger 1986, Longitudinal Data Analysis Using Generalized Linear Models).

    Returns:
        Scores with influences, for all comparisons of this package.

    Raises:
        InputError: if the measure is not a mean, or if systems share no items, directly or through others.
    """
    if scores.scores is None:
        raise InputError(f"{scores.measure} is not a mean of item scores; it is computed over common items")
    known = np.isfinite(scores.scores)
    used = np.asarray(known.any(axis=1), dtype=np.bool_)
    table, mask = np.where(known, scores.scores, 0.0)[used], known[used].astype(np.float64)
    count = mask.sum(axis=1)
    shares = mask / count[:, None]
    laplacian = np.diag(mask.sum(axis=0)) - mask.T @ shares
    size = len(scores)
    if np.linalg.matrix_rank(laplacian) < size - 1:
        raise InputError(
            f"{scores.measure}: some systems share no items with the others; compare them separately"
        )
    inverse = np.linalg.pinv(laplacian)
    systems = inverse @ (table.sum(axis=0) - shares.T @ table.sum(axis=1))
    items = table.sum(axis=1) / count - shares @ systems
    residuals = mask * (table - items[:, None] - systems)
    effects = residuals @ inverse
    level = (items - items.mean()) / len(items) - effects @ shares.mean(axis=0)
    parts = np.zeros((len(known), size))
    parts[used] = effects + level[:, None]
    return _with_influences(scores, scores.scores, systems + items.mean(), parts, used)


def _with_influences(
    scores: SystemScores, table: Floats, values: Floats, parts: Floats, used: npt.NDArray[np.bool_]
) -> SystemScores:
    """Scores with given influences of items, summed within clusters.

    The span of the table is the reach of differences without spread. Without it, the order of runs that
    score alike on all common items would be that of rounding errors.
    """
    ones = None if used.all() else used.astype(np.float64)
    items, span = int(np.count_nonzero(used)), float(np.nanmax(table) - np.nanmin(table))
    plain = replace(
        scores,
        values=values,
        scores=None,
        influences=Influences(parts, items, sizes=ones, span=span),
        cluster=None,
        unclustered=None,
    )
    if scores.cluster is None:
        return plain
    sizes = np.asarray(np.bincount(scores.cluster, used.astype(np.float64)), dtype=np.float64)
    summed = np.stack([np.bincount(scores.cluster, column) for column in parts.T], axis=1)
    influences = Influences(np.asarray(summed, dtype=np.float64), items, sizes=sizes, span=span)
    return replace(plain, influences=influences, cluster=scores.cluster, unclustered=plain)
