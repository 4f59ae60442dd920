"""Ranks and grades of the relevant documents per query: all that a ranking metric needs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankedGains:
    """The relevant documents of each query: those retrieved, with ranks, and all of them.

    Lists of all queries are concatenated (ragged). Only relevant documents are stored, so the size grows with
    the judgements and not with the length of the retrieved lists.

    Attributes:
        retrieved: documents retrieved per query, relevant or not; one entry per query.
        owner: query of each relevant document that was retrieved, ascending.
        ranks: its rank, from 1, ascending within a query.
        gains: its grade, above 0.
        ideal_owner: query of each relevant document, ascending.
        ideal_gains: its grade, descending within a query: the ideal ranking.
    """

    retrieved: Ints
    owner: Ints
    ranks: Ints
    gains: Floats
    ideal_owner: Ints
    ideal_gains: Floats

    @property
    def size(self) -> int:
        """Number of queries."""
        return len(self.retrieved)

    @cached_property
    def relevant(self) -> Ints:
        """Relevant documents per query, retrieved or not."""
        return self.per_query(self.ideal_owner)

    def hits(self, top_k: int | None = None) -> Ints:
        """Relevant documents per query among the first `top_k`; among all without a cutoff."""
        owner = self.owner if top_k is None else self.owner[self.ranks <= top_k]
        return self.per_query(owner)

    def per_query(self, owner: Ints) -> Ints:
        """Count the owners per query."""
        return np.bincount(owner, minlength=self.size)

    def at_least(self, min_grade: float | None) -> Self:
        """Count only documents of that grade or above as relevant; None keeps all above 0."""
        if min_grade is None:
            return self
        hit, ideal = self.gains >= min_grade, self.ideal_gains >= min_grade
        return type(self)(
            self.retrieved,
            self.owner[hit],
            self.ranks[hit],
            self.gains[hit],
            self.ideal_owner[ideal],
            self.ideal_gains[ideal],
        )


def positions(owner: Ints, size: int) -> Ints:
    """Position of each entry among those of its owner, from 1; owners are ascending.

    >>> positions(np.array([0, 0, 2, 2, 2]), 3).tolist()
    [1, 2, 1, 2, 3]
    """
    counts = np.bincount(owner, minlength=size)
    return np.asarray(np.arange(1, len(owner) + 1) - (np.cumsum(counts) - counts)[owner])
