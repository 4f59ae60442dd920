"""Decisions in an order of falling scores, and their counts at each threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import OperatingPoints

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Places in an order after which it may be cut, and what is summed for the counts there.

    Attributes:
        ends: position of the last decision above each cut.
        groups: the group of that decision.
        hits: right decisions up to it, over all groups.
        starts: the first decision of its group.
        hits_before: right decisions before the group.
        firsts: the first cut of each group that has one.
    """

    ends: Int64s
    groups: Int64s
    hits: Int64s
    starts: Int64s
    hits_before: Int64s
    firsts: Int64s


@dataclass(frozen=True, eq=False)
class Order:
    """Decisions by group, then falling score.

    Attributes:
        items: item of each decision.
        scores: score of each decision.
        hit_rows: positions of the right decisions.
        starts: where each group starts; one more than there are groups.
    """

    items: npt.NDArray[np.int32]
    scores: Floats
    hit_rows: Int64s
    starts: Int64s

    @classmethod
    def of(
        cls,
        columns: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
        order: Int64s,
        sizes: Sequence[int],
    ) -> Self:
        """Bring items, scores and hits (1 for a right decision) into an order of groups of these sizes."""
        items, scores, hits = (column[order] for column in columns)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(items.astype(np.int32), scores.astype(np.float64), np.flatnonzero(hits), starts)

    @cached_property
    def every_cut(self) -> Cuts:
        """Cuts after each distinct score of a group: equal scores enter together."""
        if not len(self.scores):
            return self._cuts(np.empty(0, np.int64))
        last = self.scores[1:] != self.scores[:-1]
        inner = self.starts[1:-1]
        last[inner[(inner > 0) & (inner < len(self.scores))] - 1] = True
        return self._cuts(np.append(np.flatnonzero(last), len(self.scores) - 1))

    @cached_property
    def useful_cuts(self) -> Cuts:
        """Cuts after the scores that a right decision has, and the first cut of each group.

        Any other cut lets in wrong decisions only, which is worse unless they cost less than true negatives.
        """
        ends, firsts = self.every_cut.ends, self.every_cut.firsts
        with_hits = np.searchsorted(ends, self.hit_rows)
        return self._cuts(ends[np.union1d(with_hits, firsts)])

    def some_cuts(self, most: int, further: Floats | None = None) -> Cuts:
        """At most so many cuts of each group, evenly spaced among all.

        Args:
            most: number of cuts.
            further: per group a score at which to cut as well; NaN for none.
        """
        every = self.every_cut
        stops = np.append(every.firsts[1:], len(every.ends)).tolist()
        parts = [
            np.unique(np.linspace(first, stop - 1, most).astype(np.int64))
            for first, stop in zip(every.firsts.tolist(), stops, strict=True)
        ]
        if further is not None:
            wanted = self.scores[every.ends] == further[every.groups]
            parts.append(np.flatnonzero(wanted))
        return self._cuts(every.ends[np.unique(np.concatenate([np.empty(0, np.int64), *parts]))])

    def points(
        self, weights: Floats, truths: Floats, cuts: Cuts, negatives: Floats | None = None
    ) -> OperatingPoints:
        """Counts at each cut, within its group.

        Args:
            weights: one per item.
            truths: weight of the true labels or objects of each group.
            cuts: where to cut.
            negatives: weight of the items of each group without the label; None for objects, of which those
                that are not there cannot be counted.
        """
        per_decision = weights[self.items]
        every, hits = _sums(per_decision), _sums(per_decision[self.hit_rows])
        tp = hits[cuts.hits] - hits[cuts.hits_before]
        fp = every[cuts.ends + 1] - every[cuts.starts] - tp
        tn = np.full(len(tp), np.nan) if negatives is None else negatives[cuts.groups] - fp
        return OperatingPoints(self.scores[cuts.ends], tp, fp, truths[cuts.groups] - tp, tn, "higher")

    def _cuts(self, ends: Int64s) -> Cuts:
        groups = np.searchsorted(self.starts, ends, "right") - 1
        starts = self.starts[groups]
        hits, before = (np.searchsorted(self.hit_rows, rows) for rows in (ends + 1, starts))
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        return Cuts(ends, groups, hits, starts, before, firsts)


def _sums(values: Floats) -> Floats:
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums
