"""A column of document ids with scores or grades, stored as arrays."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.retrieval.order import TieRule
from thresher.results import FrozenColumn
from thresher.results.columns import BuiltColumn
from thresher.results.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa


_PAIR = ("document", "number")


class ScoredIds(BuiltColumn):
    """One entry per item: a list of (document id, score or grade) pairs, best first where ranked.

    It behaves as a frozen column of such lists, which are built on access. Retrieval metrics read the arrays
    instead, so that ten million ids cost no Python objects.

    Args:
        lists: columns `document`, a position in `names` per pair, and `number`, its score or grade.
        names: the document ids, distinct and ascending.
        present: whether each item has a list at all; None for all.
        order: the tie rule that the lists are sorted by; `input-order` does not imply sorted scores.
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

    def missing(self) -> list[int]:
        """Positions of the items without a list."""
        return np.flatnonzero(~self.present).tolist()

    def __repr__(self) -> str:
        return f"ScoredIds({counted(len(self), 'item')}, {counted(self.lists.entries, 'id')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.lists, self.names, self.present, self.order)

    def take(self, indices: Iterable[int]) -> Self:
        """The entries at `indices`, in that order."""
        items = np.fromiter(indices, np.int64)
        return type(self)(self.lists.take(items), self.names, self.present[items], self.order)

    @classmethod
    def concatenate(cls, parts: Sequence[FrozenColumn]) -> FrozenColumn:
        """Join several columns, in the given order."""
        import pyarrow as pa

        known = [part for part in parts if isinstance(part, cls)]
        if len(known) < len(parts) or len({part.order for part in known}) > 1:
            return FrozenColumn.concatenate(parts)
        names = _distinct(pa.concat_arrays([part.names for part in known]))
        lists = [
            part.lists.with_columns({"document": part.documents_in(names).astype(np.int32)}) for part in known
        ]
        present = np.concatenate([part.present for part in known])
        return cls(Ragged.concatenate(lists), names, present, known[0].order)

    def to_arrow(self) -> "pa.Array":
        """A list of (document, number) per item; null for items without a list."""
        import pyarrow as pa

        ids = self.names.take(pa.array(self.lists["document"]))
        pairs = pa.StructArray.from_arrays([ids, pa.array(self.lists["number"])], list(_PAIR))
        offsets = pa.array(self.lists.offsets.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, pairs, mask=pa.array(~self.present))

    @classmethod
    def from_arrow(cls, array: "pa.Array", order: TieRule) -> Self:
        """The inverse of `to_arrow`; `order` is the tie rule that the lists are sorted by."""
        import pyarrow.compute as pc

        pairs = array.flatten()
        names = _distinct(pairs.field("document"))
        documents = pc.index_in(pairs.field("document"), names).to_numpy(zero_copy_only=False)
        lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
        numbers = pairs.field("number").to_numpy(zero_copy_only=False)
        present = pc.is_valid(array).to_numpy(zero_copy_only=False)
        return cls(Ragged(lengths, {"document": documents, "number": numbers}), names, present, order)

    @classmethod
    def of_lists(cls, lists: Sequence[Any], order: TieRule) -> Self:
        """The column of lists of (document id, number), as iterating over a column yields them."""
        import pyarrow as pa

        kinds = {type(number) for entries in lists for _, number in entries or ()}
        number = pa.int64() if kinds == {int} else pa.float64()
        form = pa.list_(pa.struct([(_PAIR[0], pa.string()), (_PAIR[1], number)]))
        rows = [entries and [dict(zip(_PAIR, pair, strict=True)) for pair in entries] for entries in lists]
        return cls.from_arrow(pa.array(rows, form), order)

    def used_only(self) -> Self:
        """The same column with the document ids that it uses."""
        used, documents = np.unique(self.lists["document"], return_inverse=True)
        lists = self.lists.with_columns({"document": documents.reshape(-1).astype(np.int32)})
        return type(self)(lists, self.names.take(used), self.present, self.order)

    def content(self) -> Iterator[bytes]:
        """The content of the column as bytes, for hashing."""
        yield json.dumps(self.names.to_pylist()).encode()
        yield self.order.encode()
        for array in (self.present, self.lists.offsets, self.lists["document"].astype(np.int64)):
            yield np.ascontiguousarray(array).tobytes()
        yield self.lists["number"].astype(np.float64).tobytes()

    def documents_in(self, names: "pa.StringArray") -> npt.NDArray[np.int64]:
        """Each pair's document as a position in `names`; unknown documents get positions after the last."""
        documents = self.lists["document"].astype(np.int64)
        if names is self.names or names.equals(self.names):
            return documents
        import pyarrow.compute as pc

        known = pc.index_in(self.names, names).fill_null(-1).to_numpy()
        beyond = len(names) + np.arange(len(known))
        return np.asarray(np.where(known < 0, beyond, known)[documents], np.int64)


def _distinct(ids: "pa.Array") -> "pa.Array":
    """The distinct ids, ascending."""
    import pyarrow.compute as pc

    unique = pc.unique(ids)
    return unique.take(pc.sort_indices(unique))
