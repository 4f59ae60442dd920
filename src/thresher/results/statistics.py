"""Sufficient statistics: what a metric keeps of each item, and all that a value is computed from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError

Array = npt.NDArray[Any]


class Statistics(Mapping[str, Array]):
    """Named read-only arrays whose first axis is the item.

    Statistics of shards are concatenated and reduced once; a slice or a bootstrap draw is a vector of
    weights over the items. So no metric needs code of its own for any of these.

    >>> statistics = Statistics({"overlap": [1, 2], "predicted": [2, 2]})
    >>> statistics.size, statistics["overlap"].tolist()
    (2, [1, 2])
    """

    __slots__ = ("_columns", "size")

    def __init__(self, columns: Mapping[str, npt.ArrayLike]) -> None:
        arrays = {name: _frozen(values) for name, values in columns.items()}
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"statistics have unequal lengths: {lengths}")
        self._columns = MappingProxyType(arrays)
        self.size = next(iter(lengths.values()), 0)

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"Statistics({', '.join(self)}; {self.size} items)"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, Array]]]:
        return type(self), (dict(self._columns),)

    def take(self, items: npt.ArrayLike) -> Self:
        """The statistics of some items: a boolean mask or indices, in that order."""
        index = np.asarray(items)
        return type(self)({name: array[index] for name, array in self._columns.items()})

    @classmethod
    def concatenate(cls, parts: Iterable[Self]) -> Self:
        """The statistics of several shards as those of one whole, in the order given."""
        shards: Sequence[Self] = list(parts)
        if not shards:
            return cls({})
        names = list(shards[0])
        for shard in shards:
            if set(shard) != set(names):
                raise InputError(f"shards keep different statistics: {sorted(names)} and {sorted(shard)}")
        return cls({name: np.concatenate([shard[name] for shard in shards]) for name in names})


def _frozen(values: npt.ArrayLike) -> Array:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(f"statistics are numbers, not {array.dtype}")
    if array.flags.writeable or array.base is not None:
        array = array.copy()
        array.flags.writeable = False
    return array
