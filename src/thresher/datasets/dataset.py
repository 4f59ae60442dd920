"""A data set: named columns of equal length, one entry per item, and the items' ids."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from thresher.counted import counted
from thresher.datasets.fingerprints import fingerprint_of
from thresher.errors import InputError
from thresher.results import FrozenColumn
from thresher.results.suggestions import suggest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Columns named by the socket vocabulary where their meaning is known, else by their own names.

    Immutable; a copy is the data set itself.

    Attributes:
        ids: one distinct text per item; runs are joined by it.
        columns: name -> one entry per item, None for missing entries. Iterables are frozen.
        name: name of the data set in reports.
        ids_given: False if the ids were derived from the questions or the row numbers.
        origin: column -> its name in the source, if that differs.
        notes: guesses and conversions made by the reader, one sentence each; ignored by `==`.
        sampled_from: number of items from which these were drawn (`thresher.datasets.sample`); None for all
            items.
        layouts: column of conversations -> layout -> number of conversations of the source that have it;
            ignored by `==`.

    Raises:
        InputError: if the columns differ in length from the ids, or an id is not a text or is a duplicate.
    """

    ids: FrozenColumn
    columns: Mapping[str, FrozenColumn]
    name: str = "data"
    ids_given: bool = True
    origin: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sampled_from: int | None = None
    layouts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping):
            raise InputError(f"columns are {type(self.columns).__name__}; give a dict of lists")
        ids = _frozen("ids", self.ids)
        columns = {name: _frozen(name, column) for name, column in self.columns.items()}
        _check(ids, columns)
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "origin", MappingProxyType(dict(self.origin)))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        columns = ", ".join(self.columns) or "none"
        return f"Dataset({self.name!r}, {counted(len(self), 'item')}, columns: {columns})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return self.ids == other.ids and dict(self.columns) == dict(other.columns)

    __hash__ = None  # type: ignore[assignment]  # entries may be lists

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        about = (self.name, self.ids_given, dict(self.origin), self.notes, self.sampled_from)
        return type(self), (self.ids, dict(self.columns), *about, self.layouts)

    def column(self, name: str) -> FrozenColumn:
        """The column of that name.

        Raises:
            InputError: if there is none.
        """
        if name not in tuple(self.columns):
            names = ", ".join(self.columns) or "none"
            raise InputError(
                f"{self.name} has no column {name!r}{suggest(name, self.columns)}; it has {names}"
            )
        return self.columns[name]

    def take(self, indices: Iterable[int]) -> Self:
        """The items at `indices`, in that order.

        Raises:
            InputError: if an item is taken twice, since ids are distinct.
            IndexError: for an index beyond the items.
        """
        chosen = list(indices)
        return self._with(
            self.ids.take(chosen), {name: column.take(chosen) for name, column in self.columns.items()}
        )

    def slice(self, start: int, stop: int) -> Self:
        """The items `[start:stop]`, with the meaning of Python's slices."""
        return self._with(
            self.ids[start:stop], {name: column[start:stop] for name, column in self.columns.items()}
        )

    def chunks(self, size: int) -> Iterator[Self]:
        """The items in order, `size` at a time; the last chunk may be shorter.

        Raises:
            InputError: for a size below one.
        """
        if type(size) is not int or size < 1:
            raise InputError(f"chunk size {size!r} must be a whole number of at least 1")
        return (self.slice(start, start + size) for start in range(0, len(self), size))

    def head(self, n: int) -> Self:
        """The first `n` items, or all if there are fewer.

        Raises:
            InputError: for a negative number.
        """
        if type(n) is not int or n < 0:
            raise InputError(f"head({n!r}): give a number of items, 0 or more")
        return self.slice(0, n)

    def fingerprint(self) -> str:
        """`2-`, or `3-` with objects in images, and the SHA-256 (hex) of ids and contents.

        The same items give the same fingerprint in every process and from every format. It ignores the order
        of columns, the data set's name, and whether values are 1 or 1.0, lists or tuples, NaN or None; it
        depends on the order of items.

        Raises:
            InputError: if a column holds an object that has no plain form to hash.
        """
        return fingerprint_of(self)

    def to_pandas(self) -> "pd.DataFrame":
        """A DataFrame with `ids` as first column; entries are not converted."""
        import pandas as pd

        columns = {"ids": self.ids, **self.columns}
        return pd.DataFrame({name: list(column) for name, column in columns.items()})

    def _with(self, ids: FrozenColumn, columns: Mapping[str, FrozenColumn]) -> Self:
        return replace(self, ids=ids, columns=columns)


def _frozen(name: object, values: object) -> FrozenColumn:
    if not isinstance(name, str):
        raise InputError(f"the column name {name!r} is not a text; name columns by texts")
    if isinstance(values, FrozenColumn):
        return values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"column {name!r} is {type(values).__name__}; give a list with one entry per item")
    return FrozenColumn(values)


def _check(ids: FrozenColumn, columns: Mapping[str, FrozenColumn]) -> None:
    for name, column in columns.items():
        if len(column) != len(ids):
            raise InputError(
                f"column {name!r} has {counted(len(column), 'entry', 'entries')} for "
                f"{counted(len(ids), 'id')}; "
                "give one per item"
            )
    if "ids" in columns:
        raise InputError("'ids' is among the columns; give it as ids")
    seen: set[str] = set()
    for item in ids:
        if not isinstance(item, str) or item in seen:
            trouble = "appears twice" if isinstance(item, str) else "is not a text"
            raise InputError(f"id {item!r} {trouble}; give every item a unique id")
        seen.add(item)
