"""A column of document ids with a number each, kept as arrays."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.kernels.retrieval.order import TieRule
from thresher.results import FrozenColumn
from thresher.results.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa


class ScoredIds(FrozenColumn):
    """One entry per item: a list of (document id, score or grade) pairs, best first where ranked.

    To whoever looks, it is a frozen column of such lists; they are made when an entry is asked for.
    Retrieval metrics take the arrays instead, so that ten million ids cost no Python objects.

    Args:
        lists: columns `document`, a position in `names` per pair, and `number`, its score or grade.
        names: the document ids, distinct and ascending.
        present: whether each item has a list at all; None for all.
        order: the tie rule that the lists are sorted by; `input-order` says nothing about scores.
    """

    __slots__ = ("lists", "names", "order", "present")

    def __init__(
        self,
        lists: Ragged,
        names: "pa.StringArray",
        present: npt.NDArray[np.bool_] | None = None,
        order: TieRule = "input-order",
    ) -> None:
        self.lists = lists
        self.names = names
        self.present = np.ones(lists.size, np.bool_) if present is None else present
        self.order = order

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self.take(range(*index.indices(len(self))))
        item = range(len(self))[index]
        if not self.present[item]:
            return None
        rows = slice(self.lists.offsets[item], self.lists.offsets[item + 1])
        names = self.names.take(self.lists["document"][rows])
        return list(zip(names.to_pylist(), self.lists["number"][rows].tolist(), strict=True))

    def __len__(self) -> int:
        return self.lists.size

    def __iter__(self) -> Iterator[Any]:
        return (self[item] for item in range(len(self)))

    def __contains__(self, entry: object) -> bool:
        if entry is None:
            return not self.present.all()
        return any(entry == own for own in self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, FrozenColumn | list | tuple):
            return len(self) == len(other) and all(own == its for own, its in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"ScoredIds({len(self)} items, {self.lists.entries} ids)"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.lists, self.names, self.present, self.order)

    def take(self, indices: Iterable[int]) -> Self:
        """The entries at `indices`, in that order."""
        items = np.fromiter(indices, np.int64)
        return type(self)(self.lists.take(items), self.names, self.present[items], self.order)

    def documents_in(self, names: "pa.StringArray") -> npt.NDArray[np.int64]:
        """Each pair's document as a position in `names`; beyond the last where it is none of them."""
        documents = self.lists["document"].astype(np.int64)
        if names is self.names or names.equals(self.names):
            return documents
        import pyarrow.compute as pc

        known = pc.index_in(self.names, names).fill_null(-1).to_numpy()
        beyond = len(names) + np.arange(len(known))
        return np.asarray(np.where(known < 0, beyond, known)[documents], np.int64)
