"""What a run needs of its data: a data set in memory, or files that are read by chunk."""

from collections.abc import Collection, Mapping
from typing import Protocol

from thresher.datasets.dataset import Dataset


class Source(Protocol):
    """Items that are read by chunk. A `Dataset` is one, a `FileSource` another."""

    @property
    def name(self) -> str:
        """Name of the data in reports."""

    @property
    def ids_given(self) -> bool:
        """False if the ids were derived from the questions or the row numbers."""

    @property
    def origin(self) -> Mapping[str, str]:
        """Column -> its name in the source, if that differs."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions made by the reader, one sentence each."""

    @property
    def layouts(self) -> Mapping[str, Mapping[str, int]]:
        """Column of conversations -> layout -> number of conversations of the source."""

    @property
    def columns(self) -> Collection[str]:
        """Names of the columns."""

    def __len__(self) -> int: ...

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices."""

    def fingerprint(self) -> str:
        """A hash of ids and contents: `Dataset.fingerprint` of all items."""
