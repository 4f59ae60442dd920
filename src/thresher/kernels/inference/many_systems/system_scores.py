"""One measure of several systems over the same items: the input of all comparisons of many systems."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.many_systems.influences import Influences, influences_of
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Codes, Units, codes_of
from thresher.results import Mean
from thresher.results.measure import Direction

Floats = npt.NDArray[np.float64]
INFINITE = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class SystemScores:
    """One measure of several systems over the same items.

    A mean has `scores`; each contrast uses the items that all its systems scored. Any other value (mAP,
    AUC, corpus BLEU, a weighted score) has `influences` over the items that all systems scored.

    Attributes:
        measure: name of the measure.
        names: one per system.
        values: the measure of each system; NaN if undefined.
        scores: items x systems, NaN where a system has no score; None if the measure is not a mean.
        influences: effect of each unit on each system's value; None if the measure is a mean.
        cluster: per item its cluster, 0, 1, ...; None if items are independent.
        direction: whether higher or lower is better.
        bounds: smallest and largest possible value; may be infinite.
        unclustered: the same with independent items; None without clusters.
    """

    measure: str
    names: tuple[str, ...]
    values: Floats
    scores: Floats | None = None
    influences: Influences | None = None
    cluster: Codes | None = None
    direction: Direction = "higher"
    bounds: tuple[float, float] = INFINITE
    unclustered: "SystemScores | None" = None

    @classmethod
    def of(
        cls,
        targets: Sequence[Target],
        names: Sequence[str] | None = None,
        *,
        clusters: Sequence[Hashable] | None = None,
        repeats: Sequence[Hashable] | None = None,
        seed: int = SEED,
    ) -> Self:
        """Build the scores of one measure, one target per system.

        Args:
            targets: the same measure of each system over the same items in the same order.
            names: one per system; default: "1", "2", ...
            clusters: per item its cluster; items of one cluster are not independent.
            repeats: per item the item that it repeats; repeats are averaged first.
            seed: seed of the jackknife's random groups, and of the draws of values that jump.

        Raises:
            InputError: for fewer than two systems, different numbers of items, measures that differ in
                direction or in being a mean, and clusters or repeats that do not fit the items.
        """
        _check_targets(targets)
        measure = targets[0].measure
        labels = tuple(names or (str(number) for number in range(1, len(targets) + 1)))
        if len(labels) != len(targets):
            raise InputError(
                f"{counted(len(labels), 'name')} for {counted(len(targets), 'system')}; give one per system"
            )
        rows = np.ones(len(targets[0].result), np.bool_)
        units = Units.of(rows, clusters, repeats)
        if isinstance(measure.reduction, Mean):
            scores = np.stack([_item_scores(target, units) for target in targets], axis=1)
            values, scale = column_means(scores), (measure.direction, measure.bounds)
            means = cls(measure.name, labels, values, scores, None, None, *scale)
            return means._in_clusters(units.cluster)
        plain = cls._of_values(targets, labels, Units.of(rows, None, repeats), (None, repeats), seed)
        if clusters is None:
            return plain
        whole = cls._of_values(targets, labels, units, (clusters, repeats), seed)
        return replace(whole, unclustered=plain)

    @classmethod
    def of_scores(
        cls,
        scores: npt.ArrayLike,
        names: Sequence[str] | None = None,
        *,
        measure: str = "score",
        clusters: Sequence[Hashable] | None = None,
        direction: Direction = "higher",
        bounds: tuple[float, float] = INFINITE,
    ) -> Self:
        """Build the scores of a mean from a table of items x systems, NaN where a system has no score.

        >>> SystemScores.of_scores([[0.0, 1.0], [1.0, 1.0]]).values.tolist()
        [0.5, 1.0]
        """
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] < 2:  # noqa: PLR2004
            raise InputError(f"scores of shape {table.shape}: give a table of items x systems, two or more")
        labels = tuple(names or (str(number) for number in range(1, table.shape[1] + 1)))
        cluster = None if clusters is None else codes_of(clusters)[0]
        if len(labels) != table.shape[1] or (cluster is not None and len(cluster) != len(table)):
            raise InputError("give one name per system and one cluster per item")
        means = cls(measure, labels, column_means(table), table, direction=direction, bounds=bounds)
        return means._in_clusters(cluster)

    def _in_clusters(self, cluster: Codes | None) -> Self:
        return self if cluster is None else replace(self, cluster=cluster, unclustered=self)

    @classmethod
    def _of_values(
        cls,
        targets: Sequence[Target],
        names: tuple[str, ...],
        units: Units,
        labels: tuple[Sequence[Hashable] | None, Sequence[Hashable] | None],
        seed: int,
    ) -> Self:
        common = np.logical_and.reduce([target.mask for target in targets])
        values, influences = influences_of(targets, units, Units.of(common, *labels), seed)
        measure = targets[0].measure
        return cls(
            measure.name,
            names,
            values,
            influences=influences,
            cluster=units.cluster,
            direction=measure.direction,
            bounds=measure.bounds,
        )

    def __len__(self) -> int:
        """Number of systems."""
        return len(self.names)

    @property
    def sign(self) -> float:
        """1 if higher is better, else -1."""
        return 1.0 if self.direction == "higher" else -1.0

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Mask of the items that all systems scored; for values that are not means, all items used."""
        if self.scores is None:
            return np.ones(self.influences.items if self.influences else 0, np.bool_)
        return np.asarray(np.isfinite(self.scores).all(axis=1), dtype=np.bool_)

    @property
    def common(self) -> int:
        """Number of items that all systems scored."""
        return int(np.count_nonzero(self.complete))

    def select(self, systems: Sequence[int]) -> "SystemScores":
        """The same measure of some systems, in the given order."""
        chosen = list(systems)
        return replace(
            self,
            names=tuple(self.names[system] for system in chosen),
            values=self.values[chosen],
            scores=None if self.scores is None else self.scores[:, chosen],
            influences=None if self.influences is None else self.influences.select(chosen),
            unclustered=None if self.unclustered is None else self.unclustered.select(chosen),
        )


def column_means(scores: Floats) -> Floats:
    """Mean of each column over its known entries; NaN without any."""
    known = np.isfinite(scores)
    count = known.sum(axis=0)
    columns = zip(scores.T, known.T, strict=True)  # one after the other, along memory: pairwise sums
    sums = np.array([np.where(own, column, 0.0).sum() for column, own in columns])
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _item_scores(target: Target, units: Units) -> Floats:
    """One score per item, repeats averaged over those that are scored; NaN without any."""
    reduction = target.measure.reduction
    column = target.result.statistics.column(getattr(reduction, "column", "score")).astype(np.float64)
    if units.item is None:
        return np.where(target.mask, column, np.nan)
    times = np.bincount(units.item[target.mask], minlength=units.items)
    sums = np.bincount(units.item[target.mask], column[target.mask], units.items)
    return np.where(times > 0, sums / np.maximum(times, 1), np.nan)


def _check_targets(targets: Sequence[Target]) -> None:
    if len(targets) < 2:  # noqa: PLR2004
        raise InputError(f"{counted(len(targets), 'system')} cannot be compared; give two or more")
    first = targets[0]
    for target in targets[1:]:
        if len(target.result) != len(first.result):
            raise InputError(
                f"{target.name}: {len(first.result)} and {counted(len(target.result), 'item')}; join the "
                "runs first"
            )
        alike = isinstance(target.measure.reduction, Mean) == isinstance(first.measure.reduction, Mean)
        if not alike or target.measure.direction != first.measure.direction:
            raise InputError(f"{first.name} and {target.name} are different measures; give one measure")
