"""Tables of classified items that are read by chunk."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from thresher.datasets._label_columns import LabelColumns
from thresher.datasets._label_entries import Unscored, label_entries, score_of
from thresher.datasets._opened import explained, warn_of
from thresher.datasets.dataset import Dataset
from thresher.datasets.fingerprints import BlockHashes
from thresher.datasets.labels import chosen_columns, read_labels
from thresher.datasets.read import EmptyCells
from thresher.datasets.sources.data_files import DataFiles
from thresher.datasets.sources.opening import is_staged, open_source
from thresher.datasets.sources.row_stage import FileSource, RowStage
from thresher.datasets.sources.source import Source
from thresher.files.stores import Store
from thresher.kernels.classification.named_scores import scores_of
from thresher.results import FrozenColumn

_BLOCK = 10_000


@explained
def open_labels(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    scores: str | None = None,
    positive: str | int | bool | None = None,
    labels: Sequence[str | int | bool] | None = None,
    limit: int | None = None,
    empty_cells: EmptyCells = "missing",
    split: str | None = None,
    index: Store | None = None,
) -> Source:
    """Open a table of labels to be read by chunk if it is a large file of rows; others as `read_labels` does.

    The items are those of `read_labels`. How labels are spelt and what scores mean depends on all rows: two
    readings of the stage decide it, by the rows with the first label or form of entry of each kind.

    Args:
        source: as in `read_labels`; so are all other arguments.
        mapping: column -> socket.
        scores: prefix of the columns with scores.
        positive: of two labels, the one whose probability a single column of scores is.
        labels: the label of each entry if scores are lists.
        limit: read the first rows only.
        empty_cells: meaning of an empty cell.
        split: which split.
        index: where a stage that was kept is looked for; default: nowhere.

    Raises:
        InputError: as `read_labels`.
    """
    files = DataFiles.of(source, split=split)
    reading: dict[str, Any] = {"limit": limit, "empty_cells": empty_cells, "split": split}
    if files is None or not is_staged(files):
        return read_labels(
            source, mapping=mapping, scores=scores, positive=positive, labels=labels, **reading
        )
    where, columns = chosen_columns(
        source if files.is_single else files.paths[0], mapping, scores, limit, split
    )
    opened = open_source(source, mapping=columns.mapping, index=index, purpose="labels", **reading)
    if not isinstance(opened, FileSource):
        raise TypeError("files of rows are staged")
    how = LabelReading(_witnesses(opened, columns), columns, positive, labels, where)
    found = LabelSource(opened.stage, how, opened)
    found.check()
    warn_of(found.notes[len(opened.notes) :])
    return found


@dataclass(frozen=True)
class LabelReading:
    """How labels and scores of some rows are read as those of all rows.

    Attributes:
        witnesses: items that decide about labels and scores as all items do.
        columns: which columns have them.
        positive: as in `read_labels`.
        labels: as in `read_labels`.
        where: name of the source in messages.
    """

    witnesses: Dataset
    columns: LabelColumns
    positive: Any
    labels: Sequence[Any] | None
    where: str

    def read(self, some: Dataset) -> Dataset:
        """The items with their labels and predictions.

        Raises:
            InputError: for entries that `read_labels` refuses.
        """
        columns = {
            name: column.concatenate([column, self.witnesses.columns[name]])
            for name, column in some.columns.items()
        }
        both = replace(some, ids=FrozenColumn([*some.ids, *self.witnesses.ids]), columns=columns)
        labelled = label_entries(both, self.columns, self.positive, self.labels, self.where)
        return labelled.slice(0, len(some))


class LabelSource(FileSource):
    """Items with labels in files; a chunk is read without the others.

    Args:
        stage: the items as they are in the files.
        reading: how their labels are read.
        temporary: what holds the stage until it is stored.
    """

    def __init__(self, stage: RowStage, reading: LabelReading, temporary: FileSource | None = None) -> None:
        super().__init__(stage)
        self._reading, self._temporary = reading, temporary
        self._none = self.slice(0, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._stage, self._reading)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._none.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions, one sentence each."""
        return self._none.notes

    def renamed(self, rename: Callable[[str], str]) -> Self:
        """The source under another name in messages."""
        self._reading = replace(self._reading, where=rename(self._reading.where))
        super().renamed(rename)
        self._none = self.slice(0, 0)
        return self

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: for entries that `read_labels` refuses; if the stage cannot be read.
        """
        return self._reading.read(super().slice(start, stop))

    def check(self) -> None:
        """Read all items, for their fingerprint.

        Raises:
            InputError: for entries that `read_labels` refuses.

        Warns:
            DataWarning: if a true label never has a score.
        """
        hashes, unscored = BlockHashes(), Unscored()
        for start in range(0, len(self), _BLOCK):
            block = self.slice(start, start + _BLOCK)
            hashes.add_columns(block.columns)
            hashes.add_ids(block.ids)
            unscored.add(block)
        unscored.warn(self._reading.where)
        self._stage = replace(self._stage, fingerprint=hashes.fingerprint(self.columns, len(self)))


class _Witness(str):
    """An id that may occur again: no two are equal."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _witnesses(items: FileSource, columns: LabelColumns) -> Dataset:
    """The first items with each label and each form of entry, and those with extreme scores of a label."""
    seen: set[Any] = set()
    extremes: dict[Any, tuple[float, float]] = {}
    found: list[Dataset] = []
    for start in range(0, len(items), _BLOCK):
        block = items.slice(start, start + _BLOCK)
        names = [
            name for name in ("ground_truths", "predictions", *columns.by_label) if name in block.columns
        ]
        chosen: set[int] = set()
        for name in names:
            column = block.columns[name]
            if set(map(type, column)) == {str} and seen.issuperset(
                (name, str, entry) for entry in set(column)
            ):
                continue
            for row, entry in enumerate(column):
                if (form := _form(name, entry)) not in seen:
                    seen.add(form)
                    new = {(name, part) for part in _parts(entry)} - seen
                    seen |= new
                    chosen |= {row} if new else set()
        if columns.score is not None:
            chosen |= _extreme_rows(block, columns.score, extremes)
        found.append(block.take(sorted(chosen)))
    first = found[0]
    return replace(
        first,
        ids=FrozenColumn(_Witness(name) for part in found for name in part.ids),
        columns={
            name: first.columns[name].concatenate([part.columns[name] for part in found])
            for name in first.columns
        },
    )


def _form(name: str, entry: Any) -> Any:
    """What of an entry is looked up before its parts are; equal for entries with equal parts."""
    if isinstance(entry, Mapping):
        return name, tuple(entry), tuple(map(type, entry.values()))
    if isinstance(entry, float) and not entry.is_integer():
        return name, float
    return (name, type(entry), repr(entry) if isinstance(entry, list) else entry)


def _parts(entry: Any) -> Iterator[Any]:
    """What of an entry decides how all entries are read: its labels, and its form."""
    entry = scores_of(entry)
    if isinstance(entry, Mapping):
        yield from (("label", str(label)) for label in entry)
        yield "scores", len(entry) == 1, frozenset(map(type, entry.values()))
    elif isinstance(entry, list) and len(entry) > 1:
        yield "list", len(entry), frozenset(map(type, entry))
    elif isinstance(entry, float) and not entry.is_integer():
        yield "decimal"
    else:
        yield type(entry).__name__, repr(entry)


def _extreme_rows(block: Dataset, score: str, extremes: dict[Any, tuple[float, float]]) -> set[int]:
    """The rows with the lowest and the highest score so far of each predicted label; the first without one."""
    predicted = block.columns.get("predictions", [None] * len(block))
    chosen: dict[Any, int] = {}
    for row, (name, entry) in enumerate(zip(predicted, block.columns[score], strict=True)):
        label, number = repr(name), score_of(entry)
        if number is None:
            if (label, None) not in extremes:
                extremes[label, None] = 0.0, 0.0
                chosen[label, None] = row
            continue
        low, high = extremes.get(label, (number, number))
        if label not in extremes or number < low:
            chosen[label, "low"] = row
        if label not in extremes or number > high:
            chosen[label, "high"] = row
        extremes[label] = min(low, number), max(high, number)
    return set(chosen.values())
